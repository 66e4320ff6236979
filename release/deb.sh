#!/bin/sh
# Build the Debian package of this checkout: `make deb`. It has the program and its packages, at the locked versions, in
# /opt/yawc, for the Python that $SYSTEM_PYTHON is, a system's own. Two builds of one commit give the same bytes.
#
#     sh release/deb.sh ENVIRONMENT FOLDER     # the environment that builds, and where the package is put
set -eu
here=$1
out=$2
SYSTEM_PYTHON=${SYSTEM_PYTHON:-/usr/bin/python3}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH PYTHONHASHSEED=0
version=${VERSION:-$("$here/bin/python" -c 'from importlib.metadata import version; print(version("yawc-poker"))')}
has=$("$SYSTEM_PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
next=$("$SYSTEM_PYTHON" -c 'import sys; print("%d.%d" % (sys.version_info[0], sys.version_info[1] + 1))')
architecture=$(dpkg --print-architecture)
stage=$(mktemp -d)
wheels=$stage.wheels builder=$stage.builder
trap 'rm -rf "$stage" "$wheels" "$builder"' EXIT
umask 022
chmod 755 "$stage"

# The wheels: ours, and those that are locked; made by the Python that they are for. sysv_ipc is compiled for its
# deadlines, here and now: from a folder with a random name, which debugging information would bring into the build id.
"$SYSTEM_PYTHON" -m venv "$builder"
pip="$builder/bin/python -m pip --quiet --disable-pip-version-check"
$pip install --require-hashes --requirement locks/build.txt
$pip wheel --no-deps --no-build-isolation --wheel-dir "$wheels" .
CC='cc -D_GNU_SOURCE' CFLAGS=-g0 $pip wheel --no-cache-dir --require-hashes --no-deps --no-build-isolation \
    --no-binary sysv_ipc --wheel-dir "$wheels" --requirement locks/run.txt

# The environment, as it is at its place.
"$SYSTEM_PYTHON" -m venv --without-pip --symlinks "$stage/opt/yawc"
$pip --python "$stage/opt/yawc/bin/python" install --no-index --no-deps --no-compile "$wheels"/*.whl
"$stage/opt/yawc/bin/python" locks/door.py
find "$stage/opt/yawc" \( -name direct_url.json -o -name RECORD \) -delete  # dpkg knows what is whose
find "$stage/opt/yawc" -name '*.so' -exec strip --strip-unneeded {} +
grep -rlIF "$stage" "$stage/opt/yawc" | xargs --no-run-if-empty sed -i "s|$stage||g"
rm -f "$stage"/opt/yawc/bin/activate* "$stage"/opt/yawc/bin/Activate*
PYTHONDONTWRITEBYTECODE= "$SYSTEM_PYTHON" -m compileall -q --invalidation-mode unchecked-hash -s "$stage" "$stage/opt/yawc/lib"

# Where a system looks for things.
"$here/bin/python" -m release.manual "$stage/usr/share"
find "$stage/usr/share/man" -type f -exec gzip -9n {} +
install -d "$stage/usr/bin" "$stage/usr/sbin" "$stage/usr/share/doc/yawc-poker" "$stage/etc/yawc" \
    "$stage/usr/lib/systemd/system" "$stage/usr/lib/sysusers.d" "$stage/DEBIAN"
for program in yawc-poker yawc-maumau yawc-door; do
    ln -s "/opt/yawc/bin/$program" "$stage/usr/bin/$program"
done
ln -s /opt/yawc/bin/yawc-telnetd "$stage/usr/sbin/yawc-telnetd"
install -m 755 deploy/yawcctl "$stage/usr/sbin/yawcctl"
install -m 644 deploy/yawc-*.service deploy/yawc-*.socket "$stage/usr/lib/systemd/system"
install -m 644 deploy/sysusers.d/yawc.conf "$stage/usr/lib/sysusers.d/yawc.conf"
install -m 644 deploy/yawc.toml "$stage/etc/yawc/yawc.toml"
install -m 644 README.md docs/*.md "$stage/usr/share/doc/yawc-poker"
cp -r deploy/avahi deploy/closing deploy/webhook "$stage/usr/share/doc/yawc-poker"
install -m 644 LICENSE "$stage/usr/share/doc/yawc-poker/copyright"
gzip -9nc CHANGELOG.md >"$stage/usr/share/doc/yawc-poker/changelog.gz"

echo /etc/yawc/yawc.toml >"$stage/DEBIAN/conffiles"
install -m 755 release/debian/postinst release/debian/prerm release/debian/postrm "$stage/DEBIAN"
cat >"$stage/DEBIAN/control" <<CONTROL
Package: yawc-poker
Version: $version
Architecture: $architecture
Maintainer: The sysops of YAWC Poker <sysop@localhost>
Installed-Size: $(du -sk --apparent-size "$stage" | cut -f1)
Depends: python3 (>= $has), python3 (<< $next), libc6, systemd
Recommends: telnet | inetutils-telnet
Section: games
Priority: optional
Description: BBS casino over telnet: poker, Mau-Mau, Doppelkopf, Offiziersskat
 Callers come by telnet, in a browser or over ssh, and play at tables in shared
 memory, each in a process of their own. Play money, a ledger that is never
 wrong, deals that everybody can prove, and house players when nobody is there.
CONTROL
(cd "$stage" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$stage" -depth -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$out"
dpkg-deb --root-owner-group -Zxz --build "$stage" "$out/yawc-poker_${version}_$architecture.deb"
