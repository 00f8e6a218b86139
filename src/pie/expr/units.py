"""Units as people write them."""

import re

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SIGNS = {*"()*·"}


def plain_unit(unit: str) -> str:
    """A unit in the way in which Pint reads it.

    Digits behind a letter are an exponent; of a product without signs all that is behind a stroke
    is below it.

    >>> [plain_unit(unit) for unit in ("m3", "m/s²", "m s-1", "deg C", "kJ/kg K", "J/(mol K)")]
    ['m^3', 'm/s^2', 'm s^-1', 'degC', 'kJ/kg/K', 'J/(mol K)']
    """
    unit = re.sub(r"(?:deg\.?|°)\s+([CF])\b", r"deg\1", unit.translate(_RAISED)).replace("**", "^")
    unit = re.sub(r"(?<=[^\W\d_])(-?\d)", r"^\1", unit)
    above, *below = unit.split("/")
    return unit if _SIGNS & {*unit} else "/".join([above, *" ".join(below).split()])
