"""The page in a real browser: chromium, driven by selenium, at a real BBS."""
