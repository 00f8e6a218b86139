"""Make the tables in data/real from their sources (done once; the files are committed).

    python tools/real_data.py

The gas states need CoolProp, which nothing else here does: pip install CoolProp==8.0.0
"""

from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).resolve().parent.parent / "data/real"

# E. M. Standish and J. G. Williams, "Approximate Positions of the Planets", JPL Solar System
# Dynamics, Table 1 (1800 to 2050, J2000 ecliptic): semi-major axis (au), rate of the mean longitude
# (degrees per century of 36525 days).
PLANETS = {
    "Mercury": (0.38709927, 149472.67411175),
    "Venus": (0.72333566, 58517.81538729),
    "Earth": (1.00000261, 35999.37244981),
    "Mars": (1.52371034, 19140.30268499),
    "Jupiter": (5.20288700, 3034.74612775),
    "Saturn": (9.53667594, 1222.49362201),
    "Uranus": (19.18916464, 428.48202785),
    "Neptune": (30.06992276, 218.45945325),
    "Pluto": (39.48211675, 145.20780515),
}
# Mercury, same table: eccentricity, inclination, longitude of perihelion and of the node (degrees)
MERCURY = {"e": 0.20563593, "i": 7.00497902, "perihelion": 77.45779628, "node": 48.33076593}


def planets() -> pd.DataFrame:
    """Semi-major axes (au) and periods of one revolution in mean longitude (Julian years)."""
    rows = [(name, a, round(36000.0 / rate, 6)) for name, (a, rate) in PLANETS.items()]
    return pd.DataFrame(rows, columns=["planet", "axis", "period"])


def mercury(n: int = 88) -> pd.DataFrame:
    """Heliocentric positions (au, ecliptic of J2000), a day apart, by Kepler's equation."""
    a, rate = PLANETS["Mercury"]
    e = MERCURY["e"]
    inclination, perihelion, node = (np.radians(MERCURY[k]) for k in ("i", "perihelion", "node"))
    mean = np.radians(rate / 36525.0 * np.arange(n))
    eccentric = mean.copy()
    for _ in range(50):
        eccentric -= (eccentric - e * np.sin(eccentric) - mean) / (1.0 - e * np.cos(eccentric))
    x, y = a * (np.cos(eccentric) - e), a * np.sqrt(1.0 - e**2) * np.sin(eccentric)
    angle = perihelion - node
    along = x * np.cos(angle) - y * np.sin(angle)
    across = (x * np.sin(angle) + y * np.cos(angle)) * np.cos(inclination)
    ecliptic = (
        along * np.cos(node) - across * np.sin(node),
        along * np.sin(node) + across * np.cos(node),
    )
    return pd.DataFrame({"x": ecliptic[0], "y": ecliptic[1]}).round(6)


def gas(name: str, temperature: tuple, pressure: tuple, n: int = 120) -> pd.DataFrame:
    """States of a gas from its reference equation of state: K, kPa, litres per mole."""
    from CoolProp.CoolProp import PropsSI

    rng = np.random.default_rng(0)
    t, p = rng.uniform(*temperature, n).round(2), rng.uniform(*pressure, n).round(3)
    v = [1e3 / PropsSI("Dmolar", "T", a, "P", 1e3 * b, name) for a, b in zip(t, p, strict=True)]
    return pd.DataFrame({"T": t, "p": p, "V": np.round(v, 5)})


def nuclei() -> pd.DataFrame:
    """Cell nuclei, mean radius, perimeter and area (pixels), as scikit-learn ships them."""
    from sklearn.datasets import load_breast_cancer

    frame = load_breast_cancer(as_frame=True).frame
    return frame[["mean radius", "mean perimeter", "mean area"]].rename(
        columns=lambda name: name.removeprefix("mean ")
    )


def main() -> None:
    """Write all tables."""
    tables = {
        "planets": planets(),
        "mercury": mercury(),
        "nitrogen": gas("Nitrogen", (280.0, 500.0), (50.0, 150.0)),
        "carbon_dioxide": gas("CarbonDioxide", (320.0, 500.0), (500.0, 6000.0)),
        "nuclei": nuclei(),
    }
    for name, table in tables.items():
        table.to_csv(FOLDER / f"{name}.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
