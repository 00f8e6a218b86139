"""PIE: implicit equations f(x) = 0 from a cloud of points, without degenerate answers.

>>> import pie
>>> result = pie.discover([[1.0, 1.0], [2.0, 0.5]])
Traceback (most recent call last):
pie.discovery.measurements.BadTable: 2 different rows; expected more than the 2 columns
"""

from importlib.util import find_spec

from .processor import compute_as_with_avx2

__version__ = "0.1.0"

HOMES = {
    "BadTable": "discovery.measurements",
    "ImplicitRegressor": "discovery.regressor",
    "Law": "discovery.result",
    "PlusConfig": "search.plus",
    "Result": "discovery.result",
    "discover": "discovery.laws",
    "from_pretrained": "discovery.pretrained",
    "plot": "report.pictures",
}
NEED = {"ImplicitRegressor": "sklearn", "plot": "matplotlib"}  # packages of the extras
# what can be imported here: ``help(pie)`` and ``from pie import *`` ask for every name
__all__ = [name for name in HOMES if name not in NEED or find_spec(NEED[name])]


compute_as_with_avx2()


def __getattr__(name: str):
    """What a user needs, from its own module; imported when it is first asked for."""
    if name not in HOMES:
        raise AttributeError(f"module 'pie' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"pie.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
