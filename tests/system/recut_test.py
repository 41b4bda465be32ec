"""Re-cuts: wheels of a version that is published already, with a build number, and what pip and uv install."""

import contextlib
import json
import subprocess
import sys
import zipfile

import pytest
from bucket_index import bucket_index
from github_server import NAME, TOKEN, github_server
from indexes import empty_index, pip_installs, real_index
from simple_server import simple_server

DIRECTORY = {"kind": "directory", "path": "../index"}


@pytest.fixture
def stack():
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def script(project):
    """A project with one wheel, which goes to a directory index."""
    script = project("script")
    def edit(matrix):
        matrix["axes"]["flavor"] = ["plain"]
        matrix["package"]["version"]["recut"] = True
        matrix["publish"] = {"require": "ran", "index": DIRECTORY}

    script.edit(edit)
    return script


def publish_to(script, **targets):
    """Publishes to these targets of the matrix, and to no others."""

    def edit(matrix):
        matrix["publish"] = {"require": "ran", **targets}
        matrix["channels"] = {"release": {"publish": list(targets)}}

    script.edit(edit)


def change(script, cut: str, tag: str = ""):
    """Changes the contents of the wheel, in a commit that has at most this tag."""
    source = script.directory / "make_wheel.py"
    source.write_text(source.read_text().replace('f"FLAVOR', f'f"CUT = {cut!r}\\n" f"FLAVOR'))
    script.git("commit", "-q", "-am", "build again")
    if tag:
        script.git("tag", "-f", tag)


def served(script) -> list[str]:
    page = json.loads((script.index / "script-only" / "index.json").read_text())
    return sorted(file["filename"] for file in page["files"])


def release(script, *options, code=0):
    return script.run("release", "matrix.yaml", *options, code=code)


def installed_by_pip(url: str, place) -> str:
    pip_installs(url, place, "script-only==1.2.0")
    return (place / "script_only.py").read_text()


def installed_by_uv(url: str, place) -> str:
    uv = [sys.executable, "-m", "uv", "--no-config", "--no-cache", "pip", "install", "script-only==1.2.0"]
    where = ["--index-url", url, "--target", str(place), "--python", sys.executable]
    subprocess.run([*uv, *where], check=True, capture_output=True, text=True)
    return (place / "script_only.py").read_text()


FIRST = "script_only-1.2.0-py3-none-any.whl"
SECOND = "script_only-1.2.0-1-py3-none-any.whl"


def test_installers_take_the_recut_of_a_tag_from_a_directory_index(script, tmp_path):
    release(script)
    assert served(script) == [FIRST]
    change(script, "second", "v1.2.0-r1")
    planned = script.run("plan", "matrix.yaml")
    assert "re-cut of version 1.2.0: its wheels have build number 1" in planned.stderr
    asked = release(script).stderr
    assert "1.2.0 build 1" in asked and "re-cut of 1 file, 0 there" in asked
    assert served(script) == [SECOND, FIRST]
    with zipfile.ZipFile(script.output / SECOND) as wheel:
        assert "\nBuild: 1\n" in wheel.read("script_only-1.2.0.dist-info/WHEEL").decode()
    with simple_server(script.index, tmp_path / "nginx") as url:
        for install in (installed_by_pip, installed_by_uv):
            assert "second" in install(url, tmp_path / install.__name__)
    # Only the new cut is recorded, and it is complete.
    record = json.loads((script.output / "pinwheel-release.json").read_text())
    assert record["build-number"] == 1 and record["tag"] == "v1.2.0-r1"
    assert [file["filename"] for file in record["files"]] == [SECOND]
    state = json.loads(script.run("status", "matrix.yaml", "--json").stdout)
    assert state["complete"] and state["build-number"] == 1 and state["tag"] == "v1.2.0-r1"
    assert state["unplanned"] == []
    assert "release 1.2.0 build 1 is complete" in script.run("status", "matrix.yaml").stderr
    # Several cuts of a version are no fault of an index.
    script.run("index", "check", str(script.index), "--strict")
    machine = script.run("index", "check", str(script.index), "--machine", "cp311-manylinux_2_28_x86_64").stdout
    assert SECOND in machine and FIRST not in machine


