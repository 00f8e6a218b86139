"""All methods with the same time per equation."""

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..baselines.methods import Baselines
from ..search.candidates import Discovery, Method
from ..sources import digest_of
from .methods import Setting
from .parts import OTHERS, part_of

ENDLESS = 1_000_000_000  # generations or samples: no limit but time
NARROW = 8  # factor by which the first beam is narrower


@dataclass(frozen=True)
class EqualTime:
    """All methods with ``seconds`` of one thread per equation: a Contest.

    Baselines run without a limit of generations or samples. *PIE* and *PIE+* start with an eighth
    of their beam and double it until a fit is exact or the next search would take too long.
    Compiled code and weights are loaded before the clock starts.
    """

    setting: Setting
    baselines: Baselines
    seconds: float

    def __post_init__(self):
        if not self.seconds > 0.0:
            raise ValueError(f"seconds is {self.seconds}; expected a positive number")

    @property
    def seed(self) -> int:
        return self.setting.seed

    def _scaled(self, factor: float) -> Setting:
        inference, plus = (
            replace(config, beam=max(1, round(factor * config.beam)))
            for config in (self.setting.inference, self.setting.inference_plus)
        )
        return replace(self.setting, inference=inference, inference_plus=plus)

    def _endless(self) -> Baselines:
        gp = replace(self.baselines.config.genetic, generations=ENDLESS)
        dso = replace(self.baselines.config.neural_guided, samples=ENDLESS)
        config = replace(self.baselines.config, genetic=gp, neural_guided=dso)
        return replace(self.baselines, config=config)

    @property
    def methods(self) -> dict[str, Method]:
        searches = {name: functools.partial(self._widened, name) for name in ("PIE", "PIE+")}
        searches |= self._endless().methods
        return {name: functools.partial(self._timed, name, s) for name, s in searches.items()}

    def _timed(self, name: str, search: Callable[..., Discovery], points: np.ndarray) -> Discovery:
        if name not in _WARM:
            search(_CLOUD, seconds=1e-3)
            _WARM.add(name)
        return search(points, seconds=self.seconds)

    def _widened(self, method: str, points: np.ndarray, seconds: float) -> Discovery:
        began, last, factor = time.perf_counter(), 0.0, 1.0 / NARROW
        while True:
            result = self._scaled(factor).methods[method](points)
            now = time.perf_counter() - began
            resolution = self.setting.inference_plus.prices.resolution
            exact = result.best is not None and result.best.contrast <= resolution
            # double the beam takes a little more than double the time
            if exact or now + 2.5 * (now - last) > seconds:
                return Discovery(result.candidates, now)
            last, factor = now, 2.0 * factor

    def budget(self, method: str) -> str:
        return f"{self.seconds:g} s"

    def digest(self, method: str) -> bytes:
        contest = self.setting if part_of(method) != "baselines" else self.baselines
        stop = self.setting.inference_plus.prices.resolution  # of PIE, too
        own = digest_of(["experiments.equal_time"], (self.seconds, stop), (), OTHERS[part_of(method)])
        return contest.digest(method) + own


_WARM: set[str] = set()  # methods that ran in this process already
_CLOUD = np.column_stack([np.linspace(0.5, 2.0, 20), 1.0 / np.linspace(0.5, 2.0, 20)])
