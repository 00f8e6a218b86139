"""One look for every figure: print width, and one colour and marker per method."""

from pathlib import Path

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("pie.mplstyle"))

# One colour and one marker per method, everywhere; told apart in black and white by the marker.
METHODS = {
    "PIE": ("#0072B2", "o"),
    "PIE (Vanilla)": ("#E69F00", "s"),
    "PIE (strict)": ("#56B4E9", "P"),
    "PIE+": ("#009E73", "D"),
    "GP (Vanilla)": ("#CC79A7", "^"),
    "GP (CL-FEM)": ("#CC79A7", "v"),
    "DSO (Vanilla)": ("#999999", "<"),
    "DSO (CL-FEM)": ("#999999", ">"),
    "Null space": ("#000000", "X"),
    "GP (least squares)": ("#D55E00", "p"),
    "GP (implicit derivatives)": ("#D55E00", "d"),
    "GP (Sampson)": ("#D55E00", "h"),
}
