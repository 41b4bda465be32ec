"""Findings of wheel rules are in the log, the summary, the report and GitHub's annotations, also on reuse."""

import json
import pathlib
import re
import shutil

import pytest
from conftest import PYTHON

BUILD = f"build:cp{PYTHON.replace('.', '')}-plain"
TEST = BUILD.replace("build:", "test:")
FINDING = r"\[debug-info\] `tiny_ext/_native[^`]*\.so`: "


@pytest.fixture
def unstripped(project):
    """An extension with debug information, which is a warning."""
    extension = project("extension")
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    extension.edit(lambda matrix: matrix["package"].update(sdist=False))
    extension.edit(lambda matrix: matrix["environment"]["variables"].update(CFLAGS="-g"))
    return extension


def summary_of(stderr: str) -> str:
    """The lines of the summary that are about warnings."""
    return stderr[stderr.index("\nstep ") :].split("\n1 warning:\n")[1]


def test_a_finding_is_reported_when_it_is_made_and_when_the_build_is_reused(unstripped):
    made = unstripped.run("release", "matrix.yaml", "--channel", "ci", "--json")
    outcome = {each["id"]: each for each in json.loads(made.stdout)["outcomes"]}[BUILD]
    assert outcome["state"] == "done"
    [warning] = outcome["warnings"]
    assert re.match(FINDING, warning), warning
    assert re.search(FINDING, summary_of(made.stderr)) and f"warning     {BUILD}: [debug-info]" in made.stderr
    assert re.search("^warning: `tiny_ext-.*`: " + FINDING, pathlib.Path(outcome["log"]).read_text(), re.MULTILINE)

    again = unstripped.run("release", "matrix.yaml", "--channel", "ci", "--json")
    reused = {each["id"]: each for each in json.loads(again.stdout)["outcomes"]}[BUILD]
    assert reused["state"] == "reused" and reused["warnings"] == [warning]
    assert re.search(FINDING, summary_of(again.stderr))


def test_a_finding_comes_with_the_result_from_a_store(unstripped, tmp_path):
    store = f"dir:{tmp_path / 'store'}"
    unstripped.run("build", "matrix.yaml", "--store", store)
    unstripped.start_afresh()
    taken = unstripped.run("build", "matrix.yaml", "--store", store, "--json")
    [outcome] = [each for each in json.loads(taken.stdout)["outcomes"] if each["id"] == BUILD]
    assert outcome["state"] == "reused" and re.match(FINDING, outcome["warnings"][0])
    assert re.search(FINDING, summary_of(taken.stderr))


def test_github_annotates_a_finding_and_has_it_in_the_step_summary(unstripped, tmp_path):
    summary = tmp_path / "summary.md"
    ran = unstripped.run("test", "matrix.yaml", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    [annotation] = re.findall("^::warning .*$", ran.stderr, re.MULTILINE)
    title = BUILD.replace(":", "%3A")
    assert annotation.startswith(f"::warning title={title}::[debug-info] `tiny_ext/_native")
    assert re.search(r"\n#### 1 warning\n\n- " + BUILD + ": " + FINDING, summary.read_text())


def test_a_build_that_fails_tells_its_warnings_too(unstripped):
    unstripped.edit(lambda matrix: matrix.update(checks={"after": [{"size": "1 KB"}]}))
    outcome = unstripped.report("build", "matrix.yaml", code=5)[BUILD]
    size, warning = [cause["message"] for cause in outcome["error"]["causes"]]
    assert outcome["error"]["message"].endswith("violates 1 rule") and size.startswith("[size] ")
    assert re.match("warning: " + FINDING, warning)


def test_a_finding_that_the_project_accepts_is_not_reported(unstripped):
    unstripped.edit(lambda matrix: matrix["checks"].update(accept=["debug-info"]))
    ran = unstripped.run("build", "matrix.yaml", "--json")
    assert "debug-info" not in ran.stderr and '"warnings"' not in ran.stdout
    (name,) = unstripped.wheels()
    whole = ["inspect", "--check", "--strict", "--select", "debug-info"]
    assert "debug-info" in unstripped.run(*whole, str(unstripped.output / name), code=5).stdout
    unstripped.run("inspect", "--check", "--strict", "--matrix", "matrix.yaml", "--variant", BUILD[6:],
                   str(unstripped.output / name))  # fmt: skip


def test_a_rule_is_not_both_required_and_accepted(unstripped):
    unstripped.edit(lambda matrix: matrix["checks"].update(accept=["rpath"]))
    result = unstripped.run("build", "matrix.yaml", code=2).stderr
    assert "`checks` both requires and accepts `rpath`" in result


def test_native_code_without_a_compiler_run_is_reported(project):
    """A setup script that takes a finished wheel, as some torch extensions do."""
    extension = project("extension")
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    extension.edit(lambda matrix: matrix["package"].update(sdist=False))
    made = extension.report("build", "matrix.yaml")[BUILD]
    assert not any("compiled-here" in text for text in made.get("warnings", []))
    (wheel,) = [output["path"] for output in made["outputs"]]
    finished = extension.directory.parent / "finished"
    finished.mkdir()
    shutil.copy(wheel, finished)
    copy = ["sh", "-c", f"echo Guessing wheel URL; cp {finished}/*.whl {{dest_dir}}"]
    extension.edit(lambda matrix: matrix["build"].update(command=copy))
    result = extension.report("build", "matrix.yaml")[BUILD]
    [warning] = [text for text in result["warnings"] if "compiled-here" in text]
    assert warning.startswith("[compiled-here] `tiny_ext-") and "the build ran no compiler" in warning


def test_flags_for_this_machine_are_reported(project):
    extension = project("extension")
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    extension.edit(lambda matrix: matrix["package"].update(sdist=False))
    extension.edit(lambda matrix: matrix["environment"]["variables"].update(CFLAGS="-march=native"))
    result = extension.report("build", "matrix.yaml")[BUILD]
    assert any(text.startswith("[cpu-baseline] ") and "the build passes -march=native" in text for text in result["warnings"])
