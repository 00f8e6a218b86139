"""The released weights: in an installed package, or in this project."""

import functools
import os
from pathlib import Path

from ..network.inference import Network

PACKAGE = Path(__file__).resolve().parents[1]


def default_weights() -> Path:
    """Folder of the weights of *PIE+*: ``PIE_WEIGHTS``, or those installed, or the project's.

    Raises FileNotFoundError where there are none.
    """
    given = os.environ.get("PIE_WEIGHTS")
    installed, project = PACKAGE / "weights", PACKAGE.parents[1] / "data/models/pie-plus"
    for folder in [Path(given)] if given else [installed, project]:
        if (folder / "config.json").exists():
            return folder
    raise FileNotFoundError(
        f"no weights in {given or installed}; set PIE_WEIGHTS to the folder with those of pie-plus"
    )


@functools.lru_cache(maxsize=4)
def from_pretrained(folder: Path | str | None = None) -> Network:
    """A pre-trained network for inference, the released one of *PIE+* without an argument.

    >>> from_pretrained().config.max_variables
    3
    """
    return Network.load(Path(folder) if folder else default_weights())
