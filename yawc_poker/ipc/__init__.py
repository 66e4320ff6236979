"""Shared memory, semaphores, broadcasts, signals, alarms. README.md holds the theory."""
