"""The documents that comments, docstrings and other documents cite."""

import ast
import posixpath
import re

from tree import Finding, Tree, cpp_comments, directory_of

PLACES = ("docs/", "tools/", "kernels/", "scripts/", "tests/", "matrix/", "docker/", ".ci/", ".github/")
NAME = re.compile(r"(?<![\w./-])(?:[\w.-]+/)*[\w-]+\.md\b")
# Names that are no document of this project: what a matrix or a tool writes.
OTHERS = {"summary.md"}


def python_comments(text: str) -> str:
    """Comments and docstrings of Python."""
    parts = re.findall(r"(?:^|\s)#.*$", text, re.MULTILINE)
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    parts += [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, holders)]
    return "\n".join(parts)


def prose_of(path: str, text: str) -> str:
    """The parts of a file that are prose for readers."""
    if path.endswith(".md"):
        return text
    if path.endswith((".h", ".cc", ".cpp", ".cu", ".cuh", ".hpp")):
        return cpp_comments(text)
    if path.endswith(".py"):
        return python_comments(text)
    return "\n".join(re.findall(r"(?:^|\s)#.*$", text, re.MULTILINE))


def check_documents(tree: Tree) -> list[Finding]:
    """A cited document exists, from the root, next to the file that cites it or in a directory above."""
    found = []
    for path, text in sorted(tree.items()):
        if path.startswith("tests/data/") or not (path.startswith(PLACES) or "/" not in path):
            continue
        for name in sorted(set(NAME.findall(prose_of(path, text))) - OTHERS):
            above, places = directory_of(path), [""]
            while above:
                places.append(above)
                above = directory_of(above)
            if not any(posixpath.normpath(posixpath.join(place, name)) in tree for place in places):
                found.append(Finding(path, f"cites `{name}`, which does not exist"))
    return found
