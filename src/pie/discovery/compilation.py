"""Compilation, once per installation: announced, and shared by two processes."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module

from numba.core import event
from numba.core.sigutils import normalize_signature

NOTE = "compiling for this machine: about a quarter of a minute, once per installation"
_PROGRAM = "int64[::1], float64[::1], float64[:, ::1]"  # codes, constants, columns
# What a search calls, in an order in which the shares seldom compile the same callee.
FIRST = {
    "expr.derivatives.jets": f"{_PROGRAM}, int64, int64, float64[:, :, ::1], boolean[:, ::1], "
    "float64[:, ::1]",
    "expr.kernel.stack_depth": "int64[::1]",
    "expr.elementary.wave_row": "float64[::1], boolean",
    "fit.sampson.fit": "int64[::1], float64[:, ::1], float64[:, ::1], float64[::1], "
    "float64, int64, int64, float64",
    "search.relations._solved": "float64[:, :, ::1], float64[:, :, ::1], int64[:, ::1], "
    "int64[::1], int64, float64[:, ::1]",
    "search.relations._errors": "float64[::1, :], float64[:, :, :], int64[:, ::1], "
    "float64[:, ::1], int64",
}
SECOND = {
    "expr.kernel.values": _PROGRAM,
    "zeroset.crossings._zeros_on_lines": f"{_PROGRAM}, int64, float64[::1]",
    "zeroset.roots._solutions": f"{_PROGRAM}, int64, float64[::1]",
    "zeroset.roots._tested": "float64[::1], float64[::1], float64[::1]",
    "zeroset.distance.project": f"{_PROGRAM}, int64",
    "fit.guards.examine": f"{_PROGRAM}, float64[:, ::1], float64[::1], float64",
}


def declared(share: Mapping[str, str]) -> Iterator[tuple]:
    """Compiled functions and the types of their arguments."""
    for name, signature in share.items():
        module, _, function = name.rpartition(".")
        # not the text: what is kept on disk is found by the types
        types, _ = normalize_signature(f"({signature},)")
        yield getattr(import_module(f"pie.{module}"), function), types


class _Start(event.Listener):
    """On the first compilation, prints :data:`NOTE` and starts a process for the other share."""

    def __init__(self):
        self.made, self.helper = False, None

    def on_start(self, event):
        if not self.made and sys.stderr.isatty():
            print(NOTE, file=sys.stderr, flush=True)
        if not self.made and sys.executable:
            self.helper = subprocess.Popen(
                [sys.executable, "-m", "pie.discovery.compilation"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        self.made = True

    def on_end(self, event):
        pass


def compile_all() -> None:
    """What a search calls, in two processes, and says so on a terminal; or loads it from disk."""
    start = _Start()
    with event.install_listener("numba:compile", start):
        for function, types in declared(FIRST):
            function.compile(types)
        if start.helper is not None:
            start.helper.wait()
        for function, types in declared(SECOND):
            function.compile(types)


if __name__ == "__main__":
    for function, types in declared(SECOND):
        function.compile(types)
