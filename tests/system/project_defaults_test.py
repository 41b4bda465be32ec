"""Defaults of a matrix come from the project: its build, and the build's requirements."""

import pytest


@pytest.fixture
def extension(project):
    """A project with a matrix that says nothing about builds."""
    one = project("extension")

    def change(matrix):
        matrix["environment"].pop("pip")
        matrix["axes"]["flavor"] = ["plain"]
        matrix["checks"].pop("before")
        matrix["build"].pop("command")

    one.edit(change)
    return one


def requirements(project) -> str:
    """The requirements that the first environment of a dry run installs."""
    return project.run("build", "--dry-run", "matrix.yaml").stdout


def test_the_project_is_built_by_its_own_backend_with_what_it_requires(extension):
    extension.edit(lambda matrix: matrix.pop("build"))
    outcomes = extension.report("test", "matrix.yaml")
    assert {step.split(":")[0]: each["state"] for step, each in outcomes.items()} == {
        "env": "done",
        "sdist": "done",
        "build": "done",
        "test": "done",
    }


def test_files_that_the_matrix_names_are_its_own_and_a_contradiction_is_reported(extension):
    extension.edit(lambda matrix: matrix["environment"].update(pip=["setuptools==70.3.0"]))
    assert "setuptools==70.3.0 " in requirements(extension)
    pyproject = extension.directory / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('"setuptools"', '"setuptools>=71"'))
    extension.commit()
    ran = extension.run("build", "--dry-run", "matrix.yaml")
    assert "the matrix installs `setuptools==70.3.0`, but" in ran.stderr
    assert "`setuptools>=71`" in ran.stderr
    assert "setuptools==70.3.0 " in ran.stdout


def test_it_can_be_turned_off(extension):
    extension.edit(lambda matrix: matrix["environment"].update({"build-requires": "none"}))
    assert "setuptools==" not in requirements(extension)
    assert "build==" in requirements(extension)


def test_a_project_that_needs_torch_gets_a_hint_to_name_one(extension):
    pyproject = extension.directory / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('"setuptools"', '"setuptools", "torch>=2"'))
    extension.commit()
    ran = extension.run("build", "matrix.yaml", code=2)
    assert "the project requires torch to build, but `matrix.yaml` has no torch" in ran.stderr
    assert "environment: {torch:" in ran.stderr


def test_a_broken_pyproject_is_named_with_its_line(extension):
    (extension.directory / "pyproject.toml").write_text("[build-system]\nrequires = 'setuptools'\n")
    extension.commit()
    ran = extension.run("build", "matrix.yaml", code=2)
    assert "pyproject.toml:2" in ran.stderr and "`requires` must be a list of strings" in ran.stderr