def test_a_repeated_recut_changes_nothing(script):
    release(script)
    release(script, "--build-number", "1")
    pages = {path: path.read_bytes() for path in script.index.rglob("*") if path.is_file()}
    script.start_afresh()
    release(script, "--build-number", "1")
    assert {path: path.read_bytes() for path in script.index.rglob("*") if path.is_file()} == pages


def test_a_number_is_used_once(script):
    release(script)
    release(script, "--build-number", "1")
    change(script, "other", "v1.2.0")
    script.start_afresh()
    before = served(script)
    refused = release(script, "--build-number", "1", code=6).stderr
    assert "`index` already has different files with build number 1; nothing was sent" in refused
    assert "use a higher build number" in refused
    assert served(script) == before
    compared = script.run("status", "matrix.yaml", "--build-number", "1", code=5).stderr
    assert "hint: use a higher build number" in compared
    release(script, "--build-number", "2")
    assert len(served(script)) == 3


def test_a_lower_number_is_a_warning(script):
    release(script)
    release(script, "--build-number", "2")
    assert "`index` has build number 2 of `script-only` 1.2.0, which installers prefer to 1" in release(
        script, "--build-number", "1"
    ).stderr


def test_an_unpublished_version_has_no_recut(script):
    refused = release(script, "--build-number", "1", code=6).stderr
    assert "`index` has no file of `script-only` 1.2.0, so there is nothing to re-cut with build number 1" in refused
    assert "hint: publish the version without a build number first" in refused
    # Nothing was built for it.
    assert not list(script.output.glob("*.whl")) and not script.index.exists()
    script.run("test", "matrix.yaml", "--build-number", "1")
    assert "there is nothing to re-cut" in release(script, "--build-number", "1", code=6).stderr
    assert not script.index.exists()
    state = script.run("status", "matrix.yaml", "--build-number", "1", code=5).stderr
    assert "its version is not published" in state


def test_an_index_with_the_upload_api(script, stack, packages, tmp_path):
    url = stack.enter_context(real_index(packages)) + "/"
    publish_to(script, index={"kind": "index", "url": url, "auth": "none"})
    assert "there is nothing to re-cut" in release(script, "--build-number", "1", code=6).stderr
    release(script)
    change(script, "second", "v1.2.0")
    asked = release(script, "--build-number", "1").stderr
    assert "re-cut of 1 file, 0 there" in asked
    assert sorted(path.name for path in packages.iterdir()) == [SECOND, FIRST]
    for install in (installed_by_pip, installed_by_uv):
        assert "second" in install(url + "simple/", tmp_path / install.__name__)
    script.start_afresh()
    release(script, "--build-number", "1")
    change(script, "third", "v1.2.0")
    script.start_afresh()
    assert release(script, "--build-number", "1", code=6).stderr.count("use a higher build number") == 1
    assert len(list(packages.iterdir())) == 2
    release(script, "--build-number", "2")
    for install in (installed_by_pip, installed_by_uv):
        assert "third" in install(url + "simple/", tmp_path / f"{install.__name__}-again")


def test_local_versions_keep_their_build_numbers(script):
    publish_to(script, index=DIRECTORY | {"label": "local"})
    release(script)
    release(script, "--build-number", "3")
    (page,) = script.index.glob("plain/script-only/index.json")
    names = [file["filename"] for file in json.loads(page.read_text())["files"]]
    assert sorted(names) == ["script_only-1.2.0+plain-3-py3-none-any.whl", "script_only-1.2.0+plain-py3-none-any.whl"]


def test_a_frozen_plan_has_the_build_number(script, tmp_path):
    release(script)
    plan = tmp_path / "plan.json"
    script.run("plan", "matrix.yaml", "--channel", "release", "--build-number", "1", "--out", str(plan))
    frozen = json.loads(plan.read_text())
    assert frozen["build-number"] == 1 and frozen["tag"] == "v1.2.0-r1"
    assert frozen["files"][0].startswith("script_only-1.2.0-1-py3-none-")
    wrong = script.run("release", "--plan", str(plan), "--build-number", "2", code=2).stderr
    assert "`--build-number 2` contradicts the plan, which was frozen with build number 1" in wrong
    script.run("release", "--plan", str(plan))
    assert served(script) == [SECOND, FIRST]


