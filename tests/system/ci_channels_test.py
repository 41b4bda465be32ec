"""`pinwheel ci`: channels that cannot be planned, containers, runners and names, and the page about them."""

import json
import re
from pathlib import Path

import ci_generate_test
import pytest
import yaml
from ci_generate_test import SETS, jobs_of, matrix

repository = ci_generate_test.repository

TWO_COMPUTES = {"python": ["3.11"], "compute": ["cpu", "cuda/13.0"]}
PLAIN = {"testpypi": {"kind": "testpypi"}, "pypi": {"kind": "pypi"}}


def test_a_channel_that_cannot_be_planned_stops_every_command(repository):
    made = matrix(axes=TWO_COMPUTES, publish=PLAIN, channels={"ci": {"publish": []}, "release": {"publish": ["testpypi", "pypi"]}})
    for command in (["plan"], ["plan", "--format", "ids"], ["plan", "--channel", "release", "--format", "github"],
                    ["ci", "generate"], ["ci", "check"], ["ci", "explain", "gate"]):
        ran = repository(made, *command, code=2)
        assert "channel `release` cannot be planned: `build:cp311-cpu` and `build:cp311-cu130` would both be" in ran.stderr
        assert "on target `testpypi`: the name lacks axis `compute`" in ran.stderr
        assert "hint: give the target `others: name-suffix`" in ran.stderr and ran.stdout == ""
    assert not (repository.root / ".github").exists()
    assert "cp311-cpu" in repository(None, "plan", "--channel", "ci").stdout
    suffixed = {"default": "cpu", "others": "name-suffix"}
    repository(made | {"publish": {name: {"kind": name, **suffixed} for name in PLAIN}}, "plan")
    repository(None, "ci", "generate")


def test_a_channel_of_any_name_is_checked(repository):
    made = matrix(axes=TWO_COMPUTES, publish=PLAIN, channels={"beta": {"publish": ["pypi"]}})
    assert "channel `beta` cannot be planned" in repository(made, "ci", "generate", code=2).stderr
    made["channels"]["beta"]["select"] = {"compute": "cpu"}
    repository(made, "ci", "generate")
    made["channels"]["beta"]["select"] = {"compute": "rocm/*"}
    assert "channel `beta` cannot be planned: " in repository(made, "plan", code=None).stderr


def test_a_nightly_needs_a_version_that_can_be_dated(repository):
    made = matrix()
    made["package"]["version"] = {"from": "file", "file": "VERSION"}
    (repository.root / "VERSION").write_text("1.0.0\n")
    for command in ["plan"], ["plan", "--channel", "nightly"], ["ci", "generate"]:
        ran = repository(made, *command, code=2)
        assert "`version: nightly` needs a version that can be dated" in ran.stderr
    made["channels"]["nightly"].pop("version")
    repository(made, "ci", "generate")


CONTAINER = {"container": {"base": "quay.io/pypa/manylinux_2_28_{arch}"}}


PLAN = "'${{ runner.temp }}/pinwheel-run/plan.json'"


def freezes(repository, name):
    return [step["with"]["args"] for step in jobs_of(repository, name)["plan"]["steps"]
            if f"--out {PLAN}" in step.get("with", {}).get("args", "")]


def test_builds_run_in_the_container_of_the_matrix(repository):
    made = matrix(environment=CONTAINER, axes={"python": ["3.11"], "compute": ["cpu"], "arch": ["x86_64"]})
    repository(made, "ci", "generate")
    for name in SETS:
        assert freezes(repository, name) == [f"plan matrix/demo.yaml --channel {name} --engine docker --out {PLAN}"]
        assert "qemu" not in str(jobs_of(repository, name))
    made["axes"]["arch"] = ["x86_64", "aarch64"]
    repository(made, "ci", "generate")
    assert "qemu-user-static" in str(jobs_of(repository, "release")["plan"])
    repository(made | {"ci": {"engine": "podman"}}, "ci", "generate")
    assert freezes(repository, "ci") == [f"plan matrix/demo.yaml --channel ci --engine podman --out {PLAN}"]
    repository(made | {"ci": {"engine": "host"}}, "ci", "generate")
    assert freezes(repository, "ci") == [f"plan matrix/demo.yaml --channel ci --out {PLAN}"]
    repository(matrix(), "ci", "generate")
    assert freezes(repository, "ci") == [f"plan matrix/demo.yaml --channel ci --out {PLAN}"]


def test_a_container_of_the_jobs_and_one_of_the_builds(repository):
    jobs = {"image": "debian:12"}
    made = matrix(environment={"container": {"base": "debian:12"}}, ci={"container": jobs})
    ran = repository(made, "ci", "generate")
    assert "builds run in the image of `ci.container`, not in that of `environment.container`" in ran.stderr
    assert freezes(repository, "ci") == [f"plan matrix/demo.yaml --channel ci --out {PLAN}"]
    made["ci"]["engine"] = "host"
    assert "warning" not in repository(made, "ci", "generate").stderr
    made["ci"]["engine"] = "docker"
    assert "`ci.container` and `ci.engine` exclude each other" in repository(made, "ci", "generate", code=2).stderr


