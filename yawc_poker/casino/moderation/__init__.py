"""What sysops do to callers, by `yawcctl` or at the sysop's desk inside the BBS."""
