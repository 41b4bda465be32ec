"""Removing old versions from a directory index: what stays for installers with a cooldown and for locks in use."""

import datetime
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

import pytest
from indexes import pip_install
from made_wheels import make_wheel

NIGHTS = 12
DAYS_APART = 5


@pytest.fixture(scope="module")
def released(make_project, tmp_path_factory):
    """A project with one release in its index. No test changes it."""
    script = make_project("script", tmp_path_factory.mktemp("released") / "project")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    script.run("release", "matrix.yaml")
    return script


def add_version(index: pathlib.Path, wheels: pathlib.Path, version: str, age: int) -> None:
    """Adds a wheel that was published so many days ago to the sub-index and to the page of the root, in JSON."""
    wheel = make_wheel(wheels, "script_only", version)
    place = index / "plain" / "script-only"
    shutil.copy(wheel, place)
    (place / f"{wheel.name}.metadata").write_text(f"Metadata-Version: 2.1\nName: script_only\nVersion: {version}\n")
    uploaded = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=age)
    entry = {
        "filename": wheel.name,
        "hashes": {"sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()},
        "core-metadata": {"sha256": hashlib.sha256((place / f"{wheel.name}.metadata").read_bytes()).hexdigest()},
        "size": wheel.stat().st_size,
        "upload-time": uploaded.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }
    for page, url in ((place, wheel.name), (index / "script-only", f"../plain/script-only/{wheel.name}")):
        listed = json.loads((page / "index.json").read_text())
        listed["files"].append({**entry, "url": url})
        (page / "index.json").write_text(json.dumps(listed))


@pytest.fixture
def script(released, tmp_path):
    """The project with an index of its own that has twelve nightlies, too, one every five days."""
    before = released.index
    released.index = tmp_path / "index"
    shutil.copytree(before.parent / ".index.generations", tmp_path / ".index.generations")
    released.index.symlink_to(before.readlink())
    (tmp_path / "wheels").mkdir()
    for night in range(1, NIGHTS + 1):
        add_version(released.index, tmp_path / "wheels", f"1.3.0.dev{night}", (NIGHTS - night) * DAYS_APART)
    # The pages in HTML follow with the next generation.
    for undo in ([], ["--undo"]):
        released.run("index", "yank", str(released.index), "script-only==1.2.0", *undo)
    yield released
    released.index = before


def prune(script, *arguments: str, code: int = 0) -> subprocess.CompletedProcess:
    return script.run("index", "prune", str(script.index), *arguments, code=code)


def verdicts(script, *arguments: str) -> dict[str, str]:
    """The verdict on each version, by its last number."""
    report = json.loads(prune(script, *arguments, "--json").stdout)
    assert report["schema"] == "pinwheel-index-prune/1"
    return {version["version"].removeprefix("1.3.0."): version["verdict"] for version in report["versions"]}


def listed(script, place: str = "") -> set[str]:
    page = json.loads((script.index / place / "script-only" / "index.json").read_text())
    return {file["filename"].split("-")[1].partition("+")[0].removeprefix("1.3.0.") for file in page["files"]}


def nights(first: int, last: int = NIGHTS) -> set[str]:
    return {f"dev{night}" for night in range(first, last + 1)}


def installed(script, directory: pathlib.Path, *what: str) -> str:
    ran = pip_install(script.index.as_uri() + "/", directory, "--pre", *what)
    return next((path.stem.split("-")[1] for path in directory.glob("*.dist-info")), ran.stderr)


def test_a_dry_run_says_what_would_go_and_why_the_rest_stays(script):
    link = script.index.readlink()
    ran = prune(script, "--keep", "12d", "--keep-last", "5")
    assert script.index.readlink() == link and listed(script) == {"1.2.0"} | nights(1)
    rows = {line.split()[1]: line for line in ran.stdout.splitlines()[1:] if line.startswith("script-only")}
    assert rows["1.2.0"].endswith("  keep    not a nightly")
    assert rows["1.3.0.dev10"].endswith("  keep    newer than 12d")
    assert rows["1.3.0.dev8"].endswith("  keep    among the newest 5")
    assert rows["1.3.0.dev7"].endswith("  remove  older than 12d, not among the newest 5")
    assert "would remove 7 versions (7 files, " in ran.stdout
    assert "dry run: nothing was removed" in ran.stderr


def test_removed_versions_are_gone_for_pip_and_their_files_one_generation_later(script, tmp_path):
    old = script.index.readlink()
    prune(script, "--keep-last", "5", "--execute")
    assert script.index.readlink() != old
    for place in ("", "plain"):
        assert listed(script, place) == {"1.2.0"} | nights(8)
    assert installed(script, tmp_path / "newest", "script-only") == f"1.3.0.dev{NIGHTS}"
    assert "No matching distribution" in installed(script, tmp_path / "gone", "script-only==1.3.0.dev7")
    # Whoever has read the page of before still finds what it lists.
    files = script.index / "plain" / "script-only"
    assert (files / "script_only-1.3.0.dev7-py3-none-any.whl").is_file()
    link = script.index.readlink()
    prune(script, "--keep-last", "5", "--execute")
    assert script.index.readlink() == link
    prune(script, "--keep-last", "4", "--execute")
    assert not (files / "script_only-1.3.0.dev7-py3-none-any.whl").exists()


def test_two_versions_older_than_a_cooldown_stay_for_uv(script, tmp_path):
    assert {name for name, verdict in verdicts(script, "--keep-last", "1").items() if verdict == "settled"} == nights(9, 10)
    prune(script, "--keep-last", "1", "--execute")
    assert listed(script) == {"1.2.0", "dev9", "dev10", "dev12"}
    week = (datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=7)).isoformat()
    uv = [sys.executable, "-m", "uv", "--no-config", "--no-cache", "pip", "compile", "--quiet", "--prerelease", "allow"]
    where = ["--index-url", script.index.as_uri(), "--no-annotate", "--no-header", "--exclude-newer", week]
    said = subprocess.run([*uv, *where, "-"], input="script-only", capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "script-only==1.3.0.dev10"


def locked(script, directory: pathlib.Path, name: str, version: str) -> pathlib.Path:
    """A lock of this name, written by uv."""
    directory.mkdir()
    uv = [sys.executable, "-m", "uv", "--no-config", "--no-cache"]
    environment = {**script.environment, "UV_INDEX_URL": script.index.as_uri()}
    if name == "uv.lock":
        text = f'[project]\nname = "mine"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ["script-only=={version}"]\n'
        (directory / "pyproject.toml").write_text(text)
        command = [*uv, "lock", "--quiet", "--python", sys.executable]
    else:
        (directory / "in.txt").write_text(f"script-only=={version}\n")
        command = [*uv, "pip", "compile", "--quiet", "--generate-hashes", "in.txt", "-o", name]
    subprocess.run(command, cwd=directory, env=environment, check=True)
    return directory / name


@pytest.mark.parametrize("name", ["uv.lock", "pylock.toml", "requirements.txt"])
def test_a_version_that_a_lock_of_uv_names_stays(script, tmp_path, name):
    lock = locked(script, tmp_path / "lock", name, "1.3.0.dev3")
    assert verdicts(script, "--keep-last", "3")["dev3"] == "removed"
    ran = prune(script, "--keep-last", "3", "--lock", str(lock), "--execute")
    (row,) = (line for line in ran.stdout.splitlines() if " 1.3.0.dev3 " in line)
    assert "keep" in row and f"`{lock}` names it" in row
    assert listed(script) == {"1.2.0", "dev3"} | nights(9)


def test_requirements_files_that_a_lock_includes_count(script, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "requirements.txt").write_text("-r more/base.txt\n")
    (tmp_path / "more" / "base.txt").write_text("script-only==1.3.0.dev2\n-c ../requirements.txt\n")
    assert verdicts(script, "--keep-last", "3", "--lock", str(tmp_path / "requirements.txt"))["dev2"] == "locked"


def test_yanked_versions_go_first(script):
    for night in (11, 12):
        script.run("index", "yank", str(script.index), f"script-only==1.3.0.dev{night}", "--reason", "broken")
    prune(script, "--keep-last", "10", "--execute")
    assert listed(script) == {"1.2.0"} | nights(1, 10)


def test_releases_stay_unless_they_are_named(script):
    assert verdicts(script, "--keep", "1d")["1.2.0"] == "release"
    assert verdicts(script, "--keep", "1d", "--releases")["1.2.0"] == "recent"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "`index prune` needs `--keep`, `--keep-last` or both"),
        (["--keep", "soon"], 2, "--keep: `soon` is not a time"),
        (["--keep-last", "0"], 2, "--keep-last"),
        (["other", "--keep", "1d"], 3, "the index has no file of `other`"),
        (["--keep", "1d", "--lock", "/nonexistent/uv.lock"], 2, "/nonexistent/uv.lock"),
        (["--keep", "1d", "--lock", "matrix.yaml"], 2, "--lock: `matrix.yaml` names no version"),
    ],
)
def test_a_wrong_request_changes_nothing(script, arguments, code, message):
    link = script.index.readlink()
    ran = prune(script, *arguments, "--execute", code=code)
    assert message in ran.stderr
    assert script.index.readlink() == link
