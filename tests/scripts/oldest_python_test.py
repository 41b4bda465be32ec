"""The Python that is shipped with pinwheel, or run by it in interpreters of users, is that of 3.8, and the page of its
wheel on an index has no links that lead nowhere there."""

import ast
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
OLDEST = (3, 8)
FILES = [*sorted((ROOT / "packaging" / "pinwheel_cli").glob("*.py")), ROOT / "tools" / "conda" / "rattler.py"]
RAW = re.compile(r'R"(\w*)\((.*?)\)\1"', re.DOTALL)
NEWER = ("removeprefix", "removesuffix", "is_relative_to", "with_stem", "zoneinfo", "graphlib", "batched", "pairwise")


def embedded() -> list:
    """The scripts in the sources of the program: raw strings that import something."""
    scripts = []
    for path in sorted((ROOT / "tools").rglob("*.cc")):
        text = path.read_text()
        for found in RAW.finditer(text):
            script = found[2].lstrip("\n")
            if re.search(r"^(import|from) \w", script, re.MULTILINE) and "uses:" not in script:
                line = text.count("\n", 0, found.start()) + 1
                scripts.append(pytest.param(script, id=f"{path.relative_to(ROOT)}:{line}"))
    return scripts


def too_new(code: str) -> list[str]:
    """The features that Python 3.8 lacks, as far as the syntax tree shows."""
    try:
        tree = ast.parse(code, feature_version=OLDEST)
    except SyntaxError as error:
        return [str(error)]
    found = [name for name in NEWER if re.search(rf"\b{name}\b", code)]
    later = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in ast.walk(tree))
    for node in ast.walk(tree):
        builtin = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        if builtin and not later and node.value.id in ("list", "dict", "tuple", "set", "type"):
            found.append(f"{node.value.id}[...]")
    return found


def test_what_is_too_new_is_found():
    assert too_new("def f() -> list[str]: ...") == ["list[...]"]
    assert too_new("from __future__ import annotations\ndef f() -> list[str]: ...") == []
    assert too_new("x.removeprefix(y)") == ["removeprefix"]
    assert too_new("match x:\n  case 1: pass") != []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_files_are_for_the_oldest_python(path):
    assert too_new(path.read_text()) == []


@pytest.mark.parametrize("script", embedded())
def test_the_scripts_in_the_program_are_for_the_oldest_python(script):
    # The text of a launcher is a template.
    assert too_new(script.replace("{{", "{").replace("}}", "}") if script.startswith("#!") else script) == []


def interpreters() -> list[str]:
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    return [str(path) for path in sorted(pyenv.glob("3.8.*/bin/python3.8"))]


@pytest.mark.parametrize("python", interpreters())
def test_the_package_finds_its_program_on_the_oldest_python(python, tmp_path):
    program = tmp_path / "bin" / "pinwheel"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho started\n")
    program.chmod(0o755)
    # As with `pip install --target`: the program is next to the package.
    shutil.copytree(ROOT / "packaging" / "pinwheel_cli", tmp_path / "pinwheel_cli")
    ran = subprocess.run(
        [python, "-m", "pinwheel_cli"],
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stdout) == (0, "started\n"), ran.stderr


def test_the_page_on_an_index_has_no_links_into_the_checkout():
    project = (ROOT / "pyproject.toml").read_text()
    (page,) = re.findall(r'^readme = "(.*?)"', project, re.MULTILINE)
    targets = re.findall(r"\]\(([^)]*)\)", (ROOT / page).read_text())
    assert all(target.startswith("https://") for target in targets), targets
    urls = project.partition("[project.urls]")[2].partition("\n[")[0]
    assert re.findall(r'= "(.*)"', urls) and all(url.startswith("https://") for url in re.findall(r'= "(.*)"', urls))
