"""Locks: other tools read what `env lock` writes, builds obey it, and it reproduces the environment."""

import hashlib
import json
import shutil
import subprocess
import sys
import tomllib

import pytest
from conftest import PYTHON, digests
from made_wheels import make_wheel
from packaging.pylock import Pylock, is_valid_pylock_path

TAG = "cp" + PYTHON.replace(".", "")
LOCK = f"pylock.{TAG}-plain.toml"


@pytest.fixture
def script(project, wheels):
    """A project whose environment needs two packages that only a user's directory has."""
    script = project("script")
    # Other tests resolved from their own wheels.
    script.resolutions = script.directory.parent / "resolutions"
    script.start_afresh()

    def change(matrix):
        matrix["axes"].update(flavor=["plain", "loud"])
        matrix["environment"]["pip"] = ["spam", "eggs<3"]

    script.edit(change)
    script.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    return script


def locks_of(script) -> dict[str, str]:
    return digests(script.directory / "matrix.locks")


def packages_of(script) -> dict[str, str]:
    text = (script.directory / "matrix.locks" / LOCK).read_text()
    return {each["name"]: each["version"] for each in tomllib.loads(text)["packages"]}


def asking(*requirements: str):
    return lambda matrix: matrix["environment"].update(pip=list(requirements))


def test_a_lock_is_a_valid_pylock_without_paths_of_this_machine(script, wheels):
    script.run("env", "lock", "matrix.yaml", PIP_EXTRA_INDEX_URL="https://me:word@mirror.invalid/simple")
    # Both variants have the same request, and the first gives the name.
    path = script.directory / "matrix.locks" / LOCK
    assert list(path.parent.iterdir()) == [path] and is_valid_pylock_path(path)
    text = path.read_text()
    lock = Pylock.from_dict(tomllib.loads(text))
    lock.validate()
    assert [(str(one.name), str(one.version)) for one in lock.packages] == [("eggs", "2.0"), ("spam", "1.0")]
    wheel = wheels / "spam-1.0-py3-none-any.whl"
    assert lock.packages[1].wheels[0].path == wheel.name
    assert lock.packages[1].wheels[0].hashes == {"sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    for secret in ("word", "mirror", "file:", str(wheels), str(script.directory)):
        assert secret not in text
    ours = tomllib.loads(text)["tool"]["pinwheel"]
    assert ours["variants"] == [f"{TAG}-plain", f"{TAG}-loud"]
    assert {"extra-index-url", "find-links", "no-index=1"} <= set(ours["pip-options"])


def test_the_same_packages_give_the_same_bytes(script):
    script.run("env", "lock", "matrix.yaml")
    before = locks_of(script)
    again = script.run("env", "lock", "matrix.yaml", "--refresh")
    assert "current" in again.stdout and locks_of(script) == before
    script.start_afresh()
    shutil.rmtree(script.directory / "matrix.locks")
    script.run("env", "lock", "matrix.yaml")
    assert locks_of(script) == before


def test_other_tools_install_from_a_lock(script, wheels, tmp_path):
    script.run("env", "lock", "matrix.yaml")
    # Files without a URL in the lock are next to it.
    for wheel in wheels.iterdir():
        shutil.copy(wheel, script.directory / "matrix.locks")
    venv = tmp_path / "venv"
    uv = [sys.executable, "-m", "uv", "--offline", "--no-config", "--cache-dir", str(tmp_path / "uv")]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(venv)], check=True)
    lock = script.directory / "matrix.locks" / LOCK
    sync = [*uv, "pip", "sync", "--quiet", "--preview", "--python", str(venv / "bin" / "python"), str(lock)]
    subprocess.run(sync, check=True)
    subprocess.run([str(venv / "bin" / "python"), "-c", "import spam, eggs"], check=True)


