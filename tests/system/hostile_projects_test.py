"""`init` and `plan` finish in little memory with any replacement of a project's files."""

import subprocess

import hostile_projects
import pytest
from hostile_projects import COSTLY, KINDS, READ_BY_NAME
from limits_test import MEGA, MOST_MEMORY, is_sanitized, measured



@pytest.fixture
def ended(pinwheel, tmp_path):
    """Runs a command of pinwheel; what it said. Only what hangs takes longer than the 600 s of `measured`."""

    def run(directory, *arguments, codes=(0, 2, 4), **variables: str) -> str:
        variables = {"PINWHEEL_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path), **variables}
        ran = measured([pinwheel, *arguments], directory, **variables)
        assert ran.code in codes, f"exit {ran.code}\n{ran.text[:2000]}"
        if not is_sanitized(pinwheel):
            assert ran.memory < MOST_MEMORY, f"{ran.memory / MEGA:.0f} MB"
        return ran.text

    return run


@pytest.mark.takes(20)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_regular_file_is_not_read(ended, tmp_path, kind):
    for name in READ_BY_NAME:
        project = hostile_projects.plain(tmp_path / name / "project")
        KINDS[kind](hostile_projects.replaced(project, name))
        output = ended(project, "init", ".", "--out", "-", codes=range(8))
        assert "not a regular file" in output or "limit" in output or "levels of symbolic links" in output, (
            f"{name}: {output}")
        ended(project, "plan", "matrix.yaml", codes=range(8))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [".git/config", ".git/HEAD", ".git/packed-refs", ".git/info/exclude", ".gitignore", "src/.gitattributes"])
def test_what_git_would_read_is_looked_at_before(ended, tmp_path, kind, name):
    project = hostile_projects.plain(tmp_path / "project")
    matrix = project / "matrix.yaml"
    matrix.write_text(matrix.read_text().replace("from: project", "from: git-tag"))
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    KINDS[kind](hostile_projects.replaced(project, name))
    ended(project, "init", ".", "--out", "-", codes=range(8))
    output = ended(project, "plan", "matrix.yaml", codes=range(8))
    if kind in ("fifo", "device"):
        assert f"{name}` is not a regular file" in output, output


@pytest.mark.takes(60)
@pytest.mark.parametrize("name", COSTLY)
def test_no_project_takes_more_memory_or_does_not_end(ended, tmp_path, name):
    project = hostile_projects.plain(tmp_path / "project")
    COSTLY[name](project)
    ended(project, "init", ".", "--out", "-", codes=range(8))


def test_a_chain_of_links_in_an_sdist_is_no_bug(ended, tmp_path):
    links = tmp_path / "links"
    links.mkdir()
    hostile_projects.sdist_of_links(links)
    matrix = tmp_path / "matrix.yaml"
    matrix.write_text(hostile_projects.MATRIX.replace("source: ., version: {from: project}", "requirement: demo==1.0"))
    given = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(links)}
    for arguments in (("plan", "matrix.yaml"), ("build", "--dry-run", "matrix.yaml"), ("init", "--from", "demo==1.0", "--out", "-")):
        ended(tmp_path, *arguments, codes=range(8), **given)
