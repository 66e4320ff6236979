"""What sysops do to callers, from `yawcctl` or from inside the BBS."""
