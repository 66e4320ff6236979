#!/bin/sh
# Print the newest Python on PATH that can run this program: 3.11 or newer, able to make a virtual environment, and with
# the headers that sysv_ipc is compiled with. `make` calls this; `make PYTHON=...` names one instead.
#     sh locks/python.sh [OTHER]      OTHER: a version that is not wanted, such as 3.11
# python3 comes after the versions that are named: it may be newer than those that were tried.
set -eu
check='
import ensurepip, os, sys, sysconfig, venv
version = "%d.%d" % sys.version_info[:2]
headers = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(sys.version_info < (3, 11) or version == sys.argv[1] or not os.path.exists(headers))
'
IFS=:
for name in python3.15 python3.14 python3.13 python3.12 python3 python3.11; do
    for folder in $PATH; do
        found=$folder/$name
        # It may be there and fail: pyenv has a shim for each version, also for those that are not in use.
        if [ -x "$found" ] && "$found" -c "$check" "${1:-}" > /dev/null 2>&1; then
            echo "$found"
            exit
        fi
    done
done
echo "no Python from 3.11 on can make a virtual environment and has its headers (Debian, Ubuntu: apt install" \
    "python3-venv python3-dev); make PYTHON=... names one that is not on PATH" >&2
exit 1
