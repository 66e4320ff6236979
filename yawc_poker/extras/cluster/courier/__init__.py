"""One of several hosts: how it comes and goes, and the process that keeps it in touch with the others, the courier."""
