"""What the page of all results shows, in the paper's order."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from .provenance import Stage


@dataclass(frozen=True)
class Item:
    """A figure or a table: its path in reports/ without suffix, its title, one sentence."""

    stem: str
    title: str
    caption: str = ""

    @property
    def anchor(self) -> str:
        """What stands before the first full stop of the title, as an id.

        >>> Item("figures/robustness", "Figure 4. Robustness").anchor
        'figure-4'
        """
        return slug(self.title.partition(". ")[0])


SECTIONS: dict[str, tuple[Item, ...]] = {
    "In one table": (
        Item("tables/paper/headline", "Headline. Ours beside the paper’s",
             "Ours with 95 % intervals, the paper’s in brackets; recovered: at least 95 % of the "
             "points of each zero set lie within a thousandth of the spread of the other."),
        Item("tables/paper/wild", "Wild, headline. Curves and laws as data come",
             "A test set of our own: zero set recovered on both sides without noise, right "
             "skeleton with noise."),
        Item("figures/paper", "Examples. Laws found from their points",
             "AI-Feynman laws in two variables: points given, and the equation that PIE found."),
    ),
    "The paper": (
        Item("figures/figure1", "Figure 1. The same points, and what each method makes of them",
             "A particle’s hyperbola, an orbit, an ideal gas: points, and zero sets found."),
        Item("figures/figure2", "Figure 2. Limitation and intuition",
             "Where degenerate solutions lie, and what the network proposes for the same points."),
        Item("figures/figure3", "Figure 3. The framework",
             "Generation of the pre-training data, the network and inference, from a real run."),
        Item("tables/paper/table1", "Table 1. Synthetic",
             "Each method’s fitness and accuracies, ours with 95 % intervals beside the paper’s."),
        Item("tables/paper/table1_printed", "Table 1, printed. The equations the paper prints",
             "As Table 1, ours alone, on the equations of Table 8."),
        Item("tables/paper/table2", "Table 2. AI-Feynman",
             "Each method’s fitness and accuracies, ours with 95 % intervals beside the paper’s."),
        Item("figures/evaluation", "Tables 1 and 2, drawn. PIE and PIE+",
             "Fitness and accuracies with 95 % intervals; the paper’s are hollow."),
        Item("figures/robustness", "Figure 4. Robustness on Synthetic",
             "Scores under relative noise and for other numbers of points, with 95 % intervals."),
        Item("tables/robustness", "Figure 4, numbers",
             "What Figure 4 draws, and on how many equations each method ran."),
        Item("figures/sensitivity", "Figure 5. Sensitivity to training and search",
             "Scores against training examples, training points, beam, and tolerance of CL-FEM."),
        Item("tables/sensitivity", "Figure 5, numbers",
             "What Figure 5 draws."),
        Item("tables/paper/table3", "Table 3. Operators",
             "Unnormalised probabilities of operators in random equations."),
        Item("tables/generation", "Table 3, shares. Operators of the corpus",
             "Weights of Table 3, the shares that they ask for, and the shares that are kept."),
        Item("tables/paper/table4", "Table 4. Hyper-parameters of PIE",
             "The paper’s beside those run."),
        Item("tables/paper/table5", "Table 5. Hyper-parameters of GP",
             "The paper’s beside those run."),
        Item("tables/paper/table6", "Table 6. Hyper-parameters of DSO",
             "The paper’s beside those run."),
        Item("tables/paper/table7", "Table 7. AI-Feynman equations",
             "Each equation, and its canonical form: one for all that have the same zero set."),
        Item("tables/paper/table8", "Table 8. Synthetic equations",
             "The equations that the paper prints, and their canonical forms."),
        Item("tables/paper/claims", "Claims. What the paper says, tested on our numbers",
             "Confirmed, refuted or undecided by 95 % intervals of differences on the same equations."),
        Item("tables/paper/differences", "Differences. The paper’s value outside our interval",
             "Fitness and Acc 0.99 of the methods that the paper reports."),
    ),
    "Beyond the paper": (
        Item("figures/wild", "Wild. Laws with noise, and what PIE+ found",
             "Points of our own test set, the equation that they obey, and the one found."),
        Item("tables/wild", "Wild, by way. How often each way of drawing points is enough",
             "Zero sets recovered on both sides without noise, right skeletons with noise."),
        Item("figures/robustness_wild", "Wild, robustness. Noise and outliers",
             "Scores under additive noise and with outliers, with 95 % intervals."),
        Item("tables/robustness_wild", "Wild, robustness, numbers",
             "What the figure draws."),
        Item("tables/robustness_wild_all", "Wild, robustness, all methods",
             "Every baseline beside PIE and PIE+ on the same few laws under additive noise."),
        Item("figures/baselines", "Baselines. Other methods on the paper’s test sets",
             "Fitness and Acc 0.99 with 95 % intervals; the paper’s are small and hollow."),
        Item("figures/degenerate", "Degenerate. How winners are degenerate",
             "Share of each method’s answers that are degenerate, by kind."),
        Item("tables/degenerate", "Degenerate, numbers",
             "What the figure draws."),
        Item("figures/equal_time", "Equal time. PIE beside the cheap baselines",
             "Acc 0.99 and recovery against seconds for each equation, with 95 % intervals."),
        Item("tables/equal_time", "Equal time, numbers",
             "What the figure draws."),
        Item("figures/ablation", "Ablation. What each choice of PIE+ is worth",
             "Right skeletons on the validation split with one thing changed."),
        Item("tables/ablation", "Ablation, numbers",
             "Right skeletons and recovery, with 95 % intervals."),
        Item("figures/sensitivity_ours", "Sensitivity, ours. Other networks and corpora",
             "Small networks with one thing changed in training, beyond Figure 5."),
        Item("tables/sensitivity_ours", "Sensitivity, ours, numbers",
             "Small networks with one thing changed in training, beyond Figure 5."),
        Item("figures/no_law", "No law. Data that obey no equation",
             "Lawful clouds found against null clouds taken for lawful, and these by kind."),
        Item("tables/no_law", "No law, numbers",
             "How often a law is found where there is one, and where there is none."),
        Item("tables/no_law_noise", "No law, under noise",
             "How often a law is found in wild with additive noise."),
        Item("tables/no_law_mistakes", "No law, mistakes",
             "Null clouds taken for lawful, and lawful ones missed."),
        Item("figures/generation", "Generation. Equations of the corpus with their points",
             "Training pairs in two variables: points, and the zero set of the equation drawn."),
        Item("figures/ways", "Ways. How points come",
             "One ellipse drawn in the ways from which PIE+ learns."),
        Item("figures/pretraining", "Pre-training. The learning curve",
             "Loss per equation, and skeletons exact by greedy decoding, against examples seen."),
        Item("figures/scaling", "Scaling. Networks against examples seen",
             "Validation loss, and skeletons exact by greedy decoding, of each network."),
        Item("figures/discover", "Discovery. Mercury’s orbit from positions alone",
             "Where the planet stands, a day apart, and the equation found."),
        Item("figures/kepler", "Kepler. The third law from nine rows",
             "Semi-major axes and periods of the planets and Pluto, and the equation found."),
        Item("figures/gas_front", "Nitrogen. What each term buys",
             "Error against complexity: the ideal gas, and longer equations that fit better."),
    ),
}  # fmt: skip


def sections(names: Iterable[str], pipeline: Sequence[Stage]) -> dict[str, list[Item]]:
    """:data:`SECTIONS`, then under "More" every other item of which there is a file.

    What the paper has is always there; an item beyond it, if there is a file or a stage for it.
    """
    present = {stem_of(name) for name in names}
    shown = {
        title: [
            item
            for item in section
            if title == "The paper"
            or item.stem in present
            or any(stage.makes(item.stem) for stage in pipeline)
        ]
        for title, section in SECTIONS.items()
    }
    known = {item.stem for section in SECTIONS.values() for item in section}
    more = [Item(stem, stem) for stem in sorted(present - known)]
    return shown | ({"More": more} if more else {})


def stem_of(name: str) -> str:
    """A path without its suffix: what the files of one item share."""
    return str(PurePosixPath(name).with_suffix(""))


def slug(text: str) -> str:
    """Lower case, with a dash for what is neither a letter, a digit, nor one of ``_`` and ``.``."""
    return re.sub(r"[^\w.]+", "-", text.lower()).strip("-")
