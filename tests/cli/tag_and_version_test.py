"""A tag on HEAD that says another version than the project's files stops what would be published."""

import base64
import hashlib
import subprocess
import zipfile

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

    def make(tags: list[str], version: str = "{from: project}", files: dict[str, str] | None = None, version_text: str = "1.0.0"):
        static = {"pyproject.toml": PROJECT + f'version = "{version_text}"\n'}
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


@pytest.mark.parametrize("tags, version_text", AGREE.values(), ids=AGREE)
def test_what_agrees_is_planned(tagged, run, tags, version_text):
    ran = run(tagged(tags, version_text=version_text), "plan", "--channel", "release")
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
    "src/pure_ops/__init__.py": (
        "{from: project}",
        {
            "pyproject.toml": PROJECT + 'dynamic = ["version"]\n[tool.setuptools.dynamic]\nversion = {attr = "pure_ops.__version__"}\n',
            "src/pure_ops/__init__.py": '"""Ops."""\n__version__ = "1.0.0"\n',
        },
        2,
    ),
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


DYNAMIC = {
    "setuptools": 'version = {attr = "pure_ops.__version__"}\n',
    "setuptools file": 'version = {file = "about.txt"}\n',
}
HATCH = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n[project]\nname = "pure-ops"\ndynamic = ["version"]\n'


@pytest.mark.parametrize(
    "pyproject, file, text",
    [
        (PROJECT + 'dynamic = ["version"]\n[tool.setuptools.dynamic]\n' + DYNAMIC["setuptools"], "pure_ops/__init__.py", '__version__ = "1.0.0"\n'),
        (PROJECT + 'dynamic = ["version"]\n[tool.setuptools.dynamic]\n' + DYNAMIC["setuptools file"], "about.txt", "1.0.0\n"),
        (HATCH + '[tool.hatch.version]\npath = "pure_ops/about.py"\n', "pure_ops/about.py", 'VERSION: str = "1.0.0"\n'),
    ],
    ids=["attr", "file", "hatch"],
)
def test_a_version_from_tags_contradicts_a_dynamic_literal(tagged, run, pyproject, file, text):
    directory = tagged(["v1.1.0"], "{from: git-tag}", {"pyproject.toml": pyproject, file: text})
    for command in ["release"], ["plan", "--channel", "release"]:
        ran = run(directory, *command)
        assert ran.returncode == 2
        assert ran.stderr.startswith(f"error: `{file}` says version `1.0.0`, but the version to build is `1.1.0`; tag `v1.1.0`")
        assert f"  --> {file}" in ran.stderr


def wheel(directory, version: str, name: str = "pure_ops"):
    """A wheel in `directory`, with what `publish --dry-run` looks at."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": "",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    path = directory / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in {**files, f"{info}/RECORD": record + f"{info}/RECORD,,\n"}.items():
            archive.writestr(member, text)
    return str(path)


def test_publishing_a_wheel_of_the_checkout(tagged, run):
    directory = tagged(["v1.1.0"])
    publish = ["publish", "--dry-run", "--repository-url", "https://index.example.org/upload/"]
    ran = run(directory, *publish, wheel(directory, "1.0.0"))
    assert ran.returncode == 2
    assert "`pyproject.toml` says version `1.0.0`, but tag `v1.1.0` is on HEAD" in ran.stderr
    # An older wheel, one of another project, and one that the tag says.
    for other in (("0.9.0",), ("1.0.0", "other"), ("1.1.0",)):
        ran = run(directory, *publish, wheel(directory, *other))
        assert ran.returncode == 0, ran.stderr
