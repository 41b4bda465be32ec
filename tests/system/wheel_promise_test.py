"""A wheel that is not what the plan promised stops the run: its tags and its name."""

import json

import pytest
import yaml

PYTHONS = ["3.11", "3.12"]


@pytest.fixture
def script(project):
    return project("script")


def promise(script, python: str, tag: str, pythons=("3.11",), flavors=("plain", "loud"), **package: str) -> None:
    """Commits a matrix that promises `python` and a build that leaves `tag`."""

    def change(matrix):
        matrix["abi"] = {"python": python}
        matrix["axes"] = {"python": list(pythons), "flavor": list(flavors)}
        matrix["build"]["command"] += ["--tag", tag]
        matrix["package"].update(package)

    script.edit(change)


def failure(outcomes, step: str) -> dict:
    assert outcomes[step]["state"] == "failed", outcomes[step]
    error = outcomes[step]["error"]
    assert error["kind"] == "unplanned-wheel"
    return error


@pytest.mark.parametrize(
    ("python", "tag", "expected"),
    [
        ("limited(3.10)", "cp311-cp311-linux_x86_64", ("`cp311-cp311`", "`cp310-abi3`", "py_limited_api", "version")),
        ("limited(3.10)", "cp311-abi3-linux_x86_64", ("`cp311-abi3`", "`cp310-abi3`", "cp310", "limited(3.11)")),
        ("none", "cp311-cp311-linux_x86_64", ("`cp311-cp311`", "`py3-none`", "get_tag", "version")),
        ("none", "cp38-abi3-linux_x86_64", ("`cp38-abi3`", "`py3-none`", "get_tag", "limited(3.8)")),
    ],
)
def test_a_wheel_for_fewer_pythons_than_promised_stops_the_builds_of_its_kind(script, python, tag, expected):
    promise(script, python, tag)
    outcomes = script.report("build", "matrix.yaml", "--keep-going", "-j", "1", code=5)
    states = [outcome["state"] for step, outcome in outcomes.items() if step.startswith("build:")]
    assert sorted(states) == ["blocked", "failed"]
    (failed,) = [step for step, outcome in outcomes.items() if outcome["state"] == "failed"]
    error = failure(outcomes, failed)
    output = error["message"] + " " + error["hint"]
    assert all(word in output for word in expected), output
    assert script.wheels() == {}


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("pyproject.toml", "[build-system]\nrequires = []\nbuild-backend = 'scikit_build_core.build'\n", "wheel.py-api"),
        ("pyproject.toml", "[build-system]\nrequires = []\nbuild-backend = 'mesonpy'\n", "limited-api"),
        ("pyproject.toml", "[build-system]\nrequires = []\nbuild-backend = 'maturin'\n", "abi3-py310"),
    ],
)
def test_the_hint_has_the_fix_for_the_backend(script, file, text, expected):
    (script.directory / file).write_text(text)
    promise(script, "limited(3.10)", "cp311-cp311-linux_x86_64", flavors=["plain"])
    outcomes = script.report("build", "matrix.yaml", code=5)
    assert expected in failure(outcomes, "build:plain")["hint"]


def test_a_wheel_that_several_builds_would_write_is_stopped_at_the_first(script):
    promise(script, "version", "py3-none-any", PYTHONS, ["plain"])
    outcomes = script.report("release", "matrix.yaml", "--keep-going", "-j", "1", code=5)
    builds = {step: outcome["state"] for step, outcome in outcomes.items() if step.startswith("build:")}
    assert sorted(builds.values()) == ["blocked", "failed"]
    (failed,) = [step for step, state in builds.items() if state == "failed"]
    error = failure(outcomes, failed)
    assert all(step in error["message"] for step in builds if step != failed)
    assert "abi: {python: none}" in error["hint"]
    assert script.wheels() == {}


def test_a_wheel_for_more_pythons_that_collides_with_none_is_a_warning(script):
    promise(script, "version", "py3-none-any", flavors=["plain"])
    ran = script.run("build", "matrix.yaml", "--json")
    (outcome,) = [each for each in json.loads(ran.stdout)["outcomes"] if each["id"] == "build:cp311-plain"]
    (warning,) = outcome["warnings"]
    assert "`py3-none`" in warning and "abi: {python: none}" in warning
    assert f"warning     build:cp311-plain: {warning}\n" in ran.stderr


