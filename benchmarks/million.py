"""Making a range of the corpus in several processes, nothing stored; its time and memory."""

import multiprocessing
import os
import resource
import time
from pathlib import Path

from tqdm import tqdm

from pie.data.corpus import Corpus, CorpusConfig

CHUNK = 2048


def peak_memory() -> int:
    """Peak memory of this process in kB.

    ``ru_maxrss`` of a started process begins at its parent's; Linux's own record does not.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _make(job: tuple[CorpusConfig, int, int]) -> tuple[int, int, int]:
    config, start, stop = job
    made = len(Corpus(config).arrays(start, stop)["tokens"])
    return made, os.getpid(), peak_memory()


def make(config: CorpusConfig, n_equations: int, workers: int) -> tuple[float, float]:
    """Minutes, and the sum of the workers' peak memories in GB; start-up is not counted."""
    jobs = [
        (config, start, min(start + CHUNK, n_equations)) for start in range(0, n_equations, CHUNK)
    ]
    peaks: dict[int, int] = {}
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        pool.map(_make, [(config, 0, 64)] * workers, chunksize=1)  # start-up and compiled code
        began = time.perf_counter()
        done = 0
        bar = tqdm(total=n_equations, unit="equation", disable=None)
        for made, process, peak in pool.imap_unordered(_make, jobs):
            done += made
            peaks[process] = peak
            bar.update(made)
        minutes = (time.perf_counter() - began) / 60.0
        bar.close()
    if done != n_equations:
        raise RuntimeError(f"{done} equations were made; expected {n_equations}")
    return minutes, sum(peaks.values()) / 2**20
