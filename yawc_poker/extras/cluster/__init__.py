"""One casino on several hosts: what the processes of a host know of the others, and rows that all hosts share."""
