"""All methods with the same seconds for each equation."""

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

ENDLESS = 1_000_000_000  # generations or samples, where time is the limit
NARROW = 8  # times narrower is the first beam


@dataclass(frozen=True)
class EqualTime:
    """All methods with so many seconds of one thread for each equation.

    Searches by generations or samples go on until time is up. *PIE* and *PIE+* begin with an eighth
    of their beam and search again with twice as many as long as that should end in time, or until a
    fit is exact. Compiled code and weights are loaded before the clock starts.
    """

    setting: Setting
    baselines: Baselines
    seconds: float

    def __post_init__(self):
        if not self.seconds > 0.0:
            raise ValueError(f"seconds is {self.seconds}; expected a positive number")

    @property
    def seed(self) -> int:
        """Of the metrics."""
        return self.setting.seed

    def _scaled(self, factor: float) -> Setting:
        """PIE and PIE+ with so many times their beam."""
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
        """*PIE*, *PIE+* and every baseline by name."""
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
            # twice the beam costs a little more than twice the time
            if exact or now + 2.5 * (now - last) > seconds:
                return Discovery(result.candidates, now)
            last, factor = now, 2.0 * factor

    def budget(self, method: str) -> str:
        """The seconds."""
        return f"{self.seconds:g} s"

    def digest(self, method: str) -> bytes:
        """Of settings and sources."""
        contest = self.setting if part_of(method) != "baselines" else self.baselines
        own = digest_of(["experiments.equal_time"], self.seconds, (), OTHERS[part_of(method)])
        return contest.digest(method) + own


_WARM: set[str] = set()  # methods that ran in this process
_CLOUD = np.column_stack([np.linspace(0.5, 2.0, 20), 1.0 / np.linspace(0.5, 2.0, 20)])
