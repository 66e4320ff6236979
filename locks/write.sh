#!/bin/sh
# Write the locks from pyproject.toml by uv; `make locks` calls this in the top folder. Options go to uv.
set -eu
lock() { # NAME, then what is to be in it
    name=$1
    shift
    "$UV" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
        --custom-compile-command 'make locks' --output-file "locks/$name.txt" "$@"
}
lock build "$@" --group build
lock npm "$@" --group npm
lock release "$@" --group release --constraint locks/dev.txt
lock run "$@" pyproject.toml
lock cluster "$@" pyproject.toml --extra cluster --constraint locks/run.txt
lock dev "$@" pyproject.toml --extra dev --constraint locks/cluster.txt
lock bench "$@" pyproject.toml --extra dev --extra bench --constraint locks/dev.txt
lock fuzz "$@" pyproject.toml --extra dev --extra fuzz --constraint locks/dev.txt
