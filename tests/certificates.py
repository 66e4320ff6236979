"""Certificates for tests, made by the program openssl when a test wants one, and what clients of TLS want to know."""

import shutil
import ssl
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="the program openssl is not installed")

CURVE = "ec -pkeyopt ec_paramgen_curve:prime256v1"


class Files(NamedTuple):
    """A certificate and its key, each in a file of PEM."""

    cert: Path
    key: Path


def make_certificate(folder: Path, name: str = "bbs.test", *, password: str = "", algorithm: str = CURVE) -> Files:
    """Make a self-signed certificate of this name in two files; the key has a password if one is given."""
    files = Files(folder / f"{name}.crt", folder / f"{name}.key")
    command = f"openssl req -x509 -days 2 -newkey {algorithm} -subj /CN={name} -addext subjectAltName=DNS:{name}"
    secret = ["-passout", f"pass:{password}"] if password else ["-nodes"]
    subprocess.run(
        [*command.split(), "-keyout", files.key, "-out", files.cert, *secret], check=True, capture_output=True
    )
    return files


def client_context(trusted: Path, *, version: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    """Return the context of a client that trusts this certificate alone, and speaks one version if one is named."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(trusted)
    if version is not None:
        context.minimum_version = context.maximum_version = version
    return context


def client_hello() -> bytes:
    """Return the first record of an ordinary client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    heard, said = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(heard, said, server_hostname="bbs.test").do_handshake()
    except ssl.SSLWantReadError:
        pass
    return said.read()
