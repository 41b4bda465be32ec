"""A test sees what a user's environment has: a Python, the wheel with its own requirements, and `test.pip`."""

import pathlib

import pytest
from conftest import PYTHON

TEST = f"test:cp{PYTHON.replace('.', '')}-plain"


@pytest.fixture
def package(project):
    """An extension whose build has `packaging` and the program `meson`, which this machine lacks."""
    package = project("extension")
    package.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    package.edit(lambda matrix: matrix["package"].update(sdist=False))
    package.edit(lambda matrix: matrix["environment"].update(pip=["setuptools>=77", "wheel", "build", "packaging", "meson"]))
    package.edit(lambda matrix: matrix["test"].pop("command"))
    return package


def add_code(package, text: str) -> None:
    module = package.directory / "src" / "tiny_ext" / "__init__.py"
    module.write_text(module.read_text() + text)
    package.commit()


def require(package, requirement: str) -> None:
    """Adds to the wheel's `Requires-Dist`."""
    file = package.directory / "pyproject.toml"
    text = file.read_text()
    assert "[project]\n" in text and "dependencies" not in text
    file.write_text(text.replace("[project]\n", f'[project]\ndependencies = ["{requirement}"]\n'))
    package.commit()


def outcome_of(package, code: int = 0) -> dict:
    return package.report("test", "matrix.yaml", code=code)[TEST]


def log_of(outcome: dict) -> str:
    return pathlib.Path(outcome["log"]).read_text()


@pytest.mark.parametrize("module", ["packaging", "setuptools", "pip"])
def test_a_wheel_that_does_not_require_what_it_imports_fails_its_test(package, module):
    add_code(package, f"\nimport {module}\n")
    outcome = outcome_of(package, code=1)
    assert outcome["state"] == "failed"
    assert f"No module named '{module}'" in log_of(outcome)


def test_the_requirements_of_a_wheel_win_over_those_of_its_build(package):
    add_code(package, "\nimport packaging\nassert packaging.__version__ < '24', packaging.__version__\n")
    require(package, "packaging<24")
    assert outcome_of(package)["state"] == "done"


def test_an_older_version_can_be_tested_than_the_build_has(package):
    check = "import packaging; assert packaging.__version__ == '23.2', packaging.__version__"
    package.edit(lambda matrix: matrix["test"].update(pip=["packaging==23.2"], command=["python", "-c", check]))
    outcome = outcome_of(package)
    assert outcome["evidence"] == "ran" and "environment" not in outcome
    log = log_of(outcome)
    assert f"this test sees Python {PYTHON}." in log and "packaging 23.2" in log and "tiny-ext 1.2.0" in log
    assert "setuptools" not in log


def test_the_path_of_a_test_has_no_program_of_the_build(package):
    check = "import shutil, sys; sys.exit(shutil.which('meson') or 0)"
    package.edit(lambda matrix: matrix["test"].update(command=["python", "-c", check]))
    assert outcome_of(package)["evidence"] == "ran"


def test_the_environment_of_the_build_is_a_choice_that_the_evidence_names(package):
    check = "import packaging, setuptools, shutil; assert shutil.which('meson')"
    package.edit(lambda matrix: matrix["test"].update(environment="build", command=["python", "-c", check]))
    ran = package.run("test", "matrix.yaml")
    assert "(ran in the build's environment)" in ran.stderr
    again = package.whole_report("test", "matrix.yaml")
    (outcome,) = (each for each in again["outcomes"] if each["id"] == TEST)
    assert outcome["state"] == "reused" and outcome["environment"] == "build"


def test_what_a_test_sees_decides_whether_it_is_run_again(package):
    assert outcome_of(package)["state"] == "done"
    assert outcome_of(package)["state"] == "reused"
    package.edit(lambda matrix: matrix["test"].update(environment="build"))
    assert outcome_of(package)["state"] == "done"


def test_variants_with_one_python_share_the_environment_of_their_tests(package):
    package.edit(lambda matrix: matrix["axes"].update(flavor=["plain", "loud"]))
    outcomes = package.report("test", "matrix.yaml")
    assert sum(name.startswith("test:") for name in outcomes) == 2
    assert sum(name.startswith("env:") for name in outcomes) == 2, "one for the builds, one for the tests"
