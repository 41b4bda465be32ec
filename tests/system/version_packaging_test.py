"""The cases that the C++ tests are held to are what the installed `packaging` says."""

import io
from pathlib import Path

import make_packaging_cases

CASES = Path(__file__).resolve().parents[1] / "data" / "packaging_cases.tsv"


def test_the_committed_cases_are_what_packaging_says():
    out = io.StringIO()
    make_packaging_cases.main(out)
    assert out.getvalue() == CASES.read_text(), "run tests/system/make_packaging_cases.py again"
