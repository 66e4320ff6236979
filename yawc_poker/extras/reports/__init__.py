"""Reports: what a caller tells the sysops of others, with the last lines they have read; answered by letter.

An extra: delete this folder, and callers write to sysops by letters, as to anybody.
"""
