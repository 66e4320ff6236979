"""The page and its files: read once by the listener, packed, and named by a hash of them all.

`index.html` may change, so a browser asks for it each time. All others lie below `/static/HASH/`, where HASH is that of
all of them together: modules import each other by their names, and what a browser has kept is never a mixture of two
versions.
"""

import gzip
import hashlib
import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from telnetd.extras.web.http import Request, Response, text_response

FOLDER: Final = Path(__file__).parent / "page"
_STATIC: Final = "static/"
"""Where all but the page lies, seen from the page: it may be below a folder of a web server that passes requests on."""
_HASH_DIGITS: Final = 16
_INDEX: Final = "index.html"
_MANIFEST: Final = "manifest.webmanifest"
_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_PACKED_ALREADY: Final = frozenset({".png", ".woff2"})
_NO_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{NAME}}</title></head>
<body><h1>{{NAME}}</h1><p>The files of this page are missing. Call by telnet, and tell the sysop.</p></body></html>
"""


class PageFile(NamedTuple):
    """A file as it is sent."""

    kind: str
    body: bytes
    packed: bytes
    """By gzip; empty: that would not make it smaller."""
    tag: str
    """Its entity tag."""


class PageFiles:
    """Everything that is served by a path."""

    def __init__(self, files: Mapping[str, PageFile], index: PageFile) -> None:
        """`files` are those below `/static/`, by their whole path."""
        self.files = files
        self.index = index

    def respond(self, request: Request) -> Response:
        """Return the response to a request."""
        if request.method not in {"GET", "HEAD"}:
            return text_response(405, "Only GET and HEAD are understood.", (("Allow", "GET, HEAD"),))
        if request.path in {"/", "/" + _INDEX}:
            return _response(self.index, request, "no-cache")
        found = self.files.get(request.path)
        if found is None:
            return text_response(404, "There is nothing here.")
        return _response(found, request, "public, max-age=31536000, immutable")


def read_page(name: str, folder: Path = FOLDER, address: str = "") -> PageFiles:
    """Return the page of a BBS of this name, with all files of a folder; `address` is where browsers find it."""
    bodies = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }
    index = bodies.pop(_INDEX, _NO_PAGE.encode()).decode()
    if _MANIFEST in bodies:
        quoted = json.dumps(name)[1:-1]
        bodies[_MANIFEST] = bodies[_MANIFEST].decode().replace("{{NAME}}", quoted).encode()
    digest = hashlib.sha256()
    for path, body in bodies.items():
        digest.update(f"{path}\0{len(body)}\0".encode() + body)
    root = f"{_STATIC}{digest.hexdigest()[:_HASH_DIGITS]}/"
    page = re.sub(r"\{\{static:([^{}]+)\}\}", lambda found: html.escape(root + found[1]), index)
    page = page.replace("{{NAME}}", html.escape(name)).replace("{{ADDRESS}}", html.escape(address))
    return PageFiles(
        {f"/{root}{path}": _file(path, body) for path, body in bodies.items()}, _file(_INDEX, page.encode())
    )


def _file(path: str, body: bytes) -> PageFile:
    suffix = Path(path).suffix
    packed = b"" if suffix in _PACKED_ALREADY else gzip.compress(body, 9, mtime=0)
    kind = _KINDS.get(suffix, "application/octet-stream")
    tag = f'"{hashlib.sha256(body).hexdigest()[:_HASH_DIGITS]}"'
    return PageFile(kind, body, packed if len(packed) < len(body) else b"", tag)


def _response(file: PageFile, request: Request, caching: str) -> Response:
    headers = [("Content-Type", file.kind), ("Cache-Control", caching), ("ETag", file.tag), ("Vary", "Accept-Encoding")]
    if file.tag in request.get("if-none-match"):
        return Response(304, headers)
    if file.packed and request.accepts("gzip"):
        return Response(200, [*headers, ("Content-Encoding", "gzip")], file.packed)
    return Response(200, headers, file.body)
