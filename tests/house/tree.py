"""The files of the project as values, and C++ read as far as the checks need it."""

import dataclasses
import functools
import pathlib
import re
import subprocess

Tree = dict[str, str]
"""A path from the root, with `/`, and the file's text."""

TOKEN = re.compile(
    r"""R"(\w*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*" | '(?:\\[^\n]{1,9}?|[^'\\\n])' | //[^\n]* | /\*.*?\*/""",
    re.DOTALL | re.VERBOSE,
)


@dataclasses.dataclass(frozen=True)
class Finding:
    """A violation of a rule, and its place."""

    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"


def read_tree(root: pathlib.Path) -> Tree:
    """Every text file of the checkout that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True, text=True,
    )  # fmt: skip
    tree = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = root / name
        if not path.is_file():
            continue
        try:
            tree[name] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            tree[name] = ""
    return tree


def directory_of(path: str) -> str:
    return path.rpartition("/")[0]


def is_cpp(path: str) -> bool:
    return path.endswith((".h", ".cc"))


@functools.cache
def code_of(text: str) -> str:
    """C++ without comments, and with empty literals."""
    return TOKEN.sub(lambda token: "" if token[0].startswith("/") else '""', text)


def without_comments(text: str) -> str:
    """C++ with its literals."""
    return TOKEN.sub(lambda token: "" if token[0].startswith("/") else token[0], text)


def cpp_comments(text: str) -> str:
    return "\n".join(token[0] for token in TOKEN.finditer(text) if token[0].startswith("/"))


def includes_of(text: str) -> list[str]:
    """The includes of a file, with their quotes or angle brackets."""
    return re.findall(r'^#include (".*"|<.*>)', text, re.MULTILINE)


@functools.cache
def words_of(text: str) -> dict[str, int]:
    """How often each word stands in the code."""
    counts: dict[str, int] = {}
    for word in re.findall(r"\w+", code_of(text)):
        counts[word] = counts.get(word, 0) + 1
    return counts
