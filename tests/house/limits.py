"""The limits that CONTRIBUTING states are those that are checked: functions by clang-tidy, files here."""

import re

from tree import Finding, Tree

CONTRIBUTING = ".github/CONTRIBUTING.md"
TIDY = ".clang-tidy"
STATED = re.compile(r"\((\d+) lines, (\d+) parameters, (\d+) levels of nesting\), files within (\d+) lines")
TIDY_LIMITS = ("LineThreshold", "ParameterThreshold", "NestingThreshold")
SOURCES = (".h", ".cc", ".cpp", ".cu", ".cuh", ".py", ".cmake")


def check_limits(tree: Tree) -> list[Finding]:
    stated = STATED.search(tree[CONTRIBUTING])
    if stated is None:
        return [Finding(CONTRIBUTING, f"states no limits in the words of `{STATED.pattern}`")]
    found = []
    for name, limit in zip(TIDY_LIMITS, stated.groups()):
        checked = re.search(rf"readability-function-size\.{name}, value: '(\d+)'", tree[TIDY])
        if checked is None or checked[1] != limit:
            found.append(Finding(TIDY, f"{name} is {checked[1] if checked else 'unset'}, {CONTRIBUTING} says {limit}"))
    longest = int(stated[4])
    for path, text in sorted(tree.items()):
        lines = text.count("\n")
        if path.endswith(SOURCES) and not path.startswith("tests/data/") and lines > longest:
            found.append(Finding(path, f"has {lines} lines; {CONTRIBUTING} allows {longest}"))
    return found
