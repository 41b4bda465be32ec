"""The ids of steps are parsed and printed by one module."""

import re

from tree import Finding, Tree, is_cpp, without_comments

MODULE = "tools/plan/step_id.cc"
# The beginning of an id, alone or with a place for its name.
LITERAL = re.compile(r'"(?:env|toolkit|build|test|install|publish):(?:\{\})?"')


def check_step_ids(tree: Tree) -> list[Finding]:
    """No literal of tools/ is the beginning of an id."""
    return [
        Finding(path, f"{literal}: ids are made and read by `plan/step_id`")
        for path, text in sorted(tree.items())
        if path.startswith("tools/") and is_cpp(path) and path != MODULE
        for literal in LITERAL.findall(without_comments(text))
    ]
