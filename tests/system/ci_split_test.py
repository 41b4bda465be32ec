"""The jobs of split builds (`build.split`) in generated workflows: each architecture compiles in a job of its own, and
the job of the build puts the results together."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from act_workflows import Workflows
from gitlab import Pipelines
from split_builds import NEEDS_NVCC, Split, library_in, torchs_steps

PROGRAMS = Path(sys.executable).parent
LINTERS = (["actionlint", "-no-color", "-shellcheck=", "-pyflakes="],
           ["zizmor", "--offline", "--persona", "auditor", "--format", "plain"])  # fmt: skip
BROKEN = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n#error it broke\n#endif"


@pytest.fixture
def split(project):
    made = Split(project("script"))
    made.use(steps=torchs_steps())
    made.script.edit(lambda matrix: matrix["test"].update(command=["python", "-c", "import script_only"]))
    return made


def kinds(results: list[str]) -> list[str]:
    """The kinds of the steps that left these artifacts."""
    return sorted(name.split("-")[1] for name in results)


def plain_library(split: Split) -> bytes:
    """The library of a build in one step."""
    split.use(None, torchs_steps("nvcc"))
    split.build()
    return library_in(split.script.output)


@NEEDS_NVCC
@pytest.mark.workflows
@pytest.mark.takes(180)
def test_jobs_that_share_only_artifacts_make_the_wheel_of_one_job(split, tmp_path):
    workflows = Workflows(split.script, tmp_path / "act")
    ran = workflows.run("ci", "pull_request")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert kinds(workflows.results()) == ["build", "device", "device", "test"]
    # The device code in the job of the build, and the build and the test in the gate.
    assert ran.stdout.count("found 2 results in the store") == 2, ran.stdout
    (built,) = workflows.artifacts.glob("result-build-*")
    assert library_in(built) == plain_library(split)


@NEEDS_NVCC
@pytest.mark.workflows
@pytest.mark.takes(240)
def test_a_wheel_in_the_store_needs_no_device_code(split, tmp_path):
    split.script.edit(lambda matrix: matrix.update(ci={"store": f"dir:{tmp_path / 'store'}"}))
    workflows = Workflows(split.script, tmp_path / "act")
    first = workflows.run("ci", "pull_request")
    assert first.returncode == 0, first.stdout + first.stderr
    assert kinds(workflows.results()) == ["build", "device", "device", "test"]
    assert "its device code is not needed" not in first.stdout
    # Another plan, because of its commit, with the same wheel.
    split.script.edit(lambda matrix: matrix["build"].update(timeout="31 min"))
    workflows.forget()
    again = workflows.run("ci", "pull_request")
    assert again.returncode == 0, again.stdout + again.stderr
    assert again.stdout.count("the store has the wheel, so its device code is not needed") == 2
    assert "device" not in kinds(workflows.results())


@NEEDS_NVCC
@pytest.mark.takes(120)
def test_no_build_starts_after_device_code_that_does_not_compile(split, tmp_path):
    split.write(include=BROKEN)
    workflows = Workflows(split.script, tmp_path / "act")
    ran = workflows.run("release", "push")
    assert ran.returncode != 0
    assert kinds(workflows.results()) == ["device"]
    gate = [line for line in ran.stdout.splitlines() if line.startswith("[pinwheel-release/pinwheel")]
    assert any("build:" in line for line in gate), ran.stdout


@NEEDS_NVCC
@pytest.mark.workflows
@pytest.mark.takes(180)
def test_a_pipeline_has_a_job_for_each_architecture_that_only_its_build_needs(split, tmp_path):
    pipelines = Pipelines(split.script, tmp_path / "gitlab")
    ran = pipelines.run("ci")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert kinds(pipelines.results()) == ["build", "device", "device", "test"]
    built = next(path for path in pipelines.artifacts.rglob("result-build-*") if path.is_dir())
    assert library_in(built) == plain_library(split)


@NEEDS_NVCC
def test_the_jobs_of_a_workflow_are_listed_by_its_plan_and_explained(split, tmp_path):
    plan = str(tmp_path / "plan.json")
    split.script.run("plan", "matrix.yaml", "--out", plan)
    rows = {}
    for stage in ("device", "build", "test"):
        ran = split.script.run("plan", "--plan", plan, "--format", "github", "--stage", stage)
        rows[stage] = yaml.safe_load(ran.stdout)["include"]
    devices = [row["step"] for row in rows["device"]]
    assert sorted(step.partition("@")[2] for step in devices) == ["8.0", "9.0-ptx"]
    (build,) = rows["build"]
    assert sorted(build["needs"]) == sorted(devices)
    assert rows["test"][0]["needs"] == [build["step"]]
    explained = split.script.run("ci", "explain", "matrix.yaml", devices[0]).stdout
    assert "`build.split` compiles the device code of each architecture in a job of its own" in explained
    ran = split.script.run("plan", "matrix.yaml", "--format", "github", "--stage", "device", code=2)
    assert "`--stage device` needs `--plan` and `--format github`" in ran.stderr


def test_linters_find_nothing_in_the_workflows(split):
    split.script.edit(lambda matrix: matrix.update(ci={"store": "s3://bucket/prefix", "on": {"keys": True}}))
    split.script.run("ci", "generate", "matrix.yaml")
    workflows = sorted((split.script.directory / ".github" / "workflows").glob("pinwheel-*.yml"))
    assert all("--stage device" in path.read_text() for path in workflows) and len(workflows) == 2
    for name, *options in LINTERS:
        ran = subprocess.run([PROGRAMS / name, *options, *workflows], capture_output=True, text=True, timeout=600)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_manifest_has_a_stage_for_device_code(split):
    split.script.edit(lambda matrix: matrix.update(ci={"container": {"image": "registry.example/builder:1"}}))
    split.script.run("ci", "generate", "matrix.yaml", "--for", "kubernetes")
    manifest = split.script.directory / "kubernetes" / "pinwheel-ci.yaml"
    subprocess.run([PROGRAMS / "kubernetes-validate", "--strict", str(manifest)], check=True, capture_output=True, text=True)
    config, *jobs = [each for each in yaml.safe_load_all(manifest.read_text()) if each]
    stages = [job["metadata"]["labels"]["pinwheel/stage"] for job in jobs]
    assert stages == ["plan", "device", "build", "test", "gate"]
    steps = config["data"][jobs[1]["metadata"]["name"].removeprefix("pinwheel-ci-")].splitlines()
    assert len(steps) == jobs[1]["spec"]["completions"] == 2 and all(step.startswith("device:") for step in steps)
    subprocess.run(["bash", "-n"], input=config["data"]["run.sh"], check=True, text=True)
