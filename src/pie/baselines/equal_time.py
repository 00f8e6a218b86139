"""All methods with the same seconds for each equation."""

import functools
import time
from dataclasses import dataclass, replace

import numpy as np

from ..candidates import Discovery
from ..evaluation import Method
from ..methods import Setting
from .methods import Baselines

ENDLESS = 1_000_000_000  # generations or samples, where time is the limit


@dataclass(frozen=True)
class EqualTime:
    """All methods with so many seconds of one thread for each equation.

    Searches by generations or samples go on until time is up; *PIE* and *PIE+* search again with
    a beam twice as wide (and twice as many fits) as long as that should end in time, *PIE+* until
    a fit is exact.
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

    @property
    def methods(self) -> dict[str, Method]:
        """*PIE*, *PIE+* and every baseline by name."""
        config = self.baselines.config
        endless = replace(
            self.baselines,
            config=replace(
                config,
                genetic=replace(config.genetic, generations=ENDLESS),
                neural_guided=replace(config.neural_guided, samples=ENDLESS),
            ),
        )
        timed = {
            name: functools.partial(search, seconds=self.seconds)
            for name, search in endless.methods.items()
        }
        widened = {name: functools.partial(self._widened, name) for name in ("PIE", "PIE+")}
        return widened | timed

    def _widened(self, method: str, points: np.ndarray) -> Discovery:
        began = time.perf_counter()
        setting, last = self.setting, 0.0
        while True:
            result = setting.methods[method](points)
            now = time.perf_counter() - began
            exact = result.best is not None and result.best.contrast <= (
                setting.inference_plus.resolution
            )
            # twice the beam costs a little more than twice the time
            if exact or now + 2.5 * (now - last) > self.seconds:
                return Discovery(result.candidates, now)
            last, plus = now, setting.inference_plus
            setting = replace(
                setting,
                inference=replace(setting.inference, beam=2 * setting.inference.beam),
                inference_plus=replace(plus, beam=2 * plus.beam, fits=2 * plus.fits),
            )

    def budget(self, method: str) -> str:
        """The seconds."""
        return f"{self.seconds:g} s"

    def digest(self, method: str) -> bytes:
        """Of settings and sources."""
        contest = self.setting if method in ("PIE", "PIE+") else self.baselines
        return contest.digest(method) + self.budget(method).encode()
