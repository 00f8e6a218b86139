"""Compilation, once per installation: announced, and shared by two processes."""

import subprocess
import sys

from numba.core import event
from numba.core.dispatcher import Dispatcher
from numba.core.sigutils import normalize_signature

from ..expr.derivatives import jets, workspace
from ..expr.elementary import wave_row
from ..expr.kernel import values
from ..fit import guards, sampson
from ..search import relations
from ..zeroset import roots
from ..zeroset.distance import project

NOTE = "compiling for this machine: about a quarter of a minute, once per installation"
LIMIT = 300  # seconds that the process for the other share may take
Share = tuple[tuple[Dispatcher, str], ...]
_PROGRAM = "int64[::1], float64[::1], float64[:, ::1]"  # codes, constants, columns
_TERMS = "float64[:, :, ::1], float64[:, :, :, ::1]"  # values, gradients
# What a search calls and with what, in an order in which the shares seldom compile the same callee.
FIRST: Share = (
    (jets, f"{_PROGRAM}, int64, int64, float64[:, :, ::1], boolean[:, ::1], float64[:, ::1]"),
    (workspace, "int64[::1], int64, int64"),
    (wave_row, "float64[::1], boolean"),
    (
        sampson.fit,
        "int64[::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64, int64, "
        "int64, float64",
    ),
    (
        relations.solved,
        "float64[:, :, ::1], float64[:, :, ::1], int16[:, ::1], int64[::1], int64, float64[:, ::1]",
    ),
    (
        relations.mean_distances,
        "float64[:, ::1], float64[:, :, ::1], int16[:, ::1], float64[:, ::1], int64[::1], int64",
    ),
)
SECOND: Share = (
    (values, _PROGRAM),
    (roots.solutions, f"{_PROGRAM}, int64, float64[::1]"),
    (project, f"{_PROGRAM}, int64, float64"),
    (relations.steepness_and_size, _TERMS),
    (relations.weigh, f"{_TERMS}, float64[:, :, ::1], {_TERMS}, float64[:, :, ::1], {_TERMS}"),
    (guards.examine, f"{_PROGRAM}, float64[:, ::1], float64[::1], float64[::1], float64"),
)


def compile_share(share: Share) -> None:
    """Compiles, or loads from disk, functions for arguments of given types."""
    for function, signature in share:
        # not the text: what is kept on disk is found by the types
        function.compile(normalize_signature(f"({signature},)")[0])


class _Start(event.Listener):
    """On the first compilation, prints :data:`NOTE` and starts a process for the other share."""

    def __init__(self):
        self.made, self.helper = False, None

    def on_start(self, event):
        if self.made:
            return
        self.made = True
        if sys.stderr.isatty():
            print(NOTE, file=sys.stderr, flush=True)
        if sys.executable:
            self.helper = subprocess.Popen(
                [sys.executable, "-m", "pie.discovery.compilation"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip

    def on_end(self, event):
        pass


def _wait_for(helper: subprocess.Popen) -> None:
    """A process that does not end in :data:`LIMIT` is stopped; what it lacks is compiled here."""
    try:
        helper.wait(LIMIT)
    except subprocess.TimeoutExpired:
        helper.kill()
        helper.wait()


def compile_all() -> None:
    """What a search calls, in two processes, and says so on a terminal; or loads it from disk."""
    start = _Start()
    with event.install_listener("numba:compile", start):
        for share in (FIRST, SECOND):
            compile_share(share)
            if start.helper is not None:
                _wait_for(start.helper)


if __name__ == "__main__":
    compile_share(SECOND)
