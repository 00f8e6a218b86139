"""What the documents show runs as it stands."""

import doctest


def test_the_examples_of_extending_run(root):
    failed, tried = doctest.testfile(
        str(root / "docs/extending.md"), module_relative=False, encoding="utf-8"
    )
    assert tried >= 20 and failed == 0
