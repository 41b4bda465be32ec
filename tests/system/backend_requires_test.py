"""Requirements that only the backend knows: it is asked once, in the environment of the build."""

import json
import tomllib

import pytest

BACKEND = """\
import pathlib, sys
import eggs

print("this is not the answer")
REQUIRED = ["spam"]


def get_requires_for_build_wheel(config_settings=None):
    asked = pathlib.Path({asked!r})
    asked.write_text(asked.read_text() + sys.prefix + "\\n" if asked.exists() else sys.prefix + "\\n")
    pathlib.Path("left-behind").touch()
    {hook}
    return REQUIRED
"""

PYPROJECT = """\
[build-system]
requires = ["eggs<3"]
build-backend = "own_backend"
backend-path = ["backend"]
"""


class Asking:
    """A project with its own backend, which requires `eggs` in writing and `spam` when asked."""

    def __init__(self, script):
        self.script = script
        self.asked = script.directory.parent / "asked"
        self.write()

    def write(self, hook: str = "pass") -> None:
        directory = self.script.directory
        (directory / "backend").mkdir(exist_ok=True)
        (directory / "backend" / "own_backend.py").write_text(BACKEND.format(asked=str(self.asked), hook=hook))
        (directory / "pyproject.toml").write_text(PYPROJECT)
        self.script.commit()

    def times(self) -> int:
        return len(self.asked.read_text().splitlines()) if self.asked.exists() else 0


@pytest.fixture
def asking(project, wheels):
    script = project("script")
    script.resolutions = script.directory.parent / "resolutions"
    script.start_afresh()

    def change(matrix):
        matrix["build"]["command"] = [
            "python",
            "-c",
            "import spam, eggs, runpy, sys; sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')",
            "{package}/make_wheel.py",
            "{dest_dir}",
        ]
        matrix["package"]["sdist"] = False

    script.edit(change)
    script.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    return Asking(script)


def test_the_answer_is_installed_and_asked_once(asking):
    first = asking.script.run("build", "matrix.yaml")
    assert "asking `own_backend` what `build:" in first.stderr
    assert asking.times() == 1
    # It was asked in the environment of the build, and left nothing in the source.
    assert asking.asked.read_text().strip() != "" and not (asking.script.directory / "left-behind").exists()
    again = asking.script.run("build", "matrix.yaml")
    assert asking.times() == 1 and "asking" not in again.stderr
    asking.script.run("build", "matrix.yaml", "--refresh")
    assert asking.times() == 2


def test_a_step_alone_asks_what_it_needs(asking):
    asking.script.edit(lambda matrix: matrix["axes"].update(flavor=["plain", "loud"]))
    output = asking.script.run("build", "matrix.yaml", "--step", "build:loud")
    assert "asking `own_backend`" in output.stderr and asking.times() == 1
    (wheel,) = asking.script.wheels()
    assert "+loud" in wheel


def test_another_backend_is_asked_again_and_another_source_is_not(asking):
    asking.script.run("build", "matrix.yaml")
    (asking.script.directory / "native.c").write_text("int x;\n")
    asking.script.commit()
    asking.script.run("build", "matrix.yaml")
    assert asking.times() == 1
    asking.write("print('changed')")
    asking.script.run("build", "matrix.yaml")
    assert asking.times() == 2


def test_it_can_be_turned_off_and_ids_ask_nothing(asking):
    asking.script.run("plan", "matrix.yaml", "--format", "ids")
    asking.script.run("plan", "matrix.yaml")
    assert asking.times() == 0
    asking.script.edit(lambda matrix: matrix["environment"].update({"build-requires": "none", "pip": ["eggs", "spam"]}))
    asking.script.run("build", "matrix.yaml")
    assert asking.times() == 0


def test_a_lock_and_a_frozen_plan_store_the_answer(asking):
    script = asking.script
    script.run("env", "lock", "matrix.yaml")
    assert asking.times() == 1
    (path,) = (script.directory / "matrix.locks").iterdir()
    lock = tomllib.loads(path.read_text())
    assert {each["name"] for each in lock["packages"]} == {"eggs", "spam"}
    assert lock["tool"]["pinwheel"]["backend"]["requires"] == ["spam"]
    plan = script.directory.parent / "plan.json"
    script.run("plan", "matrix.yaml", "--no-lock", "--out", str(plan))
    # Another machine has neither the record nor an index that knows more.
    for source in ((), ("--plan", str(plan))):
        script.start_afresh()
        script.run("build", "matrix.yaml", *source)
        assert asking.times() == 1
    script.start_afresh()
    script.run("env", "lock", "--check", "matrix.yaml")
    assert asking.times() == 1


def test_an_older_lock_is_stale_and_says_why(asking):
    """It has what the files of the project say, and nothing of the backend."""
    script = asking.script
    script.edit(lambda matrix: matrix["environment"].update({"build-requires": "none", "pip": ["eggs<3"]}))
    script.run("env", "lock", "matrix.yaml")
    script.edit(lambda matrix: [matrix["environment"].pop(key) for key in ("build-requires", "pip")])
    refused = script.run("build", "matrix.yaml", code=7)
    assert "is out of date: `requirement` spam is new" in refused.stderr
    script.run("env", "lock", "matrix.yaml")
    script.commit()
    script.run("build", "matrix.yaml")
    assert asking.times() == 1


def test_a_failed_backend_is_reported_with_its_last_lines(asking):
    asking.write("sys.exit('no compiler for this')")
    refused = asking.script.run("build", "matrix.yaml", code=1)
    assert "the backend `own_backend` does not say what a build requires" in refused.stderr
    assert "no compiler for this" in refused.stderr and "build-requires: none" in refused.stderr
    log = refused.stderr.split("its output is in `")[1].split("`")[0]
    assert "this is not the answer" in open(log).read()


def test_computed_setup_requires_is_found(project, wheels):
    """setuptools is asked by running the project's own `setup.py`."""
    extension = project("extension")
    extension.environment |= {"PIP_FIND_LINKS": str(wheels)}
    setup = extension.directory / "setup.py"
    setup.write_text(setup.read_text().replace("version=version(),", "version=version(), setup_requires=['sp' + 'am'],"))

    def change(matrix):
        matrix["environment"].pop("pip")
        matrix["axes"]["flavor"] = ["plain"]
        matrix["checks"].pop("before")
        matrix["build"].pop("command")
        matrix["package"]["sdist"] = False

    extension.edit(change)
    ran = extension.run("build", "matrix.yaml")
    assert "asking `setuptools.build_meta` what" in ran.stderr
    (record,) = (extension.state / "backends").glob("*.json")
    assert "spam" in json.loads(record.read_text())["requires"]