def test_what_was_promised_passes_without_a_word(script):
    promise(script, "limited(3.10)", "cp310-abi3-linux_x86_64", PYTHONS, ["plain"])
    outcomes = script.report("build", "matrix.yaml")
    (build,) = [outcome for step, outcome in outcomes.items() if step.startswith("build:")]
    assert build["state"] == "done" and "warnings" not in build


def test_a_mistyped_name_does_not_rename_the_wheel(script):
    promise(script, "none", "py3-none-any", flavors=["plain"], name="script-onlyy")
    error = failure(script.report("build", "matrix.yaml", code=5), "build:plain")
    assert "`script_only`" in error["message"] and "`script-onlyy`" in error["message"]
    assert script.wheels() == {}


def test_a_target_may_name_the_wheel_itself(script):
    promise(script, "none", "py3-none-any", flavors=["plain"], name="script-onlyy")
    script.edit(lambda matrix: matrix["publish"]["index"].update(name="another-name"))
    script.report("build", "matrix.yaml")
    assert [name.split("-")[0] for name in script.wheels()] == ["another_name"]


COUNTED = """\
import pathlib
from setuptools import Extension, setup
with open({count!r}, "a") as file:
    file.write("built\\n")
setup(name="counted", version="1.0", ext_modules=[Extension("counted", ["counted.c"])])
"""
MODULE = """\
#include <Python.h>
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "counted", 0, -1, 0};
PyMODINIT_FUNC PyInit_counted(void) { return PyModule_Create(&def); }
"""


@pytest.fixture
def counted(script, tmp_path):
    """The project as an extension that counts how often its setup.py builds a wheel; returns the count."""
    count = tmp_path / "count"
    for file in script.directory.iterdir():
        if file.is_file():
            file.unlink()
    (script.directory / "setup.py").write_text(COUNTED.format(count=str(count)))
    (script.directory / "counted.c").write_text(MODULE)
    (script.directory / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    )
    write(script, "none")
    script.commit()

    def number() -> int:
        # A hook of the backend may run setup.py more than once for a wheel.
        return len(count.read_text().splitlines()) if count.exists() else 0

    return number


def write(script, python: str, **variables: str) -> None:
    """Writes a matrix, as somebody edits it between two runs."""
    matrix = {
        "schema": "pinwheel/1",
        "package": {"name": "counted", "source": ".", "version": {"from": "project"}},
        "axes": {"python": ["3.11"]},
        "abi": {"python": python},
    }
    if variables:
        matrix["environment"] = {"variables": variables}
    (script.directory / "matrix.yaml").write_text(yaml.safe_dump(matrix))


def test_what_was_refused_for_its_name_alone_is_not_compiled_again(script, counted):
    failed = script.run("build", "matrix.yaml", code=5)
    assert "warning: `abi.python` promises `none`, but the build will probably make `version`" in failed.stderr
    assert "write `abi: {python: version}`: its libraries use symbols of CPython" in failed.stderr
    compiled = counted()
    assert compiled > 0
    # The same matrix is compiled again: the machine may have changed.
    script.run("build", "matrix.yaml", code=5)
    assert counted() > compiled
    compiled = counted()
    write(script, "version")
    script.run("build", "matrix.yaml")
    assert counted() == compiled
    assert [name for name in script.wheels()][0].startswith("counted-1.0-cp311-cp311-")
    assert not list(script.state.glob("kept-wheels/*/*.whl"))
    assert "nothing is compiled again" in script.run("logs", "build:cp311").stdout


def test_another_variable_of_the_build_compiles_again(script, counted):
    script.run("build", "matrix.yaml", code=5)
    compiled = counted()
    write(script, "version", CFLAGS="-O1")
    script.run("build", "matrix.yaml")
    assert counted() > compiled


def test_a_promise_that_the_backends_tables_break_stops_before_the_build(script, counted):
    (script.directory / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["scikit-build-core"]\nbuild-backend = "scikit_build_core.build"\n'
        '[project]\nname = "counted"\nversion = "1.0"\n'
        '[tool.scikit-build]\nwheel.cmake = false\n'
        '[[tool.scikit-build.overrides]]\nif.cmake-wheel = true\nwheel.cmake = true\n'
    )
    script.commit()
    for command in ("plan", "build"):
        stopped = script.run(command, "matrix.yaml", code=2)
        assert "`abi.python` promises `none`, but the build will make `version`" in stopped.stderr
        assert "hint: write `abi: {python: version}`" in stopped.stderr
    write(script, "version")
    script.run("plan", "matrix.yaml")
