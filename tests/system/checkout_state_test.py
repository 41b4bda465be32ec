"""Incomplete checkouts, and their repositories: submodules, Git LFS, a project below another repository."""

import pathlib
import subprocess
import zipfile

import pytest

MATRIX = """\
schema: pinwheel/1
package: {name: demo, source: .., version: {from: FROM}}
axes: {python: ["3.11"]}
abi: {python: none}
"""
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21461\nsize 12345\n"
PROJECT = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n' \
    '[project]\nname = "demo"\nversion = "1.2.0"\n'  # fmt: skip


def git(place: pathlib.Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *arguments], cwd=place, check=True, capture_output=True)


def project(place: pathlib.Path, version: str = "project") -> pathlib.Path:
    (place / "matrix").mkdir(parents=True)
    (place / "matrix" / "demo.yaml").write_text(MATRIX.replace("FROM", version))
    (place / "pyproject.toml").write_text(PROJECT)
    (place / "demo.py").write_text("")
    return place


@pytest.fixture
def run(pinwheel):
    def run(place: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([pinwheel, *arguments], cwd=place, capture_output=True, text=True, timeout=300)

    return run


@pytest.fixture
def clone(tmp_path):
    """A clone without its submodule, with a pointer of Git LFS."""
    library = tmp_path / "library"
    library.mkdir()
    git(library, "init", "-q")
    (library / "library.h").write_text("")
    git(library, "add", "-A")
    git(library, "commit", "-qm", "1")
    original = project(tmp_path / "original")
    git(original, "init", "-q")
    git(original, "submodule", "--quiet", "add", f"file://{library}", "third_party/library")
    (original / "weights.bin").write_text(POINTER)
    (original / ".gitattributes").write_text("*.bin filter=lfs -text\n")
    for side in ("clean", "smudge"):
        git(original, "config", f"filter.lfs.{side}", "cat")
    git(original, "add", "-A")
    git(original, "commit", "-qm", "1")
    git(tmp_path, "clone", "-q", "original", "clone")
    return tmp_path / "clone"


def test_plan_names_a_submodule_and_a_file_of_lfs_that_are_not_there(run, clone):
    planned = run(clone, "plan")
    assert planned.returncode == 0, planned.stderr
    assert "submodule `third_party/library` is not checked out" in planned.stderr
    assert "`weights.bin` is not fetched" in planned.stderr
    git(clone, "submodule", "update", "--init")
    (clone / "weights.bin").write_text("all of it")
    planned = run(clone, "plan")
    assert "submodule" not in planned.stderr and "weights.bin" not in planned.stderr


def test_checkouts_of_generated_workflows_have_both(run, clone):
    assert run(clone, "ci", "generate").returncode == 0
    for file in (clone / ".github" / "workflows").iterdir():
        text = file.read_text()
        assert text.count("actions/checkout@") == text.count("submodules: recursive") == text.count("lfs: true") > 0


def test_a_pointer_of_lfs_in_a_wheel_is_a_finding(run, tmp_path):
    info = "demo-1.0.dist-info"
    with zipfile.ZipFile(tmp_path / "demo-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("demo/weights.bin", POINTER)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")
    found = run(tmp_path, "inspect", "demo-1.0-py3-none-any.whl").stdout
    assert "`demo/weights.bin`: is a Git LFS pointer" in found


@pytest.mark.parametrize("ignored", [True, False])
def test_another_repository_around_a_project_says_nothing_of_its_version(run, tmp_path, ignored):
    outer = tmp_path / "outer"
    outer.mkdir()
    (outer / ".gitignore").write_text("inner/\n" if ignored else "x\n")
    git(outer, "init", "-q")
    git(outer, "add", "-A")
    git(outer, "commit", "-qm", "1")
    git(outer, "tag", "v9.9.0")
    inner = project(outer / "inner")
    versioned = run(inner, "plan")
    assert "9.9.0" not in versioned.stdout + versioned.stderr
    assert versioned.returncode == (2 if ignored else 0)
    assert ("is ignored by the repository" in versioned.stderr) == ignored
    (inner / "matrix" / "demo.yaml").write_text(MATRIX.replace("FROM", "git-tag"))
    for command in ("version", "plan"):
        by_tags = run(inner, command, "matrix/demo.yaml")
        assert by_tags.returncode == (2 if ignored else 4), by_tags.stdout + by_tags.stderr


def test_a_glob_of_git_selects_the_tags_of_versions(run, tmp_path):
    inner = project(tmp_path / "own", "git-tag, match: 'v[0-9]*'")
    git(inner, "init", "-q")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "1")
    git(inner, "tag", "v1.2.0")
    git(inner, "tag", "vnext")
    assert run(inner, "version", "matrix/demo.yaml").stdout == "1.2.0\n"
    (inner / "matrix" / "demo.yaml").write_text(MATRIX.replace("FROM", "git-tag, match: 'v*.*'"))
    refused = run(inner, "plan")
    assert refused.returncode == 2 and "must have exactly one `*`" in refused.stderr
