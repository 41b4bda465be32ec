"""The output of a failed job of GitHub Actions: the cause in annotations and in the step summary, once each."""

import os
import re
import subprocess

import pytest
from conftest import PYTHON, Project

RUN = {
    "GITHUB_SERVER_URL": "https://git.example",
    "GITHUB_REPOSITORY": "me/ops",
    "GITHUB_RUN_ID": "77",
}
ADDRESS = "https://git.example/me/ops/actions/runs/77"


class Job:
    """The annotations that GitHub would show for one failed command."""

    def __init__(self, project: Project, *arguments: str, code: int, **environment: str):
        summary = project.directory.parent / "summary.md"
        summary.unlink(missing_ok=True)
        given = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary), **RUN, **environment}
        self.stderr = project.run(*arguments, code=code, **given).stderr
        self.summary = summary.read_text()

    def errors(self) -> list[dict[str, str]]:
        """The properties of each error with its `message`, decoded as the runner does."""
        found = []
        for properties, message in re.findall(r"^::error ([^\n]*?)::([^\n]*)$", self.stderr, flags=re.MULTILINE):
            fields = dict(one.split("=", 1) for one in properties.split(","))
            found.append({key: decoded(value) for key, value in {**fields, "message": message}.items()})
        return found


def decoded(text: str) -> str:
    for code, character in {"%0A": "\n", "%0D": "\r", "%3A": ":", "%2C": ",", "%25": "%"}.items():
        text = text.replace(code, character)
    return text


@pytest.fixture
def script(project) -> Project:
    return project("script")


def test_a_broken_rule_is_named_with_its_file_and_hint(script):
    script.edit(lambda matrix: matrix.update(checks={"after": [{"size": "100 B"}]}))
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    job = Job(script, "build", "matrix.yaml", code=5)
    [error] = job.errors()
    assert error["title"] == "build:plain failed"
    violated, rule, *hints, again = error["message"].splitlines()
    assert violated.endswith(" violates 1 rule") and re.match(r"\[size\] `script_only-.*\.whl`: ", rule)
    assert all(line.startswith("hint: ") for line in hints)
    assert again == f"run this step again: pinwheel reproduce {ADDRESS} build:plain"
    assert error["message"] in job.summary


@pytest.mark.parametrize("where", [{}, {"GITHUB_ACTIONS": "true", **RUN}], ids=["here", "github"])
def test_the_log_of_a_failure_is_read_once_for_all_reports(script, tmp_path, where):
    script.edit(lambda matrix: matrix["build"].update(command=["sh", "-c", "echo it broke; exit 1"]))
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    summary = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")} if where else {}
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-qq", "-e", "trace=openat", "-o", str(trace), *script.command("build", "matrix.yaml")]
    ran = subprocess.run(command, cwd=script.directory, env={**script.environment, **where, **summary},
                         capture_output=True, text=True, timeout=300)
    assert ran.returncode == 1, ran.stderr
    assert "| it broke" in ran.stderr
    if where:
        assert "| it broke" in (tmp_path / "summary.md").read_text()
    read = [line for line in trace.read_text().splitlines() if re.search(r'build-plain[^"/]*\.log", O_RDONLY', line)]
    assert len(read) == 2, read  # to find out why the build failed, and for people


def test_one_cause_of_two_builds_is_one_annotation_with_both(script):
    script.edit(lambda matrix: matrix["build"].update(command=["python", "-c", "print('why'); raise SystemExit(3)"]))
    job = Job(script, "build", "matrix.yaml", "--keep-going", code=1)
    [error] = job.errors()
    assert error["title"] == "build:plain and build:loud failed"
    first, *log, others, again = error["message"].splitlines()
    assert first == "building `plain` failed: exit code 3" and log[-1] == "| why"
    assert all(line.startswith("| ") for line in log)
    assert others == "the same in: build:loud"
    assert again == f"run this step again: pinwheel reproduce {ADDRESS} build:plain"
    assert job.summary.count("\n| why\nthe same in: build:loud\n") == 1 and "#### `build:plain and build:loud` failed" in job.summary
    assert f"run this step again: pinwheel reproduce {ADDRESS} build:plain" in job.stderr