def test_the_script_of_a_dry_run_finishes_with_the_build_number(script):
    release(script)
    assert " --build-number 1\n" in script.run("build", "matrix.yaml", "--build-number", "1", "--dry-run").stdout


def test_numbers_that_are_none_are_named(script):
    for text in ("0", "-1", "x", "1.5", "01", "1" * 16):
        refused = script.run("plan", "matrix.yaml", f"--build-number={text}", code=2).stderr
        assert f"`--build-number` cannot be `{text}`; expected a whole number, 1 or higher" in refused
    script.edit(lambda matrix: matrix["channels"].update(nightly={"version": "nightly", "publish": ["index"]}))
    nightly = script.run("plan", "matrix.yaml", "--channel", "nightly", "--build-number", "1", code=2).stderr
    assert "`--build-number 1` cannot be used for a nightly" in nightly


def test_without_the_key_the_tag_is_a_post_release(script):
    script.edit(lambda matrix: matrix["package"]["version"].pop("recut"))
    script.git("tag", "v1.2.0-r1")
    assert script.run("version", "matrix.yaml").stdout == "1.2.0.post1\n"
    script.edit(lambda matrix: matrix["package"]["version"].update(recut=True))
    script.git("tag", "-f", "v1.2.0-r1")
    found = script.run("version", "matrix.yaml", "--explain", "--json")
    assert json.loads(found.stdout)["version"] == "1.2.0" and json.loads(found.stdout)["build-number"] == 1
    assert "it is a re-cut of 1.2.0: its wheels have build number 1" in found.stderr


