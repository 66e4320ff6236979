"""Extras of the front door; `yawc_poker.announcing` tells how they announce themselves."""