def test_two_causes_are_two_annotations(script):
    command = "import os; print('why', os.environ['SCRIPT_FLAVOR']); raise SystemExit(3)"
    script.edit(lambda matrix: matrix["build"].update(command=["python", "-c", command]))
    job = Job(script, "build", "matrix.yaml", "--keep-going", "-q", code=1)
    titles = [error["title"] for error in job.errors()]
    # The flavor is the name of the build, which does not distinguish causes; a number does.
    assert titles == ["build:plain and build:loud failed"]
    command = "import os; print('why', len(os.environ['SCRIPT_FLAVOR'])); raise SystemExit(3)"
    script.edit(lambda matrix: matrix["build"].update(command=["python", "-c", command]))
    job = Job(script, "build", "matrix.yaml", "--keep-going", "-q", code=1)
    assert [error["title"] for error in job.errors()] == ["build:plain failed", "build:loud failed"]


def test_a_compile_error_is_at_its_line_of_the_checkout(project):
    extension = project("extension", "work/checkout/ext")
    source = extension.directory / "src" / "tiny_ext" / "native.c"
    text = source.read_text()
    source.write_text(text.replace("return PyLong_FromLong(3 * value);", "return PyLong_FromLong(3 * valu);"))
    line = text[: text.index("3 * value")].count("\n") + 1
    extension.edit(lambda matrix: matrix["checks"].update(before=[]))
    job = Job(extension, "build", "matrix.yaml", "--keep-going", code=1, GITHUB_WORKSPACE=str(extension.directory.parent))
    [error] = job.errors()
    tag = "cp" + PYTHON.replace(".", "")
    assert (error["file"], error["line"]) == ("ext/src/tiny_ext/native.c", str(line))
    assert "valu" in error["message"] and f"build:{tag}-loud" in error["message"]
    assert f"--> {os.path.join('src', 'tiny_ext', 'native.c')}:{line}" in job.stderr


def test_an_error_of_the_matrix_is_at_its_line_and_in_the_summary(script):
    path = script.directory / "matrix.yaml"
    path.write_text(path.read_text() + "pubish: {}\n")
    job = Job(script, "plan", "matrix.yaml", code=2, GITHUB_WORKSPACE=str(script.directory))
    [error] = job.errors()
    assert (error["file"], error["line"], error["col"]) == ("matrix.yaml", str(path.read_text().count("\n")), "1")
    assert "hint: did you mean `publish`?" in error["message"] and error["message"] in job.summary


def test_a_gate_names_every_step_that_is_missing(script):
    script.run("plan", "matrix.yaml", "--out", "plan.json")
    job = Job(script, "release", "--plan", "plan.json", "--reuse-only", "--gate", code=5)
    [error] = job.errors()
    for step in ("build:plain", "build:loud"):
        assert f"`{step}` has no result in" in error["message"] and f"`{step}` has no result in" in job.summary


def test_a_gate_without_a_test_that_was_run_says_so(script):
    def change(matrix):
        matrix["axes"]["flavor"] = ["plain"]
        matrix["test"]["hardware"] = "gpu"
        matrix["publish"]["require"] = "none"

    script.edit(change)
    hidden = {"CUDA_VISIBLE_DEVICES": ""}
    job = Job(script, "release", "matrix.yaml", "--gate", code=0, **hidden)
    assert job.summary.startswith("### pinwheel: no test was run\n\nno test was run: 1 of 1 was skipped (no GPU here")
    assert "::warning" in job.stderr and "the gate passed, but no test was run: 1 of 1 was skipped" in job.stderr
    script.edit(lambda matrix: matrix["test"].pop("hardware"))
    job = Job(script, "release", "matrix.yaml", "--gate", code=0)
    assert job.summary.startswith("### pinwheel\n") and "no test was run" not in job.stderr + job.summary


def test_outside_github_nothing_is_annotated(script):
    script.edit(lambda matrix: matrix["build"].update(command=["python", "-c", "raise SystemExit(3)"]))
    output = script.run("build", "matrix.yaml", code=1).stderr
    assert "::error" not in output and "run this step again: pinwheel reproduce build:plain" in output
