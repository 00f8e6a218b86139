"""The pre-training corpus: item k is a function of (seed, k) alone.

Any worker can make any range, in any order, with the same result. Training reads shards of
consecutive items; files on disk are only a cache.
"""

import functools
import itertools
import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from ..expr.canonical import NoZeroSet, canonical
from ..expr.expression import Expression, from_tree
from ..expr.operators import BY_NAME
from ..expr.vocabulary import encode
from ..files import whole
from ..sources import digest_of
from .generator import GeneratorConfig, random_tree
from .mixture import FEWEST, MixtureConfig, presented, random_equation, random_points
from .sampling import Unsampled, paper_points

SHARD_SIZE = 2048


@dataclass(frozen=True)
class CorpusConfig:
    """How a training pair is made: equation, N points, skeleton (Section 3.2)."""

    seed: int = 0
    n_points: int = 200
    max_tokens: int = 40
    max_trials: int = 4
    canonical_skeletons: bool = True
    generator: GeneratorConfig = field(default_factory=GeneratorConfig)
    mixture: MixtureConfig = field(default_factory=MixtureConfig)

    def __post_init__(self):
        least = FEWEST if self.mixture.share > 0.0 else 3
        if self.n_points < least:
            raise ValueError(f"corpus.n_points is {self.n_points}; expected at least {least}")


@dataclass(frozen=True)
class Item:
    """A training pair: equation as drawn, target expression, and points (N, D) on it."""

    equation: Expression
    target: Expression
    points: np.ndarray


class Statistics(NamedTuple):
    """Counts over a range of items: rejected candidates by reason, operators, skeletons."""

    items: int
    seconds: float
    dropped: Counter
    operators: Counter
    skeletons: Counter


class _Dropped(ValueError):
    """The candidate is rejected; the message is the reason that is counted."""


class HeldOut:
    """Equations excluded from the corpus, under every permutation of their variables.

    ``form in held_out`` compares canonical forms: same skeleton, and each constant within the
    relative ``tolerance`` of that of a held-out equation in its own canonical form. A near copy
    of which the canonical form has another skeleton is not held out, as with 1.005·x1 for x1.
    """

    def __init__(self, equations: Sequence[Expression] = (), tolerance: float = 1e-2):
        self._tolerance = tolerance
        self._by_codes: dict[tuple[int, ...], list[np.ndarray]] = {}
        for equation in equations:
            for order in itertools.permutations(equation.variables):
                form = canonical(_renamed(equation, order))
                self._by_codes.setdefault(form.codes, []).append(np.array(form.constants))

    def __repr__(self) -> str:
        held = sorted((k, [tuple(c.tolist()) for c in v]) for k, v in self._by_codes.items())
        return f"HeldOut({held!r}, {self._tolerance!r})"

    def __contains__(self, form: Expression) -> bool:
        mine = np.array(form.constants)
        return any(
            np.all(np.abs(mine - held) <= self._tolerance * np.abs(held))
            for held in self._by_codes.get(form.codes, ())
        )


def _renamed(equation: Expression, names: Iterable[int]) -> Expression:
    """The equation with other ``names`` for its variables, in their order."""
    new = dict(zip(equation.variables, names, strict=True))
    return Expression(tuple(new.get(code, code) for code in equation.codes), equation.constants)


