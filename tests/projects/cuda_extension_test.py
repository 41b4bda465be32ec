"""The cookbook's way from an empty directory to wheels for two computes and two torches, with its own files, and five
mistakes on it. The environments have real builds of torch: some 10 GB, in a cache that starts empty."""

import json
import pathlib
import re
import shutil
import subprocess
import textwrap
import zipfile

import pytest
from driven import PATIENCE, called, variables

pytestmark = [pytest.mark.projects, pytest.mark.takes(1500), pytest.mark.xdist_group("cuda-extension")]

PAGE = pathlib.Path(__file__).parent.parent.parent / "docs" / "cookbook.md"
ONE = ["-s", "compute=cuda/13.0", "-s", "torch=2.14"]
TORCHES = ["2.12", "2.13", "2.14"]
# Without PyTorch's own index, a release of torch is for one compute: PyPI's are for CUDA.
WITH_CUDA = ["-s", "compute=cuda/13.0", "-s", "torch=2.12", "-s", "torch=2.14"]
WITHOUT = ["-s", "compute=cpu", "-s", "torch=2.13"]
EVIDENCE = {("cu130", "2.12"): {"loaded", "ran"}, ("cu130", "2.14"): {"loaded", "ran"}, ("cpu", "2.13"): {"ran"}}
CHECK = """import torch
from tiny_scale import scale
assert scale(torch.ones(2), 3).tolist() == [3, 3], "scale is wrong"
"""


def files_of_page() -> dict[str, str]:
    """The blocks of the recipe that name a file in their first line, by that name."""
    section = PAGE.read_text().partition("## A CUDA extension from nothing\n")[2].partition("\n## ")[0]
    found = {}
    for block in re.findall(r"^ *```\w+\n(.*?)^ *```$", section, re.DOTALL | re.MULTILINE):
        first, _, rest = textwrap.dedent(block).partition("\n")
        found[first.split(maxsplit=1)[1]] = rest
    return found


class Extension:
    """The package, in a repository; pinwheel as a new user calls it there."""

    def __init__(self, pinwheel: str, directory: pathlib.Path, cache: pathlib.Path):
        self.pinwheel = pinwheel
        self.directory = directory
        self.environment = variables(cache)
        files = files_of_page()
        self.matrix_end = files.pop("or: at the end of matrix/tiny-scale.yaml")
        files |= {
            "tiny_scale/__init__.py": "import torch\n\nfrom ._C import scale\n",
            "tests/check.py": CHECK,
            ".gitignore": "dist/\n.pinwheel/\n",
        }
        for name, text in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_text(text)

    @property
    def matrix(self) -> pathlib.Path:
        return self.directory / "matrix" / "tiny-scale.yaml"

    def init(self) -> None:
        called(["git", "init", "-q"], self.directory)
        torches = [part for torch in TORCHES for part in ("--torch", torch)]
        self.run("init", "--python", "3.11", "--compute", "cpu", "--compute", "cuda/13.0", *torches)
        self.matrix.write_text(self.matrix.read_text() + self.matrix_end)
        self.commit()

    def commit(self) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        called(["git", "add", "-A"], self.directory)
        called(["git", *identity, "commit", "-q", "-m", "change"], self.directory)

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.directory / name).read_text()
        assert old in text, text
        (self.directory / name).write_text(text.replace(old, new))

    def run(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess:
        ran = subprocess.run(
            [self.pinwheel, *arguments],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert ran.returncode == code, f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        return ran

    def report(self, *arguments: str) -> dict[str, dict]:
        return {one["id"]: one for one in json.loads(self.run(*arguments, "--json").stdout)["outcomes"]}


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> pathlib.Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def extension(pinwheel, tmp_path, cache) -> Extension:
    one = Extension(pinwheel, tmp_path, cache)
    one.init()
    return one


def test_an_empty_directory_becomes_wheels_for_two_computes_and_two_torches(extension):
    outcomes = extension.report("test", *WITH_CUDA) | extension.report("test", *WITHOUT)
    builds = {step.removeprefix("build:"): one for step, one in outcomes.items() if step.startswith("build:")}
    tests = {step.removeprefix("test:"): one for step, one in outcomes.items() if step.startswith("test:")}
    assert {one["state"] for one in builds.values()} == {"done"}
    assert set(builds) == set(tests) == {f"cp311-{label}-torch{torch}" for label, torch in EVIDENCE}
    for variant, build in builds.items():
        label, torch = variant.removeprefix("cp311-").split("-torch")
        assert tests[variant]["evidence"] in EVIDENCE[label, torch]
        (wheel,) = (output["path"] for output in build["outputs"])
        contents = json.loads(extension.run("inspect", wheel, "--json").stdout)
        assert bool(contents["device_code"]) == (label == "cu130")
        judged = json.loads(extension.run("compat", wheel, "--json").stdout)
        assert judged["abi"] == "classic" and judged["python"] == "CPython 3.11"
        loads = {one["version"].partition("+")[0].rpartition(".")[0]: one["loads"] for one in judged["torch"]}
        assert loads[torch]
    log = pathlib.Path(builds["cp311-cpu-torch2.13"]["log"]).read_text()
    assert "nvcc" not in log and "WITH_CUDA" not in log
    again = extension.report("build", *WITH_CUDA)
    assert {one["state"] for step, one in again.items() if step.startswith("build:")} == {"reused"}


def library_of(build: dict) -> bytes:
    (wheel,) = (output["path"] for output in build["outputs"])
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".so"))
        return archive.read(name)


