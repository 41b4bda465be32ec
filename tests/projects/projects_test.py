"""Packages that nobody here wrote, unchanged: the matrix that `init` makes, the wheel that `build` makes of it, and one
thing that the installed wheel does. `pytest tests/projects --bless` writes the matrices and the table."""

import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from driven import Driven, cache_directory, grafted  # noqa: E402
from rows import HERE, ROWS, TIERS, table  # noqa: E402

PAGE = HERE / "README.md"
BLOCK = re.compile(r"(?<=<!-- projects -->\n).*?(?=<!-- end -->)", re.DOTALL)
PACKAGES = HERE.parent.parent / "scripts" / "packages.txt"


def in_its_tier(row):
    marks = [pytest.mark.takes(row.takes)]
    return pytest.param(row, id=row.name, marks=marks + [pytest.mark.projects] * (row.tier == "projects"))


@pytest.fixture(scope="session")
def session_cache():
    """pinwheel's cache for the tier: what one package fetched, the next has. It is removed, since it is large."""
    with tempfile.TemporaryDirectory(prefix="pinwheel-projects-") as scratch:
        yield pathlib.Path(scratch)


@pytest.fixture
def driven(pinwheel, tmp_path, session_cache):
    """A function that makes a row ready. The environments of the small ones are kept for later sessions."""

    def make(row) -> Driven:
        return Driven(pinwheel, row, tmp_path, cache_directory("pinwheel") if row.tier == "default" else session_cache)

    return make


def assert_installed(packages: list[str]) -> None:
    """That the machine has what the package links."""
    status = subprocess.run(["dpkg-query", "-W", "-f", "${Status}\n", *packages], capture_output=True, text=True)
    there = status.stdout.count("install ok installed") == len(packages)
    assert there, f"{' '.join(packages)} must be installed: scripts/packages projects\n{status.stderr}"


def assert_stopped(ran: subprocess.CompletedProcess, row) -> None:
    output = ran.stdout + ran.stderr
    assert ran.returncode == row.stops.exit, f"exit {ran.returncode}\n{output}"
    assert any(row.stops.says in line for line in ran.stderr.splitlines()), output


@pytest.mark.parametrize("row", [in_its_tier(row) for row in ROWS])
def test_a_package_of_pypi_is_built_unchanged_and_does_something(row, driven, tmp_path, request):
    if row.debian:
        assert_installed(row.debian)
    project = driven(row)
    made = project.init()
    assert made.returncode == 0, made.stderr
    matrix = (tmp_path / "matrix.yaml").read_text()
    if request.config.getoption("--bless"):
        row.matrix.write_text(matrix)
    assert matrix == row.matrix.read_text(), "init writes another matrix"
    built = project.build()
    if row.stops:
        if row.stops.at == "test":
            assert built.returncode == 0, built.stderr
        assert_stopped(project.selected("test") if row.stops.at == "test" else built, row)
        return
    assert built.returncode == 0, built.stderr
    assert project.wheel().name.split("-", 2)[2].startswith(row.tags), project.wheel().name
    assert grafted(project.wheel()) == sorted(row.grafted)
    assert set(row.requires) <= project.resolved()
    if row.devices:
        # There is no GPU here: pinwheel loads it with a torch for CUDA, and a stand-in for the driver.
        assert project.devices() == row.devices
        assert project.evidence() == {"loaded"}
    else:
        project.does()


def test_each_package_has_one_row_and_one_matrix():
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    assert {path.stem for path in HERE.glob("*.yaml")} == {*names, "projects"}
    for row in ROWS:
        assert row.tier in TIERS, row.name
        does = row.tags and (row.does or row.devices)
        assert bool(row.stops) != bool(does), f"{row.name}: it either stops or does something"
        assert row.tier == "projects" or not (row.torch or row.debian or row.stops), row.name


def test_the_packages_of_debian_are_those_of_the_tier():
    lines = [line.split() for line in PACKAGES.read_text().splitlines() if not line.startswith("#")]
    of_tier = {line[0] for line in lines if line[1:2] == ["projects"]}
    there = {line[0] for line in lines if line[1:2] in (["build"], ["test"], ["lint"])}
    assert of_tier == {package for row in ROWS for package in row.debian} - there


def test_the_page_has_the_table_and_the_readme_the_number(request):
    text = PAGE.read_text()
    assert BLOCK.search(text)
    if request.config.getoption("--bless"):
        PAGE.write_text(BLOCK.sub(lambda _: table(ROWS), text))
    assert BLOCK.search(PAGE.read_text())[0] == table(ROWS)
    assert f"[{len(ROWS)} PyPI packages](tests/projects/README.md)" in (HERE.parent.parent / "README.md").read_text()
