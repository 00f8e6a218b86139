"""Compilation, once per installation, is announced."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from numba.core import event

NOTE = "compiling for this machine: half a minute to a minute, once per installation (pie warm-up)"


class _Announcement(event.Listener):
    """Prints :data:`NOTE` on the first compilation."""

    def __init__(self):
        self.made = False

    def on_start(self, event):
        if not self.made and sys.stderr.isatty():
            print(NOTE, file=sys.stderr, flush=True)
        self.made = True

    def on_end(self, event):
        pass


@contextmanager
def announced() -> Iterator[None]:
    """Says on a terminal that something is compiled, if it is."""
    with event.install_listener("numba:compile", _Announcement()):
        yield
