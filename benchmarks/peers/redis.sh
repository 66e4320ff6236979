#!/bin/sh
# redis.sh FOLDER PROGRAM: fetch redis-server from Debian's packages, without installing it: no root, no service.
# The packages and what is in them go to FOLDER; PROGRAM becomes a script that runs it with the libraries it came with.
set -eu

folder=$1 program=$2
mkdir -p "$folder"
cd "$folder"
folder=$PWD
cd "$OLDPWD"

(
    cd "$folder"
    apt-get download --quiet redis-server redis-tools libatomic1 libjemalloc2 liblzf1
    for package in *.deb; do
        dpkg-deb --extract "$package" .
    done
)
libraries=$(dirname "$(find "$folder" -name 'libjemalloc.so*' | head -n 1)")
cat > "$program" <<END
#!/bin/sh
LD_LIBRARY_PATH='$libraries' exec '$folder/usr/bin/redis-server' "\$@"
END
chmod +x "$program"
"$program" --version || { rm "$program"; exit 1; }
