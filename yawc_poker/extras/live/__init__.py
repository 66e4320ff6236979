"""Live views of a running BBS: `yawcctl top`, the events, and the metrics with their door."""
