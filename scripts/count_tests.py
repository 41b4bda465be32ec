"""Counts what the tests assert, so that a change of the tests can say that nothing is lost.

usage: count_tests.py BUILD    BUILD is where ctest last ran, as build/asan after scripts/test

Of the unit tests it counts cases and assertions as Catch2 reported them, of the others the cases that pytest collects
in all tiers and the `assert` statements in their sources.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PASSED = re.compile(r"^All tests passed \((\d+) assertions? in (\d+) test cases?\)$", re.MULTILINE)


def catch_counts(log: str) -> tuple[int, int]:
    """Cases and assertions in a log of ctest's in which every program passed."""
    found = [(int(cases), int(assertions)) for assertions, cases in PASSED.findall(log)]
    return sum(cases for cases, _ in found), sum(assertions for _, assertions in found)


def assert_count(source: str) -> int:
    return sum(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source)))


def collected() -> int:
    """How many cases pytest collects, whatever their tier."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "tests"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return sum("::" in line for line in listed.stdout.splitlines())


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: count_tests.py BUILD", file=sys.stderr)
        return 2
    cases, assertions = catch_counts((Path(arguments[0]) / "Testing" / "Temporary" / "LastTest.log").read_text())
    asserts = sum(assert_count(file.read_text()) for file in (ROOT / "tests").rglob("*.py"))
    print(f"unit tests: {cases} cases, {assertions} assertions")
    print(f"pytest: {collected()} cases, {asserts} assert statements")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