class TestCheck:
    def test_a_missing_lock_is_named_with_the_fix(self, script):
        refused = script.run("env", "lock", "--check", "matrix.yaml", code=7)
        assert f"`{LOCK}` is missing" in refused.stderr
        assert "pinwheel env lock matrix.yaml" in refused.stderr.split("hint:")[1]
        assert not (script.directory / "matrix.locks").exists()

    def test_a_new_lock_is_current_and_checking_it_needs_no_index(self, script):
        script.run("env", "lock", "matrix.yaml")
        script.start_afresh()
        script.run("env", "lock", "--check", "matrix.yaml", PIP_FIND_LINKS="/nonexistent")

    def test_each_difference_of_the_matrix_is_named(self, script):
        script.run("env", "lock", "matrix.yaml")
        script.edit(asking("spam", "eggs<2.5"))
        ran = script.run("env", "lock", "--check", "--json", "matrix.yaml", code=7)
        assert "`requirement` eggs<3 is gone; `requirement` eggs<2.5 is new" in ran.stderr
        report = json.loads(ran.stdout)
        assert report["schema"] == "pinwheel-locks/1"
        (lock,) = report["locks"]
        assert (lock["file"], lock["state"]) == (LOCK, "stale")
        assert {"what": "requirement", "locked": "", "now": "eggs<2.5"} in lock["differences"]

    def test_another_patchelf_makes_a_lock_stale(self, script):
        """Its version decides the bytes of a repaired wheel."""
        script.run("env", "lock", "matrix.yaml")
        path = script.directory / "matrix.locks" / LOCK
        now = tomllib.loads(path.read_text())["tool"]["pinwheel"]["patchelf"]
        path.write_text(path.read_text().replace(f'patchelf = "{now}"', 'patchelf = "0.1"'))
        refused = script.run("env", "lock", "--check", "matrix.yaml", code=7)
        assert f"`patchelf`: 0.1 -> {now}" in refused.stderr
        script.run("env", "lock", "matrix.yaml")
        script.run("env", "lock", "--check", "matrix.yaml")

    def test_changes_of_a_new_resolution_are_reported_on_request(self, script, wheels):
        script.run("env", "lock", "matrix.yaml")
        make_wheel(wheels, "spam", "1.1")
        script.run("env", "lock", "--check", "matrix.yaml")
        before = digests(script.state / "resolutions")
        output = script.run("env", "lock", "--check", "--refresh", "matrix.yaml", code=7)
        assert "`spam`: 1.0 -> 1.1" in output.stderr
        assert packages_of(script)["spam"] == "1.0" and digests(script.state / "resolutions") == before
        script.run("env", "lock", "matrix.yaml")
        assert packages_of(script)["spam"] == "1.0"
        moved = script.run("env", "lock", "--refresh", "matrix.yaml")
        assert "`spam`: 1.0 -> 1.1" in moved.stderr and packages_of(script)["spam"] == "1.1"

    def test_a_lock_changed_by_hand_is_damaged(self, script):
        script.run("env", "lock", "matrix.yaml")
        path = script.directory / "matrix.locks" / LOCK
        path.write_text(path.read_text().replace('version = "1.0"', 'version = "1.1"', 2))
        refused = script.run("env", "lock", "--check", "matrix.yaml", code=7)
        assert f"`{LOCK}` is not a valid lock" in refused.stderr
        script.run("env", "lock", "matrix.yaml")
        script.run("env", "lock", "--check", "matrix.yaml")

    def test_a_lock_without_an_environment_is_an_orphan(self, script):
        script.run("env", "lock", "matrix.yaml")
        script.edit(lambda matrix: matrix["axes"].update(flavor=["loud"]))
        refused = script.run("env", "lock", "--check", "matrix.yaml", code=7)
        assert f"`{LOCK}` locks no environment of this matrix" in refused.stderr
        script.run("env", "lock", "matrix.yaml")
        assert list(locks_of(script)) == [f"pylock.{TAG}-loud.toml"]


class TestBuild:
    def test_a_build_uses_the_packages_of_the_lock(self, script, wheels):
        script.run("env", "lock", "matrix.yaml")
        make_wheel(wheels, "spam", "1.1")
        script.start_afresh()
        script.run("build", "matrix.yaml", f"{TAG}-plain")
        (record,) = (script.state / "resolutions").glob("*.json")
        assert '"version": "1.0"' in record.read_text() and '"1.1"' not in record.read_text()

    def test_a_build_stops_at_a_stale_lock_unless_told_otherwise(self, script):
        script.run("env", "lock", "matrix.yaml")
        script.edit(asking("spam"))
        refused = script.run("build", "matrix.yaml", f"{TAG}-plain", code=7)
        assert "`requirement` eggs<3 is gone" in refused.stderr and "--no-lock" in refused.stderr.split("hint:")[1]
        assert script.wheels() == {} and script.journal() == []
        script.run("build", "matrix.yaml", f"{TAG}-plain", "--no-lock")
        refused = script.run("build", "matrix.yaml", "--refresh", code=2)
        assert "pinwheel env lock --refresh" in refused.stderr

    def test_a_different_file_of_the_same_name_is_refused(self, script, wheels):
        # An environment that another test made from the same lock would be reused.
        script.environment["PINWHEEL_CACHE_DIR"] = str(script.directory.parent / "cache")
        script.run("env", "lock", "matrix.yaml")
        make_wheel(wheels, "spam", "1.0", code="# not what was locked")
        refused = script.run("build", "matrix.yaml", f"{TAG}-plain", code=4)
        assert "DO NOT MATCH THE HASHES" in refused.stderr and script.wheels() == {}


