#!/bin/sh
# yawc-door: hand this terminal to the running BBS. The interpreter is the one beside this file. It is started without
# `site`, which takes as long as everything else, and finds the program where it was installed.
place=$0
[ ! -h "$place" ] || place=$(readlink -f "$place")
exec "${place%/*}/python" -I -S -c '
import sys
place = sys.executable.rpartition("/bin/")[0] + "/lib/python%d.%d/site-packages"
sys.path.append(place % sys.version_info[:2])
try:
    from yawc_poker.door.program import main
except ImportError:  # not copied there, but linked: only site knows where it is
    import site
    site.main()
    from yawc_poker.door.program import main
sys.exit(main())
' "$@"
