"""*PIE+*: what goes beyond the paper, beside Algorithm 2.

A wide beam over several views of the points, Sampson fits from several starts with guards,
ranking by error *and* complexity, then refinement around the best candidates.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .canonical import NoZeroSet, canonical
from .constants import Fit, fit_sampson
from .discovery import Candidate, Discovery, check_points, merged, skeletons
from .expression import Expression
from .model import PIE
from .refinement import neighbours, spliced
from .views import VIEWS, View, views_of


@dataclass(frozen=True)
class PlusConfig:
    """Settings of *PIE+*."""

    beam: int = 128  # skeletons per view
    samples: int = 0  # skeletons drawn at random beside the beam
    views: tuple[str, ...] = VIEWS
    starts: int = 48  # constants screened per skeleton
    max_iterations: int = 40  # of each descent
    resolution: float = 1e-9  # contrasts below this are equal: exact fits
    constant_cost: float = 4.0  # of a constant, in units of N·ln(contrast)
    token_cost: float = 1.5  # of a token
    rounds: int = 2  # of refinement; none once a fit is exact
    parents: int = 6  # candidates refined in each round
    returned: int = 20  # candidates
    seed: int = 0

    def __post_init__(self):
        for name in ("beam", "samples", "rounds"):
            if getattr(self, name) < 0:
                raise ValueError(f"inference_plus.{name} is {getattr(self, name)}; expected ≥ 0")
        for name in ("starts", "parents", "returned"):
            if getattr(self, name) < 1:
                raise ValueError(
                    f"inference_plus.{name} is {getattr(self, name)}; expected at least 1"
                )
        if self.beam + self.samples < 1:
            raise ValueError("inference_plus.beam and .samples are both 0; nothing to decode")
        for name in self.views:
            if name not in VIEWS:
                raise ValueError(
                    f"inference_plus.views holds {name!r}; known are {', '.join(VIEWS)}"
                )


@dataclass(frozen=True)
class _Found:
    """A fit in one of the views."""

    view: View
    fit: Fit
    log_probability: float

    @property
    def skeleton(self) -> tuple:
        return self.view.name, self.fit.expression.codes


def cost(fit: Fit, n_points: int, config: PlusConfig) -> float:
    """N·ln(contrast) plus a price for every constant and token; inf for a fit that failed."""
    if not np.isfinite(fit.fitness):
        return np.inf
    codes, constants = fit.expression.codes, fit.expression.constants
    return (
        n_points * np.log(max(fit.contrast, config.resolution))
        + config.constant_cost * len(constants)
        + config.token_cost * len(codes)
    )


def in_user_coordinates(view: View, expression: Expression) -> Expression:
    """What was found in a view, in canonical form, constants within 1e-7 of 0 or ±1 dropped."""
    moved = view.back(expression)
    try:
        form = canonical(moved)
        near = np.round(form.constants)
        close = np.isclose(form.constants, near, rtol=0.0, atol=1e-7) & (np.abs(near) <= 1.0)
        rounded = np.where(close & (near != 0.0), near, form.constants)
        return canonical(form.with_constants(rounded))
    except NoZeroSet:
        return moved


class _Search:
    """Everything fitted so far, by view and skeleton."""

    def __init__(self, points: np.ndarray, views: list[View], config: PlusConfig, workers: int):
        self.clouds = {view.name: view.of(points) for view in views}
        self.config, self.workers = config, workers
        self.found: dict[tuple, _Found] = {}

    def _order(self, found: _Found) -> tuple[float, float]:
        cloud = self.clouds[found.view.name]
        return cost(found.fit, len(cloud), self.config), -found.log_probability

    def ranked(self) -> list[_Found]:
        """Cheapest first."""
        return sorted(self.found.values(), key=self._order)

    def add(self, view: View, expressions: list[Expression], probabilities: list[float], **how):
        """Fit skeletons in a view and keep them."""
        fits = fit_sampson(
            expressions, self.clouds[view.name], max_iterations=self.config.max_iterations,
            seed=self.config.seed, workers=self.workers, **how,
        )  # fmt: skip
        for fit, log_probability in zip(fits, probabilities, strict=True):
            found = _Found(view, fit, log_probability)
            known = self.found.get(found.skeleton)
            if known is None or self._order(found) < self._order(known):
                self.found[found.skeleton] = found

    def exact(self) -> bool:
        """Whether some fit is exact up to rounding."""
        return any(
            np.isfinite(f.fit.fitness) and f.fit.contrast <= self.config.resolution
            for f in self.found.values()
        )

    def refine(self) -> None:
        """One round: fit what is one change away from the best candidates."""
        parents = self.ranked()[: self.config.parents]
        for name in self.clouds:
            of_view = [p for p in parents if p.view.name == name]
            fresh: dict[tuple, Expression] = {}
            for parent in of_view:
                for changed in self._changed(parent, of_view):
                    if (name, changed.codes) not in self.found:
                        fresh.setdefault(changed.codes, changed)
            if fresh:
                least = min(p.log_probability for p in of_view) - 10.0
                self.add(of_view[0].view, list(fresh.values()), [least] * len(fresh),
                         n_starts=8, descents=2, warm=True)  # fmt: skip

    def _changed(self, parent: _Found, others: Iterable[_Found]) -> Iterable[Expression]:
        d = self.clouds[parent.view.name].shape[1]
        drafts = list(neighbours(parent.fit.expression, d))
        for other in others:
            drafts += spliced(parent.fit.expression, other.fit.expression)
        for draft in drafts:
            try:
                form = canonical(draft)
            except NoZeroSet:
                continue
            if len(form.variables) == d:
                yield form


def discover_plus(
    model: PIE, points: np.ndarray, config: PlusConfig = PlusConfig(), workers: int = 1
) -> Discovery:
    """Candidates of *PIE+*, best first, in the user's coordinates.

    Args:
        model: a pre-trained network.
        points: (N, D), D ≤ D_max.
        config: views, beam, fits, prices and refinement.
        workers: threads that fit constants.

    Returns:
        Candidates ranked by N·ln(contrast) plus the price of constants and tokens, in the view in
        which they were found. A candidate's fitness is minus its orthogonal root mean square
        error in that view.

    Raises:
        ValueError: points that cannot be used, quoting them.
    """
    points = check_points(points, model.config.max_variables, any_scale=True)
    began = time.perf_counter()
    views = views_of(points, config.views)
    search = _Search(points, views, config, workers)
    decoded = skeletons(
        model, [search.clouds[v.name] for v in views], config.beam, config.samples, config.seed
    )
    for view, hypotheses in zip(views, decoded, strict=True):
        kept = merged(hypotheses)
        search.add(view, [s for s, _ in kept], [p for _, p in kept], n_starts=config.starts)
    for _ in range(config.rounds):
        if search.exact():
            break
        search.refine()
    candidates = []
    for found in search.ranked()[: config.returned]:
        fit = found.fit
        candidates.append(
            Candidate(
                in_user_coordinates(found.view, fit.expression),
                fit.fitness,
                found.log_probability,
                fit.status,
                fit.error,
                fit.contrast,
            )  # fmt: skip
        )
    return Discovery(tuple(candidates), time.perf_counter() - began)
