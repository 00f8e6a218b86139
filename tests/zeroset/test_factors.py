import numpy as np
import pytest

from pie.expr.expression import parse
from pie.zeroset.factors import factors

CLOUD = np.random.default_rng(0).uniform(0.5, 2.0, (60, 2))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("(x1 - x2)*(x1*x2 - 1)", {"x1 - x2", "x1*x2 - 1"}),
        ("x1**2 - 1.00001*x2**2", {"x1 - x2", "x1 + x2"}),
        ("x1*exp(x2) - exp(x2)", {"x1 - 1", "exp(x2)"}),
        ("sin(x1)**2 - sin(x1)*x2", {"sin(x1)", "sin(x1) - x2"}),
        ("x1**3 - 2.5*x1*x2", {"x1", "x1^2 - 2.5*x2"}),
    ],
)
def test_products_are_found(text, expected):
    found = factors(parse(text), CLOUD, np.ones(2))
    values = [f.expression.values(CLOUD) for f in found]
    for factor in expected:
        truth = parse(factor.replace("^", "**")).values(CLOUD)
        assert any(np.allclose(v / truth, (v / truth)[0], rtol=1e-9) for v in values), (
            f"{factor} is not among {[str(f.expression) for f in found]}"
        )
    assert len(found) == len(expected)


@pytest.mark.parametrize(
    "text",
    [
        "x1**2 + x2**2 - 1",
        "x1*x2 - 1.37",
        "x2 - exp(x1)",
        "x1**1.974 - x2",
        "x1**2 - 1.3*x2**2",
        "x1 - 1.0*x1",
        "ln(sqrt(1.0**x2))*x1 + 2e-17",
        "exp(x1)**5 - x2**5 + ln(x1*x2)**4 - 3.3",
        "sqrt(x1 + sqrt(x2)) - 1.1*sin(cos(x1))",
        "x1**8 - 1.3*x2**7 + 2.2*x1**3*x2**4 - 3.3",
        "x1/0.0724438 - x2/0.0218650*exp(1.5 - 0.375*x2/0.0218650)",
        # products on which factoring takes long
        "x1**40 - x2**40",
        "(x1 - 3.1)**5*(x2 + 1e-9)**5",
        "(x1**5 - x2)*(x1 - x2**4)",
        "x1**0.5 + x2**0.333 - exp(0.001*x1)*exp(0.1*x1)",
    ],
)
def test_what_is_no_product_or_a_large_one_stays_whole(text):
    (only,) = factors(parse(text), CLOUD, np.ones(2))
    assert only.expression == parse(text) and only.share == 1.0


def test_the_factor_that_the_data_obeys_carries_them():
    x = np.linspace(0.5, 2.0, 50)
    on_one = np.column_stack([x, 1.0 / x])
    first, second = factors(parse("(x1*x2 - 1)*(x1 + x2 + 4)"), on_one, np.ones(2))
    assert first.share == 1.0 and second.share == 0.0
    assert np.abs(first.expression.values(on_one)).max() < 1e-9


def test_nearest_is_in_units_of_the_columns():
    """A point a tenth of a spread from one branch and a whole spread from the other."""
    cloud = np.array([[0.1, 1000.0]])
    near = factors(parse("x1*(x2 - 1500)"), cloud, np.array([1.0, 1000.0]))
    assert near[0].expression == parse("x1") and near[0].share == 1.0
