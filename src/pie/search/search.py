"""The search of *PIE+* in the views of a cloud: everything fitted so far, and what to fit next.

Sampson fits of skeletons from several starts, exact linear relations in dictionaries and of one
function more beside simple terms, level sets, sparse relations among simple terms, whole
polynomials less what the points do not ask for, then refinement around the best candidates until a
fit is exact or the rounds end.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..expr.canonical import canonical
from ..expr.coordinates import in_units
from ..expr.expression import Expression, Tree
from ..expr.terms import monomials, terms_of
from ..fit.constants import Fit
from ..fit.sampson_fits import fit_sampson
from ..fit.uncertainty import simplified
from .amplitudes import modulated
from .completion import logarithms, relations, separable, whole
from .composites import composites
from .dictionary import dictionaries, exact_relation
from .level_sets import laws
from .refinement import neighbours, simpler, spliced
from .views import VIEWS, View

GAIN = 3.0  # in cost, for which a round was worth it
FEW = 20  # points, for the choice of what to refine
UNLIKELY = -100.0  # log-probability given to what the network did not write


@dataclass(frozen=True)
class PlusConfig:
    """Settings of *PIE+*."""

    beam: int = 128  # skeletons per view
    samples: int = 0  # skeletons drawn at random beside the beam
    views: tuple[str, ...] = VIEWS
    starts: int = 48  # constants screened per skeleton
    max_iterations: int = 40  # of each descent
    far: float = 0.3  # of the spread: a point much farther counts as this; inf = least squares
    resolution: float = 1e-8  # contrasts below this are equal: exact fits
    constant_cost: float = 4.0  # of a constant, in units of N·ln(contrast)
    token_cost: float = 1.5  # of a token
    sheet_cost: float = 2.0  # of zeros that are e times as near to any point
    crossing_cost: float = 10.0  # of e times as many zeros on lines through the points
    whole_numbers: bool = True  # in exact fits, no price for numbers up to 5 and one over these
    branch_cost: float = 2.0  # of one branch instead of the whole; inf = no branches
    planes: bool = True  # points on coordinate planes are set aside
    degree: int = 4  # of the monomials that are completed linearly, one less for three variables;
    # 0: none, and neither dictionaries, composites nor level sets
    dictionaries: bool = True  # relations that are exact among a hundred terms are looked up
    composites: bool = True  # and those of one function more, or of one with factors
    level_sets: bool = True  # points on many level sets of one function are told from others
    rounds: int = 5  # of refinement; none once a fit is exact
    longest: int = 30  # tokens of what refinement fits
    parents: int = 6  # candidates refined in each round, each candidate once
    fits: int = 1600  # at most, those of the beam among them; linear relations come on top
    returned: int = 20  # candidates
    seed: int = 0

    def __post_init__(self):
        for name in ("beam", "samples", "rounds", "degree"):
            if getattr(self, name) < 0:
                raise ValueError(f"inference_plus.{name} is {getattr(self, name)}; expected ≥ 0")
        if not self.far > 0.0:
            raise ValueError(f"inference_plus.far is {self.far}; expected > 0")
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
    """N·ln(contrast) plus prices of constants, tokens and close sheets; inf for a failed fit."""
    if not np.isfinite(fit.fitness):
        return np.inf
    codes, constants = fit.expression.codes, fit.expression.constants
    return (
        n_points * np.log(max(fit.contrast, config.resolution))
        - config.sheet_cost * np.log(max(fit.clearance, config.resolution))
        + config.constant_cost * len(constants)
        + config.token_cost * len(codes)
    )


class Search:
    """Everything fitted so far, by view and skeleton."""

    def __init__(self, points: np.ndarray, views: list[View], config: PlusConfig, workers: int):
        self.points, self.views = points, views
        self.clouds = {view.name: view.of(points) for view in views}
        self.config, self.workers = config, workers
        self.found: dict[tuple, _Found] = {}
        self.refined: set[tuple] = set()

    def _order(self, found: _Found) -> tuple[float, float]:
        cloud = self.clouds[found.view.name]
        return cost(found.fit, len(cloud), self.config), -found.log_probability

    def _promise(self, found: _Found) -> float:
        """As the order, but as if there were few points: a good fit by many terms leads nowhere."""
        return cost(found.fit, FEW, self.config)

    def ranked(self) -> list[_Found]:
        """Cheapest first."""
        return sorted(self.found.values(), key=self._order)

    def add(self, view: View, expressions: list[Expression], probabilities: list[float], **how):
        """Fit skeletons in a view and keep them."""
        fits = fit_sampson(
            expressions, self.clouds[view.name], max_iterations=self.config.max_iterations,
            seed=self.config.seed, workers=self.workers, far=self.config.far, **how,
        )  # fmt: skip
        for fit, log_probability in zip(fits, probabilities, strict=True):
            found = _Found(view, fit, log_probability)
            known = self.found.get(found.skeleton)
            if known is None or self._order(found) < self._order(known):
                self.found[found.skeleton] = found

    def exact(self) -> bool:
        """Whether some fit is exact up to rounding; long sums come close to anything smooth."""
        return any(
            np.isfinite(f.fit.fitness)
            and f.fit.contrast <= self.config.resolution
            and len(f.fit.expression.codes) <= self.config.longest
            for f in self.found.values()
        )

    def complete(self) -> None:
        """Fit sparse linear relations among functions of one variable, and among monomials.

        The lowest degree that is exact comes last: at higher ones the law has multiples.
        """
        for view in self.views:
            cloud = self.clouds[view.name]
            d = cloud.shape[1]
            pools = []
            if view.name != "centred":
                pools = [logarithms(d), separable(cloud)]
            highest = max(2, self.config.degree - (d > 2))
            pools += [monomials(d, k) for k in range(2, highest + 1)]
            for pool in pools:
                self._relate(view, pool, n_starts=1, descents=1)
                if self.exact():
                    return

    def look_up(self) -> None:
        """Fit linear relations that are exact in a dictionary, in the user's units or others."""
        for points in self._in_units():
            for terms in dictionaries(points):
                relation = exact_relation(terms, points)
                if relation is not None and self._adopt([relation], points):
                    return

    def compose(self) -> None:
        """Fit laws of one function, times a number or more, beside simple terms.

        In the user's units or others.

        Other units change the numbers inside of a function, not whether there are any.
        """
        for points in self._in_units():
            numbers = points is self.points
            for laws_of in (composites, modulated):
                if self._adopt(laws_of(points, numbers, self.workers), points):
                    return

    def find_levels(self) -> None:
        """Fit laws by which the points lie on level sets, in the user's units or others."""
        for points in self._in_units():
            if self._adopt(laws(points), points):
                return

    def _in_units(self) -> list[np.ndarray]:
        """The points in the user's units, and in those of their sizes where they need them."""
        view = self._plain()
        return [self.points, self.clouds[view.name]][: 1 + (view.name != "as_given")]

    def _adopt(self, relations: Iterable[Expression], points: np.ndarray) -> bool:
        """Fit exact relations of points that are in one of these units; whether one is exact."""
        view, fresh = self._plain(), {}
        for relation in relations:
            if points is self.points:
                relation = in_units(relation, view.shift, view.scale)
            form = self._usable(relation, view, 3 * self.config.longest)
            if form is not None:
                fresh.setdefault(form.codes, form)
        least = [UNLIKELY] * len(fresh)
        self.add(view, list(fresh.values()), least, n_starts=1, descents=1, warm=True)
        return self.exact()

    def _plain(self) -> View:
        """The first view that has the user's origin, if one has."""
        return next((v for v in self.views if v.name != "centred"), self.views[0])

    def prune(self) -> None:
        """Fit whole polynomials, and leave out the terms that the points do not ask for.

        Noise misleads the singular vectors of :mod:`pie.search.completion`, not Sampson's distances.
        """
        view = self._plain()
        cloud = self.clouds[view.name]
        n, d = cloud.shape
        for degree in range(2, 4 if d == 2 else 3):
            pool = monomials(d, degree)
            if 3 * len(pool) > n:
                return
            drafts = [whole(pool, cloud)]
            (fit,) = fit_sampson(
                drafts, cloud, 1, self.config.max_iterations, warm=True, far=self.config.far
            )
            if np.isfinite(fit.fitness):
                spreads = cloud.std(axis=0)
                short = simplified(fit.expression, cloud, spreads, self.config.constant_cost)
                form = self._usable(short, view)
                if form is not None:
                    self.add(view, [form], [UNLIKELY], n_starts=1, descents=1, warm=True)

    def _relate(self, view: View, pool: list[Tree], **how) -> None:
        fresh: dict[tuple, Expression] = {}
        for relation in relations(pool, self.clouds[view.name]):
            form = self._usable(relation, view, 3 * self.config.longest)
            if form is not None:
                fresh.setdefault(form.codes, form)
        self.add(view, list(fresh.values()), [UNLIKELY] * len(fresh), warm=True, **how)

    def _usable(self, draft: Expression, view: View, longest: int = 0) -> Expression | None:
        """Its canonical form, if that has zeros and all the variables, is short and new here.

        ``longest`` tokens, else those of refinement.
        """
        try:
            form = canonical(draft)
        except ValueError:  # no zeros, or far too long
            return None
        if len(form.codes) > (longest or self.config.longest):
            return None
        every = len(form.variables) == self.clouds[view.name].shape[1]
        return form if every and (view.name, form.codes) not in self.found else None

    def _parents(self) -> list[_Found]:
        """The cheapest candidates that were not refined yet, one of those that fit alike."""
        chosen: list[_Found] = []
        errors: list[float] = []
        for found in sorted(self.found.values(), key=self._promise):
            if len(chosen) == self.config.parents or not np.isfinite(found.fit.fitness):
                break
            if found.skeleton in self.refined:
                errors.append(found.fit.contrast)
                continue
            alike = any(abs(found.fit.contrast - e) <= 1e-3 * e for e in errors)
            if not alike:
                chosen.append(found)
                errors.append(found.fit.contrast)
        self.refined |= {found.skeleton for found in chosen}
        return chosen

    def front(self) -> list[_Found]:
        """What nothing of equal or lower length fits better, the shortest first."""
        kept: list[_Found] = []
        usable = (f for f in self.found.values() if np.isfinite(f.fit.fitness))
        for found in sorted(usable, key=lambda f: (len(f.fit.expression.codes), f.fit.contrast)):
            if not kept or found.fit.contrast < kept[-1].fit.contrast:
                kept.append(found)
        return kept

    def lowest(self) -> float:
        """Cost of the best candidate."""
        return min((self._order(found)[0] for found in self.found.values()), default=np.inf)

    def refine_until_it_helps_no_more(self) -> None:
        """Rounds until a fit is exact, the budget ends, or two rounds in turn gained nothing."""
        best, idle = self.lowest(), 0
        for _ in range(self.config.rounds):
            if self.exact() or len(self.found) >= self.config.fits or idle == 2:
                return
            if not self.refine():
                return
            lowest = self.lowest()
            idle = 0 if lowest < best - GAIN else idle + 1
            best = min(best, lowest)

    def refine(self) -> bool:
        """One round: fit what is one change away from the best candidates; False: none is left."""
        parents = self._parents()
        for view in self.views:
            of_view = [p for p in parents if p.view is view]
            if not of_view:
                continue
            pool = {tree: None for p in of_view for tree in terms_of(p.fit.expression)}
            d = self.clouds[view.name].shape[1]
            pool |= dict.fromkeys(monomials(d, 1))
            self._relate(view, list(pool), n_starts=1, descents=1)
            fresh: dict[tuple, Expression] = {}
            for parent in of_view:
                for draft in self._changed(parent, of_view):
                    form = self._usable(draft, view)
                    if form is not None:
                        fresh.setdefault(form.codes, form)
            left = max(0, self.config.fits - len(self.found))
            chosen = list(fresh.values())[:left]
            least = [UNLIKELY] * len(chosen)
            self.add(view, chosen, least, n_starts=8, descents=1, warm=True)
        return bool(parents)

    def _changed(self, parent: _Found, others: Iterable[_Found]) -> Iterable[Expression]:
        d = self.clouds[parent.view.name].shape[1]
        yield from neighbours(parent.fit.expression, d)
        yield from simpler(parent.fit.expression)
        for other in others:
            yield from spliced(parent.fit.expression, other.fit.expression)
