"""Extras of the front door; `yawc_poker/extras` tells how they announce themselves."""
