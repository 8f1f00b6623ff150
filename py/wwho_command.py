"""The command `wwho`, in a module of its own: Ctrl-C stops it without a traceback from here on.

Importing the package takes a tenth of a second, in which Python would answer Ctrl-C by the
traceback of an import.
"""

from __future__ import annotations

import signal
from collections.abc import Callable


def main() -> int:
    """Run the command line of `wwho`, and return its exit code.

    Ctrl-C raises KeyboardInterrupt while the command runs, so that it leaves no file half written.
    Before and after, Ctrl-C ends the process at once: this is for a process that does nothing else.
    """
    answer_interrupts(signal.SIG_DFL)
    from wwho.cli.main import main as run

    try:
        try:
            answer_interrupts(signal.default_int_handler)
            return run()
        finally:
            answer_interrupts(signal.SIG_DFL)
    except KeyboardInterrupt:  # just before the command listened, or just after
        return 130


def answer_interrupts(handler: signal.Handlers | Callable[..., object]) -> None:
    """Set what answers Ctrl-C, `signal.SIG_DFL` or a function, unless the process ignores it."""
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)
