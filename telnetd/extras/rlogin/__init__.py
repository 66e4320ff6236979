"""rlogin (RFC 1282): other BBSs pass their callers on, each with the name they have there.

An extra: delete this folder, and callers come by the other doors.
"""
