"""Callers by ssh, whose terminal `yawc-door` hands over: the door."""
