"""A tag on HEAD that says another version than the project's files stops what would be published."""

import subprocess

import pytest

MATRIX = """schema: pinwheel/1
package: {{name: pure-ops, source: .., version: {version}}}
axes: {{python: ["3.11"]}}
abi: {{python: none}}
channels: {{release: {{publish: [index]}}, test: {{publish: [index]}}, beta: {{publish: []}}}}
publish: {{require: loaded, index: {{kind: directory, path: ../dist/index}}}}
"""
PROJECT = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "pure-ops"\n'
IGNORED = ".pinwheel/\ndist/\n"


@pytest.fixture
def tagged(repository):
    """A function that makes a project whose HEAD has the tags, and whose files say a version."""

    def make(tags: list[str], version: str = "{from: project}", files: dict[str, str] | None = None, said: str = "1.0.0"):
        static = {"pyproject.toml": PROJECT + f'version = "{said}"\n'}
        directory = repository(
            {".gitignore": IGNORED, "matrix/m.yaml": MATRIX.format(version=version), **(files or static)}, tag=None
        )
        for tag in tags:
            subprocess.run(["git", "tag", *tag.split()], cwd=directory, check=True)
        return directory

    return make


@pytest.fixture
def run(pinwheel):
    def command(directory, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([pinwheel, *arguments], cwd=directory, capture_output=True, text=True)

    return command


def test_a_release_names_both_and_their_places(tagged, run):
    directory = tagged(["v1.1.0"])
    for command in ["release"], ["release", "--channel", "release"], ["release", "--target", "index"], ["plan", "--channel", "release"]:
        ran = run(directory, *command)
        assert ran.returncode == 2, ran.stderr
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=directory, capture_output=True, text=True).stdout
        assert ran.stderr.startswith(
            f"error: `pyproject.toml` says version `1.0.0`, but tag `v1.1.0` is on HEAD, commit `{head[:7]}`\n"
            "  --> pyproject.toml:6\n"
        ), ran.stderr
        assert "write `1.1.0` in `pyproject.toml`" in ran.stderr and "`git tag -d v1.1.0`" in ran.stderr
    assert not (directory / "dist").exists()


@pytest.mark.parametrize("channel", ["test", "beta"])
def test_it_stops_any_channel(tagged, run, channel):
    assert run(tagged(["v1.1.0"]), "release", "--channel", channel).returncode == 2


def test_a_plan_that_publishes_nothing_only_warns(tagged, run):
    directory = tagged(["v1.1.0"])
    ran = run(directory, "plan")
    assert ran.returncode == 0
    assert ran.stderr.startswith("warning: `pyproject.toml` says version `1.0.0`, but tag `v1.1.0` is on HEAD")
    pyproject = directory / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("1.0.0", "1.2.0.dev0"))
    assert run(directory, "plan").stderr == "", "the next version is being written"
    assert run(directory, "plan", "--channel", "release").returncode == 2


AGREE = {
    "none": ([], "1.0.0"),
    "same": (["v1.0.0"], "1.0.0"),
    "annotated": (["-a v1.0.0 -m release"], "1.0.0"),
    "spelled otherwise": (["v1.0"], "1.0.0"),
    "pre-release": (["v1.1.0-rc.1"], "1.1.0rc1"),
    "without v": (["1.0.0"], "1.0.0"),
    "promoted": (["v1.0.0rc1", "v1.0.0"], "1.0.0"),
    "other package": (["other-v2.0.0", "cuda12-3.0"], "1.0.0"),
    "own name wins": (["v2.0.0", "pure_ops-v1.0.0"], "1.0.0"),
    "no version": (["latest", "nightly-20261101x"], "1.0.0"),
}


@pytest.mark.parametrize("tags, said", AGREE.values(), ids=AGREE)
def test_what_agrees_is_planned(tagged, run, tags, said):
    ran = run(tagged(tags, said=said), "plan", "--channel", "release")
    assert (ran.returncode, ran.stderr) == (0, "")


CONTRADICT = {
    "annotated": (["-a v1.1.0 -m release"], "v1.1.0"),
    "pre-release": (["v1.0.0rc1"], "v1.0.0rc1"),
    "post": (["v1.0.0.post1"], "v1.0.0.post1"),
    "without v": (["1.1.0"], "1.1.0"),
    "release": (["release-1.1.0"], "release-1.1.0"),
    "own name": (["pure-ops-v1.1.0"], "pure-ops-v1.1.0"),
    "below a directory": (["packages/pure.ops/v1.1.0"], "packages/pure.ops/v1.1.0"),
    "highest": (["v1.0.0", "v1.1.0"], "v1.1.0"),
    "own name wins": (["v1.0.0", "pure-ops-1.1.0"], "pure-ops-1.1.0"),
}


@pytest.mark.parametrize("tags, named", CONTRADICT.values(), ids=CONTRADICT)
def test_what_contradicts_is_named(tagged, run, tags, named):
    ran = run(tagged(tags), "plan", "--channel", "release")
    assert ran.returncode == 2
    assert f"but tag `{named}` is on HEAD" in ran.stderr


def test_a_pattern_says_which_tags_are_the_packages(tagged, run):
    matched = '{from: project, match: "ops/*"}'
    assert run(tagged(["v2.0.0", "ops/1.0.0"], matched), "plan", "--channel", "release").returncode == 0


def test_a_tag_that_matches_the_pattern_contradicts(tagged, run):
    ran = run(tagged(["v1.0.0", "ops/1.1.0"], '{from: project, match: "ops/*"}'), "plan", "--channel", "release")
    assert ran.returncode == 2 and "tag `ops/1.1.0`" in ran.stderr


OTHER_FILES = {
    "setup.py": ("{from: project}", {"setup.py": "from setuptools import setup\nsetup(name='pure-ops', version='1.0.0')\n"}, 2),
    "setup.cfg": ("{from: project}", {"setup.cfg": "[metadata]\nname = pure-ops\nversion = 1.0.0\n"}, 3),
    "VERSION": ("{from: file, file: VERSION}", {"pyproject.toml": PROJECT + 'version = "1.0.0"\n', "VERSION": "1.0.0\n"}, 1),
    "version.txt": ("{from: calver}", {"pyproject.toml": PROJECT + 'dynamic = ["version"]\n', "version.txt": "26.11.0\n"}, 1),
}


@pytest.mark.parametrize("file", OTHER_FILES)
def test_any_file_that_says_the_version(tagged, run, file):
    version, files, line = OTHER_FILES[file]
    ran = run(tagged(["v26.12.0"], version, files), "plan", "--channel", "release")
    assert ran.returncode == 2
    assert f"error: `{file}` says version" in ran.stderr and f"--> {file}:{line}\n" in ran.stderr


def test_a_tag_that_came_after_the_plan(tagged, run):
    directory = tagged([])
    frozen = run(directory, "plan", "--channel", "release", "--out", "plan.json")
    assert frozen.returncode == 0, frozen.stderr
    subprocess.run(["git", "tag", "v1.1.0"], cwd=directory, check=True)
    ran = run(directory, "release", "--plan", "plan.json")
    assert ran.returncode == 2 and "but tag `v1.1.0` is on HEAD" in ran.stderr