def test_the_device_code_of_each_architecture_compiles_in_a_step_of_its_own(extension):
    step = "build:cp311-cu130-torch2.14"
    # Without this option, nvcc writes the names of temporary files into objects.
    options = 'extra_compile_args={"cxx": [], "nvcc": ["--objdir-as-tempdir"]}, define_macros'
    extension.replace("setup.py", "define_macros", options)
    extension.commit()
    library = library_of(extension.report("build", *ONE)[step])
    extension.replace("matrix/tiny-scale.yaml", "build:\n", "build:\n  split: architectures\n")
    extension.commit()
    # The key of the build is the same.
    for place in ("dist", ".pinwheel"):
        shutil.rmtree(extension.directory / place)
    outcomes = extension.report("build", *ONE)
    devices = sorted(one for one in outcomes if one.startswith("device:"))
    assert [one.rpartition("@")[2] for one in devices] == ["8.0", "9.0-ptx"]
    assert {outcomes[one]["state"] for one in [*devices, step]} == {"done"}
    (code,) = [cache for cache in outcomes[step]["trace"][-1]["caches"] if cache["cache"] == "device code"]
    # cicc and ptxas, for two architectures: the build runs neither.
    assert (code["hits"], code["misses"]) == (4, 0)
    # The wheels differ, because they contain the matrix.
    assert library_of(outcomes[step]) == library


SETUP = "setup.py"
KERNEL = "csrc/scale.cu"
# The edits by file, and the expected words of the message.
MISTAKES = {
    "a header that the toolkit lacks": (
        [(KERNEL, "#include <ATen/ATen.h>", "#include <npp.h>\n#include <ATen/ATen.h>")],
        ["npp.h: No such file", "`environment: {toolkit: {pypi: [npp]}}`"],
    ),
    "code for another GPU than the matrix promises": (
        [
            (SETUP, "define_macros", 'extra_compile_args={"nvcc": ["-gencode=arch=compute_80,code=sm_80"]}, define_macros'),
            ("matrix/tiny-scale.yaml", '["8.0", "9.0+PTX"]', '["9.0"]'),
        ],
        ["device-code", "has no device code for sm_90"],
    ),
    "a source that is forgotten": (
        [(SETUP, '["csrc/module.cpp", "csrc/scale.cu"]', '["csrc/module.cpp"]')],
        ["undefined-symbols", "scale_cuda"],
    ),
    "torch is not required": (
        [
            ("pyproject.toml", 'dependencies = ["torch"]\n', ""),
            ("matrix/tiny-scale.yaml", "\ntest:\n", "\nchecks: {after: [torch-requirement]}\n\ntest:\n"),
        ],
        ["torch-requirement"],
    ),
    "a wrong result": (
        [("csrc/module.cpp", "x * by", "x * (by + 1)")],
        ["AssertionError: scale is wrong"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_before_anything_is_published(extension, mistake):
    edits, printed = MISTAKES[mistake]
    text = extension.matrix.read_text()
    index = "publish:\n  index: {kind: directory, path: ../index, label: local}\nchannels:\n  ci: {publish: [index]}\n"
    extension.matrix.write_text(f"{text}\n{index}")
    for file, old, new in edits:
        extension.replace(file, old, new)
    extension.commit()
    stopped = subprocess.run(
        [extension.pinwheel, "release", "--channel", "ci", *ONE],
        cwd=extension.directory,
        env=extension.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    output = stopped.stdout + stopped.stderr
    assert stopped.returncode != 0, output
    for words in printed:
        assert words in output, output
    assert list((extension.directory / "index").rglob("*.whl")) == []
