"""The files that are served: read once, hashed, compressed with brotli, found by name only.

No request reads the disk, so none can read a file that is not among them.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import brotli

# What is served, by suffix. The system's own table of types differs between machines.
MIME_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".wwho": "application/octet-stream",
}
QUICK, BEST = 5, 11
"""Qualities of brotli: o200k_base takes 0.01 s and 770 KB, or 2 s and 696 KB."""
_PREVIEW = b'property="og:image" content="'
_LINK = re.compile(rb'\b(src|href)="([^"]+)"')


@dataclass(frozen=True)
class Content:
    """Bytes to send, and the ETag that tells them from all others."""

    data: bytes
    etag: str

    @classmethod
    def of(cls, data: bytes) -> Content:
        """Bytes with the ETag that they have."""
        return cls(data, hashlib.sha256(data).hexdigest()[:32])


@dataclass
class File:
    """A file, and the same compressed."""

    mime: str
    plain: Content
    compressed: Content = field(init=False)

    def __post_init__(self) -> None:
        """Compress it quickly."""
        self.compress(QUICK)

    def compress(self, quality: int) -> None:
        """Compress it; threads that serve it at the same time get the old or the new bytes."""
        self.compressed = Content.of(brotli.compress(self.plain.data, quality=quality))

    def content(self, *, accepts_brotli: bool) -> tuple[Content, str | None]:
        """What to send, and its Content-Encoding."""
        smaller = len(self.compressed.data) < len(self.plain.data)
        return (self.compressed, "br") if accepts_brotli and smaller else (self.plain, None)


class Site:
    """The files of some folders, by the paths under which they are served.

    Every file has two: its own, such as `page/main.js`, and one below `static/VERSION/`, where
    VERSION is a hash of all files, so that what lies there never changes.

    Attributes:
        files: by path, without a leading slash.
        opened: the pages at the top, by name, as a browser gets them that opens one.
        version: 16 hexadecimal digits.
    """

    def __init__(self, folders: Mapping[str, Path], url: str | None = None) -> None:
        """Read the files of known types.

        Args:
            folders: by the path under which each is served, such as "" and "models/".
            url: the public address of the page, which the address of its preview picture begins
                with: most programs that show previews take no relative one.
        """
        self.files: dict[str, File] = {}
        read: dict[Path, File] = {}  # a folder may be served under two paths
        for prefix, folder in folders.items():
            for path in sorted(folder.rglob("*")):
                mime = MIME_TYPES.get(path.suffix)
                if mime is None or not path.is_file() or "node_modules" in path.parts:
                    continue
                if path not in read:
                    data = path.read_bytes()
                    if url is not None and path.suffix == ".html":
                        base = html.escape(url.rstrip("/") + "/").encode()
                        data = data.replace(_PREVIEW, _PREVIEW + base)
                    read[path] = File(mime, Content.of(data))
                self.files[prefix + path.relative_to(folder).as_posix()] = read[path]
        names = "\n".join(f"{name} {file.plain.etag}" for name, file in self.files.items())
        self.version = hashlib.sha256(names.encode()).hexdigest()[:16]
        top = (name for name in self.files if name.endswith(".html") and "/" not in name)
        self.opened = {name: self._pin(self.files[name]) for name in top}

    @property
    def pinned(self) -> str:
        """The path below which files never change."""
        return f"static/{self.version}/"

    def _pin(self, file: File) -> File:
        """A page whose own scripts, styles and pictures are asked for where they never change.

        By name: `page/icon.svg` in it becomes `static/VERSION/page/icon.svg`.
        """

        def pin(link: re.Match[bytes]) -> bytes:
            target = link[2].decode("utf-8", "replace")
            return (
                b'%b="%b%b"' % (link[1], self.pinned.encode(), link[2])
                if target in self.files and not target.endswith((".html", ".webmanifest"))
                else link[0]
            )

        return File(file.mime, Content.of(_LINK.sub(pin, file.plain.data)))

    def compress_best(self) -> None:
        """Compress every file as well as brotli can, small ones first; takes some ten seconds."""
        files = {id(file): file for file in (*self.files.values(), *self.opened.values())}
        for file in sorted(files.values(), key=lambda file: len(file.plain.data)):
            file.compress(BEST)