def test_runners_that_cannot_meet_what_publishing_requires(repository):
    made = matrix(axes=TWO_COMPUTES, test={"command": ["true"], "hardware": {"cuda/*": "gpu", "default": "none"}},
                  channels={"release": {"publish": ["pypi"]}})
    made["publish"]["require"] = "ran"
    none = ("pinwheel-release: `test:cp311-cu130` can have at most evidence `none`, but `ran` is required: "
            "no runner is configured for it")
    for command in (["generate"], ["check"], ["explain", "gate"], ["explain", "publish-pypi"]):
        ran = repository(made, "ci", *command)
        assert f"warning: {none}\n" in ran.stderr, ran.stderr
        assert 'name a runner that has a GPU: `ci: {runners: {test: {"cuda/*": [LABEL]}}}`' in ran.stderr
    assert json.loads(repository(made, "ci", "explain", "gate", "--json").stdout)["warnings"] == [none]
    made["ci"] = {"runners": {"test": {"cuda/*": "ubuntu-24.04"}}}
    ran = repository(made, "ci", "generate")
    assert "can have at most evidence `loaded`, but `ran` is required: runner `ubuntu-24.04` has no GPU" in ran.stderr
    assert "runner `ubuntu-24.04` has no GPU" in repository(made, "ci", "explain", "test:cp311-cu130").stderr
    made["ci"] = {"runners": {"test": {"cuda/*": ["self-hosted", "gpu"]}}}
    assert "warning" not in repository(made, "ci", "generate").stderr
    made["test"].pop("command")
    assert "has no `test.command`" in repository(made, "ci", "generate").stderr
    made["publish"]["require"] = "loaded"
    assert "warning" not in repository(made, "ci", "generate").stderr


def test_the_names_to_register_with_each_index(repository):
    made = matrix(axes={"python": ["3.11"], "compute": ["cpu", "cuda/13.0", "rocm/7.0"]}, ci={"environments": {"pypi": "release"}})
    made["publish"]["own"] = {"kind": "index", "url": "https://index.example.org/upload/", "label": "local"}
    made["channels"]["release"]["publish"].append("own")
    ran = repository(made, "ci", "generate")
    assert ("register with `pypi`, with `pinwheel-release.yml` and environment `release` as the trusted publisher of each: "
            "`demo`, `demo-cu130`, `demo-rocm`\n") in ran.stderr
    assert ("register with `testpypi`, with `pinwheel-nightly.yml` and environment `testpypi` as the trusted publisher of each: "
            "`demo`, `demo-cu130`, `demo-rocm`\n") in ran.stderr
    assert "register with `own`: `demo`\n" in ran.stderr and "`wheels`" not in ran.stderr
    report = json.loads(repository(made, "ci", "generate", "--json").stdout)["register"]
    assert {"target": "pypi", "workflow": "pinwheel-release.yml", "environment": "release", "trusted": True,
            "names": ["demo", "demo-cu130", "demo-rocm"]} in report
    assert [each["target"] for each in report] == ["testpypi", "testpypi", "pypi", "own"]


PAGE = Path(__file__).resolve().parents[2] / "docs" / "workflows.md"
PYPROJECT = """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "cufast"
version = "1.0.0"
requires-python = ">=3.11"
"""
ONE_COMPUTE = {
    "setup.py": "from setuptools import Extension, setup\nsetup(ext_modules=[Extension('cufast', ['a.c'])])\n",
    "a.c": "#include <Python.h>\n",
}
SEVERAL_COMPUTES = {
    "setup.py": "from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
    "setup(ext_modules=[CUDAExtension('cufast._C', ['a.cpp', 'a.cu'])], cmdclass={'build_ext': BuildExtension})\n",
    "a.cpp": "#include <torch/extension.h>\n",
    "a.cu": "__global__ void f() {}\n",
}


def snippets(key):
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [made for made in map(yaml.safe_load, blocks) if isinstance(made, dict) and key in made]


@pytest.fixture
def initialized(repository):
    """A function from files to the matrix that `init` writes for them, without what it says of channels."""

    def made(files, *arguments):
        for name, text in {"pyproject.toml": PYPROJECT, **files}.items():
            (repository.root / name).write_text(text)
        (repository.root / "matrix" / "demo.yaml").unlink(missing_ok=True)
        repository(None, "init", "--out", "matrix/demo.yaml", *arguments)
        matrix = yaml.safe_load((repository.root / "matrix" / "demo.yaml").read_text())
        return {key: value for key, value in matrix.items() if key not in ("channels", "publish")}

    return made


def test_what_the_page_says_of_channels_fits_matrices_out_of_init(repository, initialized):
    plain, suffixed = snippets("channels")
    one = initialized(ONE_COMPUTE)
    for command in ["plan"], ["ci", "generate"], ["ci", "check"]:
        repository(one | plain, *command)
    several = initialized(SEVERAL_COMPUTES, "--compute", "cpu,cuda/13.0", "--torch", "2.13")
    assert "lacks axis `compute`" in repository(several | plain, "plan", code=2).stderr
    for command in ["plan"], ["ci", "generate"], ["ci", "check"]:
        repository(several | suffixed, *command)
    assert "`cufast`, `cufast-cu130`" in repository(None, "ci", "generate").stderr
    [nightly] = snippets("nightly")
    channels = {"channels": suffixed["channels"] | nightly}
    assert "needs a version that can be dated" in repository(several | suffixed | channels, "plan", code=2).stderr
    several["package"].pop("version")
    (repository.root / "pyproject.toml").write_text(PYPROJECT.replace('version = "1.0.0"', 'dynamic = ["version"]'))
    for command in ["plan"], ["ci", "generate"], ["ci", "check"]:
        repository(several | suffixed | channels, *command)
    [runners] = [made for made in snippets("ci") if "runners" in made["ci"]]
    repository(several | suffixed | runners, "ci", "generate")