def test_a_release_on_github_has_the_tag_of_the_recut(script, stack):
    github = stack.enter_context(github_server())
    script.environment = script.environment | {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": github.url}
    publish_to(script, github={"kind": "github-release", "repository": NAME})
    script.git("tag", "v1.2.0-r1")
    release(script, "--channel", "release")
    assert set(github.files("v1.2.0-r1")) >= {SECOND, "SHA256SUMS", "pinwheel-release.json"}
    assert github.releases[0]["name"] == "script-only 1.2.0 build 1"
    script.edit(lambda matrix: matrix["package"]["version"].pop("recut"))
    refused = release(script, "--channel", "release", "--build-number", "1", code=2).stderr
    assert "cannot have a release of 1.2.0 build 1" in refused and "package.version.recut" in refused


def test_yank_and_prune_act_on_all_cuts(script):
    release(script)
    release(script, "--build-number", "1")
    script.run("index", "yank", str(script.index), "script-only==1.2.0", "--reason", "broken")
    page = json.loads((script.index / "script-only" / "index.json").read_text())
    assert [file["yanked"] for file in page["files"]] == ["broken", "broken"]
    script.run("index", "prune", str(script.index), "--keep", "1s", "--releases", "--execute")
    assert {path.name for path in script.index.rglob("*.whl")} <= {FIRST, SECOND}


def test_finish_sets_the_build_number(script, tmp_path):
    script.run("build", "matrix.yaml")
    (wheel,) = script.output.glob("*.whl")
    made = json.loads(script.run("finish", str(wheel), "--build-number", "4", "--json").stdout)["output"]["path"]
    assert made.endswith("-4-py3-none-any.whl")
    script.run("inspect", made, "--check", "--select", "wheel-name")
    misnamed = tmp_path / made.rpartition("/")[2].replace("-4-py3", "-5-py3")
    misnamed.write_bytes((script.output / made).read_bytes())
    finding = script.run("inspect", str(misnamed), "--check", "--select", "wheel-name", code=5)
    assert "has a different build number than the file name" in finding.stdout + finding.stderr
    sdist = tmp_path / "script_only-1.2.0.tar.gz"
    sdist.write_bytes(b"")
    assert "which cannot have a build number" in script.run("finish", str(sdist), "--build-number", "1", code=2).stderr


def test_a_recut_leaves_the_sdist_that_the_version_has(project):
    extension = project("extension")
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    extension.run("release", "matrix.yaml")
    (sdist,) = extension.index.rglob("*.tar.gz")
    before = sdist.read_bytes()
    # Another sdist would have other bytes.
    (extension.directory / "notes.txt").write_text("built again\n")
    extension.commit()
    extension.run("release", "matrix.yaml", "--build-number", "1")
    (sdist,) = extension.index.rglob("*.tar.gz")
    assert sdist.read_bytes() == before
    names = {path.name for path in extension.index.rglob("*.whl")}
    assert sum("1.2.0+plain-1-cp" in name for name in names) == 1 and len(names) == 2
    steps = extension.run("plan", "matrix.yaml", "--build-number", "1", "--format", "dot").stdout
    assert "build:" in steps and "sdist" not in steps
    state = json.loads(extension.run("status", "matrix.yaml", "--build-number", "1", "--json").stdout)
    assert state["complete"] and state["unplanned"] == []


def test_an_index_in_a_bucket(script, stack):
    pytest.importorskip("moto")
    index = stack.enter_context(bucket_index())
    script.environment = script.environment | index.variables
    publish_to(script, bucket={"kind": "s3", "bucket": index.url})
    assert "there is nothing to re-cut" in release(script, "--build-number", "1", code=6).stderr
    assert not index.paths()
    release(script)
    assert "re-cut of 1 file, 0 there" in release(script, "--build-number", "1").stderr
    assert sorted(index.listed()) == [SECOND, FIRST]
    untagged = script.run("status", "matrix.yaml", "--build-number", "1", code=5).stderr
    assert "hint: `git tag v1.2.0-r1 && git push origin v1.2.0-r1`" in untagged
    script.git("tag", "v1.2.0-r1")
    assert "release 1.2.0 build 1 is complete" in script.run("status", "matrix.yaml").stderr
    change(script, "other", "v1.2.0")
    script.start_afresh()
    assert "`bucket` already has different files with build number 1" in release(script, "--build-number", "1", code=6).stderr
    assert sorted(index.listed()) == [SECOND, FIRST]


@pytest.mark.takes(30)
def test_a_recut_is_promoted_apart_from_the_first_cut(script, stack, tmp_path):
    first, last = (stack.enter_context(empty_index(tmp_path / name)) for name in ("first", "last"))
    index = {"kind": "index", "auth": "none"}

    def edit(matrix):
        matrix["publish"] = {"require": "ran", "trial": index | {"url": first[1]}, "own": index | {"url": last[1]}}
        matrix["channels"] = {"release": {"publish": ["own"], "through": "trial"}}

    script.edit(edit)
    release(script)
    change(script, "second", "v1.2.0-r1")
    report = script.report("release", "matrix.yaml")
    installs = [step for step in report if step.startswith("install:")]
    assert installs and {report[step]["evidence"] for step in installs} == {"loaded"}
    for packages, _ in (first, last):
        assert sorted(path.name for path in packages.iterdir()) == [SECOND, FIRST]
    # Once more by hand, from the first index to one that does not have the version, and to one that does.
    record = script.output / "pinwheel-release.json"
    for held, code in (([], 6), ([FIRST], 0)):
        packages, url = stack.enter_context(empty_index(tmp_path / f"third-{code}"))
        for name in held:
            (packages / name).write_bytes((first[0] / name).read_bytes())
        promote = ["publish", "--from", first[1] + "simple/", "--record", str(record), "script-only==1.2.0"]
        ran = subprocess.run(
            [script.binary, *promote, "--repository-url", url, "--no-auth"],
            cwd=script.directory,
            env=script.environment,
            capture_output=True,
            text=True,
        )
        assert ran.returncode == code, ran.stderr
        assert sorted(path.name for path in packages.iterdir()) == ([SECOND, FIRST] if code == 0 else [])
