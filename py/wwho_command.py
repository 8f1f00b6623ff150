"""The command `wwho`, in a module of its own: Ctrl-C stops it without a traceback from here on.

Importing the package takes a tenth of a second, in which Python would answer Ctrl-C by the
traceback of an import.
"""

from __future__ import annotations

import signal


def main() -> int:
    """Run the command line of `wwho`, and return its exit code."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from wwho.cli.main import main as run

    signal.signal(signal.SIGINT, before)
    return run()
