"""Text from outside is shown between back-ticks by `quoted`, which escapes what a terminal would obey."""

import re

from tree import Finding, Tree, is_cpp, without_comments

QUOTED = "tools/base/text.cc"  # defines it
LITERAL = r'"(?:\\.|[^"\\\n])*"'
# Literals side by side are one.
LITERALS = re.compile(rf"(?<!R){LITERAL}(?:\s*{LITERAL})*")
# fmt's braces: an escaped brace, or a place for a value. One with a format of its own (`{:02x}`) is for a number.
PLACE = re.compile(r"\{\{|\}\}|\{\d*\}")
BRACES = ("{{", "}}")
# A URL, by the name of the variable or function that gives it.
PLAIN_URL = re.compile(r"\bquoted\((?:\w+(?:\(\))?(?:\.|->))*\w*(?:url|address)_?(?:\(\))?\)|\bquoted\(mask_urls\(")
URL_QUOTED = "tools/base/mask.cc"  # defines `quoted_url`
# "`" + name
OPEN = re.compile(rf"((?<!R){LITERAL}(?:\s*{LITERAL})*)\s*\+")


def joined(group: str) -> str:
    """The contents of literals side by side, as they are written."""
    return "".join(part[1:-1] for part in re.findall(LITERAL, group))


def raw_places(literal: str) -> list[str]:
    """The texts between backticks that have a place for a value."""
    return [span for span in literal.split("`")[1::2] if set(PLACE.findall(span)) - {*BRACES}]


def check_quoting(tree: Tree) -> list[Finding]:
    """No format string puts a value between back-ticks of its own, and no message shows the query of a URL."""
    found = []
    for path, text in sorted(tree.items()):
        if not (path.startswith("tools/") and is_cpp(path)) or path == QUOTED:
            continue
        code = without_comments(text)
        if path != URL_QUOTED:
            found += [Finding(path, f"`{plain}` may show a signature: use `quoted_url`") for plain in PLAIN_URL.findall(code)]
        for group in LITERALS.findall(code):
            found += [Finding(path, f"`{span}` shows a value as it is: use `quoted`") for span in raw_places(joined(group))]
        for group in OPEN.findall(code):
            if joined(group).replace("```", "").count("`") % 2:
                found.append(Finding(path, f"{group} + opens a back-tick that it does not close: use `quoted`"))
    return found
