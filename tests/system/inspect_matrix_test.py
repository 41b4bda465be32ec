"""`inspect --matrix` checks a wheel as `build` would, against the matrix's requirements for the variants it serves."""

import json
import shutil
import zipfile

import pytest
from conftest import PYTHON

VARIANT = f"cp{PYTHON.replace('.', '')}-plain"


@pytest.fixture
def extension(project):
    extension = project("extension")
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    extension.edit(lambda matrix: matrix["package"].update(sdist=False))
    return extension


@pytest.fixture
def wheel(extension):
    outcomes = extension.report("build", "matrix.yaml")
    (output,) = outcomes[f"build:{VARIANT}"]["outputs"]
    return output["path"]


@pytest.fixture
def foreign(wheel, tmp_path):
    """The same wheel without its build record."""
    bare = tmp_path / "bare"
    bare.mkdir()
    target = bare / wheel.rpartition("/")[2]
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            if entry.filename.endswith("/pinwheel.json"):
                continue
            data = old.read(entry)
            if entry.filename.endswith("/RECORD"):
                lines = [line for line in data.decode().splitlines(True) if "/pinwheel.json" not in line]
                data = "".join(lines).encode()
            new.writestr(entry, data)
    return str(target)


def judge(extension, file, *arguments, code=0):
    return extension.run("inspect", "--check", "--matrix", "matrix.yaml", *arguments, file, code=code)


def test_a_wheel_that_build_accepted_passes(extension, wheel):
    judge(extension, wheel)


def test_a_wheel_fails_a_matrix_with_stricter_requirements(extension, wheel):
    extension.edit(lambda matrix: matrix.setdefault("checks", {}).update(after=[{"size": "1 KB"}]))
    ran = judge(extension, wheel, code=5)
    assert "[size]" in ran.stdout and "1.0 KB" in ran.stdout
    # The command line takes precedence.
    judge(extension, wheel, "--size-limit", "100 MB")
    judge(extension, wheel, "--ignore", "size")


def test_the_torch_that_the_matrix_declares_is_checked(extension, wheel):
    def change(matrix):
        matrix["axes"]["torch"] = ["2.13"]
        matrix["abi"] = {"torch": "minor"}

    extension.edit(change)
    ran = judge(extension, wheel, "--variant", f"{VARIANT}-torch2.13")
    assert "undefined-symbols: judged on" in ran.stderr and "torch==2.13.*" in ran.stderr


def test_a_wheel_without_a_record_needs_a_named_variant(extension, foreign):
    ran = judge(extension, foreign, code=2)
    assert "has no record of the variants" in ran.stderr and "--variant" in ran.stderr
    judge(extension, foreign, "--variant", VARIANT)
    judge(extension, foreign, "--variant", f"build:{VARIANT}")
    ran = judge(extension, foreign, "--variant", VARIANT + "x", code=2)
    assert f"no variant or build `{VARIANT}x`" in ran.stderr


def test_a_wheel_of_another_matrix_is_reported(extension, wheel):
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["fancy"]))
    ran = judge(extension, wheel, code=2)
    assert f"serves `{VARIANT}`" in ran.stderr


def test_the_json_report_has_the_matrix_findings(extension, wheel, tmp_path):
    copy = shutil.copy(wheel, tmp_path)
    extension.edit(lambda matrix: matrix.setdefault("checks", {}).update(after=[{"size": "1 KB"}]))
    ran = extension.run("inspect", "--json", "--matrix", "matrix.yaml", str(copy))
    assert [finding["rule"] for finding in json.loads(ran.stdout)["findings"]] == ["debug-info", "size"]
