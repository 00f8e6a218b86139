import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def closed():
    """Figures do not outlive their test."""
    yield
    plt.close("all")
