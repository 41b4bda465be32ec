"""Pairs of publishers of one project at the same moment, against each kind of index."""

import contextlib
import hashlib
import json
import pathlib
import shutil
import subprocess

import pytest
from bucket_index import bucket_index
from github_server import NAME, TOKEN, github_server
from indexes import empty_index

PAIRS = 10  # of each sort


class Place:
    """An index, `clear` to empty it, and what it lists: the digests of wheels by name."""

    def __init__(self, target: dict, clear, listed, **variables: str):
        self.target = target
        self.clear = clear
        self.listed = listed
        self.variables = variables


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@contextlib.contextmanager
def directory(root: pathlib.Path):
    index = root / "index"

    def listed():
        files = {}
        for page in index.glob("*/*/index.json"):
            for file in json.loads(page.read_text())["files"]:
                files[file["filename"]] = file["hashes"]["sha256"]
                assert digest((page.parent / file["filename"]).read_bytes()) == file["hashes"]["sha256"]
        return files

    def clear():
        if index.is_symlink():
            index.unlink()
            shutil.rmtree(root / ".index.generations")

    yield Place({"kind": "directory", "path": str(index), "label": "local"}, clear, listed)


@contextlib.contextmanager
def server(root: pathlib.Path):
    with empty_index(root / "packages") as (packages, url):

        def clear():
            for path in packages.iterdir():
                path.unlink()

        target = {"kind": "index", "url": url, "auth": "none", "label": "local"}
        yield Place(target, clear, lambda: {path.name: digest(path.read_bytes()) for path in packages.glob("*.whl")})


@contextlib.contextmanager
def github(root: pathlib.Path):
    with github_server() as service:

        def listed():
            tags = [release["tag_name"] for release in service.releases if not release["draft"]]
            files = {name: digest(data) for tag in tags for name, data in service.files(tag).items()}
            return {name: value for name, value in files.items() if name.endswith(".whl")}

        def clear():
            service.releases.clear()
            service.tags.clear()

        target = {"kind": "github-release", "repository": NAME, "label": "local"}
        yield Place(target, clear, listed, GITHUB_TOKEN=TOKEN, GITHUB_API_URL=service.url)


@contextlib.contextmanager
def bucket(root: pathlib.Path):
    with bucket_index() as index:
        yield Place(index.target, index.clear, index.listed, **index.variables)


PLACES = {"directory": directory, "server": server, "github": github, "bucket": bucket}


class Publisher:
    """A checkout whose wheel is made and tested, so that only its publication is left."""

    def __init__(self, script, version: str, flavor: str, place: Place):
        self.script = script
        self.variables = place.variables

        def change(matrix):
            matrix["axes"]["flavor"] = [flavor]
            matrix["environment"]["variables"]["SCRIPT_FLAVOR"] = f"{{flavor}} of {script.directory.parent.name}"
            matrix.update(publish={"here": place.target}, channels={"release": {"publish": ["here"]}})

        script.edit(change)
        script.git("tag", "-d", "v1.2.0")
        script.git("tag", version)
        script.run("test", "matrix.yaml", "--channel", "release")
        self.wheels = {path.name: digest(path.read_bytes()) for path in script.output.glob("*.whl")}
        self.made = script.directory.parent / "made"
        shutil.copytree(script.state, self.made)

    def start(self) -> None:
        shutil.rmtree(self.script.state)
        shutil.copytree(self.made, self.script.state)
        self.run = subprocess.Popen(
            self.script.command("release", "matrix.yaml"),
            cwd=self.script.directory,
            env={**self.script.environment, **self.variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self) -> int:
        self.said = self.run.communicate(timeout=self.script.patience)[0]
        return self.run.returncode


def together(pair: list[Publisher], place: Place) -> list[int]:
    """The exit codes of both, which publish at the same time to an empty index."""
    place.clear()
    for each in pair:
        each.start()
    return [each.end() for each in pair]


@pytest.mark.releases
@pytest.mark.takes(60)
@pytest.mark.parametrize("kind", PLACES)
def test_of_two_with_different_versions_both_succeed(project, tmp_path, kind):
    with PLACES[kind](tmp_path) as place:
        pair = [Publisher(project("script", f"{name}/project"), name, "plain", place) for name in ("v1.2.0", "v1.3.0")]
        for _ in range(PAIRS):
            assert together(pair, place) == [0, 0], [each.said for each in pair]
            assert place.listed() == pair[0].wheels | pair[1].wheels


@pytest.mark.releases
@pytest.mark.takes(60)
@pytest.mark.parametrize("kind", PLACES)
def test_of_two_with_one_version_exactly_one_succeeds(project, tmp_path, kind):
    with PLACES[kind](tmp_path) as place:
        pair = [Publisher(project("script", f"{name}/project"), "v1.2.0", "plain", place) for name in ("first", "second")]
        assert pair[0].wheels.keys() == pair[1].wheels.keys() and pair[0].wheels != pair[1].wheels
        for _ in range(PAIRS):
            codes = together(pair, place)
            assert sorted(codes) == [0, 6], [each.said for each in pair]
            assert place.listed() == pair[codes.index(0)].wheels
