"""Callers whose terminal was handed over by `yawc-door`, as callers by ssh; the keys that they come with."""