def test_two_creations_from_one_lock_are_identical_file_by_file(script, tmp_path):
    script.run("env", "lock", "matrix.yaml")
    cache = tmp_path / "cache"
    made = []
    # Scripts contain the interpreter's path, so both are made at the same path.
    for _ in range(2):
        shutil.rmtree(cache, ignore_errors=True)
        script.start_afresh()
        script.run("build", "matrix.yaml", f"{TAG}-plain", PINWHEEL_CACHE_DIR=str(cache))
        (marker,) = (cache / "environments").glob("*/pinwheel-complete.json")
        environment = marker.parent
        made.append(digests(environment))
    different = [path for path in made[0] if made[0][path] != made[1].get(path)]
    # The completion marker says when the environment was made.
    assert made[0].keys() == made[1].keys() and different == ["pinwheel-complete.json"]
    assert any(path.endswith(f"spam.cpython-{TAG[2:]}.pyc") for path in made[0])


def test_a_difference_between_two_creations_is_reported(script, tmp_path):
    script.run("env", "lock", "matrix.yaml")
    here = {"PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
    script.run("build", "matrix.yaml", f"{TAG}-plain", **here)
    other = tmp_path / "other"
    shutil.copytree(tmp_path / "cache", other, symlinks=True)
    against = ["env", "list", "--against", str(other)]
    environment = [script.binary, *against]
    same = subprocess.run(environment, env={**script.environment, **here}, capture_output=True, text=True)
    assert same.returncode == 0 and same.stdout.endswith(": identical files\n"), same.stderr
    (module,) = other.rglob("site-packages/spam.py")
    module.write_text("changed = True\n")
    differs = subprocess.run(
        [*environment, "--json"], env={**script.environment, **here}, capture_output=True, text=True
    )
    assert differs.returncode == 5 and "1 environment differs" in differs.stderr
    (compared,) = json.loads(differs.stdout)["environments"]
    (file,) = compared["differences"]
    assert file["path"].endswith("site-packages/spam.py") and file["what"] == "other contents"


def test_one_package_is_upgraded_and_the_others_keep_their_versions(script, wheels):
    script.run("env", "lock", "matrix.yaml")
    assert packages_of(script) == {"eggs": "2.0", "spam": "1.0"}
    make_wheel(wheels, "spam", "1.1")
    make_wheel(wheels, "spam", "1.2", requires=["eggs>=2.5"])
    make_wheel(wheels, "eggs", "2.5")
    make_wheel(wheels, "eggs", "2.6")
    upgraded = script.run("env", "lock", "matrix.yaml", "--upgrade-package", "Spam")
    # 1.2 needs other eggs than the lock has.
    assert packages_of(script) == {"eggs": "2.0", "spam": "1.1"}
    assert f"{LOCK}: `spam`: 1.0 -> 1.1" in upgraded.stderr and "`eggs`" not in upgraded.stderr
    script.run("env", "lock", "matrix.yaml", "--check")
    script.run("env", "lock", "matrix.yaml", "--upgrade-package", "spam", "--upgrade-package", "eggs==2.5")
    assert packages_of(script) == {"eggs": "2.5", "spam": "1.2"}
    before = locks_of(script)
    script.run("env", "lock", "matrix.yaml", "--upgrade-package", "spam")
    assert locks_of(script) == before
    # A build uses what was upgraded.
    script.run("build", "matrix.yaml", f"{TAG}-plain")


def test_a_package_that_no_lock_has_cannot_be_upgraded(script):
    script.run("env", "lock", "matrix.yaml")
    before = locks_of(script)
    refused = script.run("env", "lock", "matrix.yaml", "--upgrade-package", "spa", code=2)
    assert "no lock has a package `spa`" in refused.stderr and "did you mean `spam`?" in refused.stderr
    script.run("env", "lock", "matrix.yaml", "--upgrade-package", "spam", "--check", code=2)
    script.run("env", "lock", "matrix.yaml", "--upgrade-package", "spam", "--refresh", code=2)
    assert locks_of(script) == before
