#!/bin/sh
''':'
# yawc-door: hand this terminal to the running BBS. This part is for a shell: it has the interpreter beside this file run
# the rest, without `site`, which takes as long as everything else. `make` names that interpreter in the first line, so
# that no shell has to (locks/door.py).
place=$0
[ ! -h "$place" ] || place=$(readlink -f "$place")
exec "${place%/*}/python" -I -S "$place" "$@"
'''
import sys

place = sys.executable.rpartition("/bin/")[0] + "/lib/python%d.%d/site-packages"
sys.path.append(place % sys.version_info[:2])
try:
    from yawc_poker.extras.ssh_door.program.program import main
except ImportError:  # not copied there, but linked: only site knows where it is
    import site

    site.main()
    from yawc_poker.extras.ssh_door.program.program import main
sys.exit(main())
