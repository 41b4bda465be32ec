"""Completion knows what is in the matrix and in the journal, and bash gets it in the form it expects."""

import subprocess

import pytest

MATRIX = """schema: pinwheel/1
package: {name: demo, source: ..}
axes: {python: ["3.11", "3.12"], compute: [cpu, cuda/13.0]}
abi: {python: none, compute: major}
build: {command: [python, build.py, "{dest_dir}"]}
channels: {nightly: {publish: [wheels]}, release: {publish: [wheels]}}
publish: {wheels: {kind: directory, path: ../index, label: local}}
"""
JOURNAL = """{"journal":1}
{"started":{"id":"build:cpu","key":"k","attempt":1},"at":"2026-01-02T03:04:05Z"}
{"finished":{"id":"build:cpu","key":"k","state":"failed","attempts":1,"elapsed_ms":10},"at":"2026-01-02T03:04:06Z"}
{"started":{"id":"test:cp312-cpu","key":"k","attempt":1},"at":"2026-01-02T03:04:07Z"}
"""


@pytest.fixture
def project(repository):
    return repository({"matrix/demo.yaml": MATRIX, "pyproject.toml": "", "build.py": ""})


@pytest.fixture
def complete(pinwheel, project):
    """A function from a line to what may follow."""

    def words(line: str) -> list[str]:
        ran = subprocess.run([pinwheel, "complete", line], cwd=project, check=True, capture_output=True, text=True)
        return ran.stdout.split()

    return words


def test_commands_and_options(complete):
    assert complete("pinwheel rel") == ["release"]
    assert "complete" not in complete("pinwheel ") and "env" in complete("pinwheel ")
    assert complete("pinwheel env l") == ["list", "lock"]
    assert complete("pinwheel build --keep") == ["--keep-failed", "--keep-going"]
    assert complete("pinwheel build --log-f") == ["--log-file", "--log-format"]
    assert complete("pinwheel plan --format ") == ["dot", "fingerprint", "github", "ids", "json", "support-table", "table"]
    assert complete("pinwheel build --log-format j") == ["json"]
    assert complete("pinwheel completion ") == ["bash", "fish", "man", "zsh"]
    assert complete("pinwheel docs build.arch") == ["build.arch-list"]
    assert complete("pinwheel inspect ") == []


def test_what_the_matrix_names(complete):
    assert complete("pinwheel build -s ") == ["compute=", "python="]
    assert complete("pinwheel build --select python=") == ["python=3.11", "python=3.12"]
    assert complete("pinwheel build -s python=3.11,3.1") == ["python=3.11,3.11", "python=3.11,3.12"]
    assert complete("pinwheel build -s compute=!cu") == ["compute=!cuda/13.0"]
    assert complete("pinwheel build matrix/demo.yaml --only cp311-") == ["cp311-cpu", "cp311-cu130"]
    assert complete("pinwheel plan --channel ") == ["nightly", "release"]
    assert complete("pinwheel release --target ") == ["wheels"]
    assert complete("pinwheel build m") == ["matrix/demo.yaml"]
    assert complete("pinwheel explain build:") == ["build:cpu", "build:cu13"]
    assert complete("pinwheel build missing.yaml --only ") == []


def test_install_tests_of_a_release_through_another_target(complete, project):
    through = MATRIX.replace("release: {publish: [wheels]}", "release: {publish: [own], through: trial}")
    indexes = "".join(f'  {name}: {{kind: index, url: "https://{name}.example.org/"}}\n' for name in ("trial", "own"))
    matrix = through.replace("publish: {wheels: {kind", "publish:\n  wheels: {kind").replace("label: local}}", "label: local}")
    (project / "matrix" / "demo.yaml").write_text(matrix + indexes)
    installs = [f"install:cp{python}-{label}" for python in (311, 312) for label in ("cpu", "cu130")]
    assert complete("pinwheel explain install:") == installs
    assert complete("pinwheel explain test:cp311-c") == ["test:cp311-cpu", "test:cp311-cu130"]
    assert complete("pinwheel release --step install:cp311") == installs[:2]
    assert complete("pinwheel ci explain install:cp312-cpu") == ["install:cp312-cpu"]
    assert not any(word.startswith("publish:") for word in complete("pinwheel explain "))
    assert complete("pinwheel build install:") == []


def test_steps_that_were_run(complete, project):
    assert complete("pinwheel logs ") == []
    (project / ".pinwheel").mkdir()
    (project / ".pinwheel" / "journal.jsonl").write_text(JOURNAL)
    assert complete("pinwheel logs b") == ["build:cpu"]
    assert complete("pinwheel logs ") == ["build:cpu", "test:cp312-cpu"]
    (project / ".pinwheel").rename(project / "state")
    assert complete("pinwheel logs ") == []
    assert complete("pinwheel --state-dir state logs b") == ["build:cpu"]
    assert complete("pinwheel logs --state-dir=state t") == ["test:cp312-cpu"]


def test_steps_and_jobs_of_the_matrix(complete):
    steps = ["build:cpu", "build:cu13", "publish:wheels"]
    tests = [f"test:cp{python}-{label}" for python in (311, 312) for label in ("cpu", "cu130")]
    for command in ("build", "test matrix/demo.yaml", "release -k", "test -s python=3.11"):
        assert complete(f"pinwheel {command} --step ") == [*steps, *tests]
    assert complete("pinwheel build --step test:cp312-cu") == ["test:cp312-cu130"]
    jobs = complete("pinwheel ci explain ")
    assert {"build:cpu", "build:cu13", "plan", "gate", "matrix/demo.yaml", *tests} <= set(jobs)
    assert complete("pinwheel ci explain gat") == ["gate"]
    assert complete("pinwheel ci explain build:cu13 m") == ["matrix/demo.yaml"]


@pytest.mark.parametrize(
    "line, replies",
    [
        ("pinwheel build -s pyth", ["python="]),
        ("pinwheel build -s python=3.1", ["3.11", "3.12"]),
        ("pinwheel explain build:cp", ["cpu"]),
        ("pinwheel build --step test:cp312-cu", ["cp312-cu130"]),
        ("pinwheel ci explain build:cu", ["cu13"]),
        ("pinwheel build --keep-f", ["--keep-failed"]),
    ],
)
def test_bash_replaces_what_stands_behind_its_own_separators(pinwheel, project, tmp_path, line, replies):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pinwheel").symlink_to(pinwheel)
    script = subprocess.run([pinwheel, "completion", "bash"], check=True, capture_output=True, text=True).stdout
    asked = f"""compopt() {{ :; }}
{script}
COMP_LINE={line!r} COMP_POINT={len(line)}
_pinwheel
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    ran = subprocess.run(
        ["bash", "-c", asked],
        cwd=project,
        env={"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.split() == replies, ran.stderr


def test_the_manual_has_the_values_of_options_and_the_keys_of_the_matrix(pinwheel):
    manual = subprocess.run([pinwheel, "completion", "man"], check=True, capture_output=True, text=True).stdout
    assert "{json|plain|pretty}" in manual and ".SH MATRIX FILE" in manual
    assert ".B build.arch\\-list\nlist; default: what the project chooses: device architectures" in manual
