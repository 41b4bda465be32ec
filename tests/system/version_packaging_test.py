"""The cases of the C++ tests match the installed `packaging`."""

import io
from pathlib import Path

import make_packaging_cases

CASES = Path(__file__).resolve().parents[1] / "data" / "packaging_cases.tsv"


def test_the_committed_cases_match_packaging():
    out = io.StringIO()
    make_packaging_cases.main(out)
    assert out.getvalue() == CASES.read_text(), "run tests/system/make_packaging_cases.py again"
