"""The versions that decide what works together."""

from __future__ import annotations

from wwho.backends.header import VERSION_MAJOR, VERSION_MINOR
from wwho.format.layout import VERSION
from wwho.version import __version__


def versions() -> dict[str, str]:
    """Return the versions of the package, of the core's interface, and of the artifacts' format.

    The keys are "package", "core" and "format". An artifact of another format is refused; programs
    in C need the core of the major version that they were compiled for.
    """
    return {
        "package": __version__,
        "core": f"{VERSION_MAJOR}.{VERSION_MINOR}",
        "format": str(VERSION),
    }
