"""Two types of one name in two rooms that meet would be read as one."""

import re

from tree import Finding, Tree, directory_of, includes_of

TYPE = re.compile(r"^(?:(?:struct|class|enum class) (\w+)(?! *;)|using (\w+) =)", re.MULTILINE)


def closure(tree: Tree, path: str, known: dict[str, set[str]]) -> set[str]:
    """The headers of tools/ that a file includes, directly or not."""
    if path not in known:
        known[path] = set()
        for name in includes_of(tree[path]):
            header = "tools/" + name.strip('"')
            if header in tree:
                known[path] |= {header} | closure(tree, header, known)
    return known[path]


def types_of(tree: Tree) -> dict[str, list[str]]:
    """The headers of tools/ that define a type at the top level, by its name; one header a room."""
    found: dict[str, dict[str, str]] = {}
    for path, text in sorted(tree.items()):
        if path.startswith("tools/") and path.endswith(".h"):
            for match in TYPE.finditer(text):
                found.setdefault(match[1] or match[2], {}).setdefault(directory_of(path), path)
    return {name: list(rooms.values()) for name, rooms in found.items()}


def check_type_names(tree: Tree) -> list[Finding]:
    """No source includes two headers of different rooms that define types of one name."""
    known: dict[str, set[str]] = {}
    sources = [path for path in sorted(tree) if path.startswith("tools/") and path.endswith(".cc")]
    found = []
    for name, headers in sorted(types_of(tree).items()):
        if len(headers) == 1:
            continue
        for source in sources:
            met = [header for header in headers if header in closure(tree, source, known)]
            if len(met) > 1:
                found.append(Finding(source, f"meets two types named `{name}`: of {met[0]} and of {met[1]}"))
                break
    return found