class Corpus:
    """Training pairs by index: ``Corpus(config, held_out)[k]`` is an :class:`Item`."""

    def __init__(self, config: CorpusConfig = CorpusConfig(), held_out: HeldOut = HeldOut()):
        self.config = config
        self.held_out = held_out

    def __getitem__(self, k: int) -> Item:
        return self.draw(k)[0]

    def draw(self, k: int) -> tuple[Item, Counter]:
        """Item k, and the number of candidates rejected for it, by reason."""
        config = self.config
        rng = np.random.Generator(np.random.Philox(key=[config.seed, k]))
        dropped: Counter = Counter()
        mixed = config.mixture.share > 0.0 and rng.random() < config.mixture.share
        draw = self._draw_mixed if mixed else self._draw_paper
        while True:
            try:
                return draw(rng), dropped
            except _Dropped as reason:
                dropped[str(reason)] += 1
            except Unsampled as reason:
                vary = "vary" in str(reason)
                dropped["a coordinate does not vary" if vary else "too few points"] += 1

    def _draw_paper(self, rng: np.random.Generator) -> Item:
        config = self.config
        equation = from_tree(random_tree(rng, config.generator))
        n_variables = len(equation.variables)
        if n_variables < 2:
            raise _Dropped("fewer than two variables")
        equation = _renamed(equation, range(1, n_variables + 1))
        target = self._target(equation)
        points = paper_points(equation, config.n_points, rng, config.max_trials)
        return Item(equation, target, points)

    def _draw_mixed(self, rng: np.random.Generator) -> Item:
        config = self.config
        equation, box = random_equation(rng, config.mixture, config.generator)
        if len(equation.variables) < len(box.low):
            raise _Dropped("fewer variables than asked for")
        self._target(equation)  # first, because sampling costs more
        points = random_points(equation, config.n_points, box, rng, config.mixture)
        equation, points = presented(equation, points, rng, config.mixture)
        return Item(equation, self._target(equation), points)

    def _target(self, equation: Expression) -> Expression:
        """The expression the network learns to write; _Dropped if it is not allowed."""
        config = self.config
        try:
            form = canonical(equation)
        except NoZeroSet:
            raise _Dropped("no zeros by its form") from None
        target = form if config.canonical_skeletons else equation
        if form.variables != equation.variables:
            raise _Dropped("a variable cancels")
        if len(target.codes) > config.max_tokens:
            raise _Dropped("too long")
        if not all(1e-3 <= abs(c) <= 1e3 for c in form.constants):
            raise _Dropped("a constant beyond 1e±3")
        if form in self.held_out:
            raise _Dropped("held out for testing")
        return target

    def arrays(self, start: int, stop: int) -> dict[str, np.ndarray]:
        """Items start … stop−1 as network input, zero padded.

        ``points`` (n, N, D_max) float16 and ``tokens`` (n, L) uint8, without start and end tokens.
        """
        config = self.config
        n, d = stop - start, config.generator.max_variables
        points = np.zeros((n, config.n_points, d), np.float16)
        tokens = np.zeros((n, config.max_tokens), np.uint8)
        for row, k in enumerate(range(start, stop)):
            item = self[k]
            points[row, :, : item.points.shape[1]] = item.points
            encoded = encode(item.target.codes)
            tokens[row, : len(encoded)] = encoded
        return {"points": points, "tokens": tokens}

    def shard(self, index: int, cache: Path | None = None) -> dict[str, np.ndarray]:
        """Items [2048·index, 2048·(index+1)), read from or else written to ``cache``."""
        path = self.shard_path(index, cache) if cache else None
        if path and path.exists():
            with np.load(path) as stored:
                return dict(stored)
        arrays = self.arrays(index * SHARD_SIZE, (index + 1) * SHARD_SIZE)
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole(path) as partial, open(partial, "wb") as file:
                np.savez(file, **arrays)
        return arrays

    def digest(self) -> str:
        """Short hash of all that determines the items; names the cache folder."""
        settings = (json.dumps(asdict(self.config), sort_keys=True), self.held_out)
        return digest_of(["data.corpus"], settings).hex()[:12]

    def shard_path(self, index: int, cache: Path) -> Path:
        return Path(cache) / self.digest() / f"shard-{index:05d}.npz"

    def fill_cache(self, shards: Iterable[int], cache: Path, workers: int = 2) -> None:
        """Make the missing shards in parallel processes; ValueError for less than one."""
        if workers < 1:
            raise ValueError(f"workers is {workers}; expected at least 1 to fill the cache")
        missing = [i for i in shards if not self.shard_path(i, cache).exists()]
        if missing:
            with multiprocessing.get_context("spawn").Pool(workers) as pool:
                made = pool.imap_unordered(functools.partial(self._cache_shard, cache), missing)
                list(tqdm(made, total=len(missing), unit="shard", disable=None))

    def _cache_shard(self, cache: Path, index: int) -> None:
        self.shard(index, cache)  # the arrays are not sent back

    def statistics(self, start: int, stop: int) -> Statistics:
        """Counts over items start … stop−1 and over candidates rejected for them."""
        dropped, operators, skeletons = Counter(), Counter(), Counter()
        began = time.perf_counter()
        for k in range(start, stop):
            item, reasons = self.draw(k)
            dropped.update(reasons)
            operators.update(t for t in item.equation.tokens if t in BY_NAME)
            skeletons[item.target.tokens] += 1
        seconds = time.perf_counter() - began
        return Statistics(stop - start, seconds, dropped, operators, skeletons)
