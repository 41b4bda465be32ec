"""`compat --run`: a wheel installed with a real torch, loaded, imported and run."""

import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
import uuid

import pytest
from compat_test import Extension, TORCH_LIBRARIES
from processes import wait_for_none, wait_until
from real_torch import torch_python

pytestmark = [
    pytest.mark.xdist_group("real-torch"),
    pytest.mark.skipif(
        platform.machine() != "x86_64" or sys.version_info[:2] != (3, 11), reason="the wheels are for 3.11 on x86_64"
    ),
]

BUILD = "2.13.0+cpu"
PACKAGE = """
import ctypes, pathlib
native = ctypes.CDLL(str(pathlib.Path(__file__).with_name("_C.so")))
"""
# A call into torch's C++ ABI, and a wrong value, such as an extension reads from a struct whose layout changed.
NATIVE = """
#include <string>
namespace c10 { std::string demangle(const char*); }
extern "C" int length(const char* name) { return c10::demangle(name).size(); }
extern "C" int dimensions() { return 7; }
"""


@pytest.fixture(scope="module")
def python() -> pathlib.Path:
    return torch_python("2.13.0")


class Runs:
    """Runs of one wheel with the installed torch."""

    def __init__(self, pinwheel: str, wheel: pathlib.Path, python: pathlib.Path, cache: pathlib.Path):
        self.command = [pinwheel, "compat", str(wheel), "--run", "--installed", str(python), "--torch", BUILD]
        self.cache = cache
        self.environment = {**os.environ, "PINWHEEL_CACHE_DIR": str(cache), "NO_COLOR": "1"}

    def result(self, *arguments: str, code: int = 0) -> dict:
        """The run as reported; it must leave nothing behind."""
        process = subprocess.Popen(
            [*self.command, "--json", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment,
        )  # fmt: skip
        out, messages = process.communicate(timeout=300)
        assert process.returncode == code, out + messages
        assert not self.scratch(process).exists()
        (build,) = json.loads(out)["torch"]
        self.verdict = build["verdict"]
        return build["run"]

    def scratch(self, process: subprocess.Popen) -> pathlib.Path:
        """Where that run installs the wheel; other runs share the cache."""
        return self.cache / "scratch" / f"compat-{process.pid}"


@pytest.fixture
def runs(pinwheel, python, environments, tmp_path):
    """A function that returns the runs of a wheel built from that source."""

    def make(source: str = NATIVE, *link: str) -> Runs:
        extension = Extension(tmp_path, python).compile("_C.so", source, *TORCH_LIBRARIES, *link)
        package = tmp_path / "__init__.py"
        package.write_text(PACKAGE)
        extension.files["demo/__init__.py"] = package
        return Runs(pinwheel, extension.wheel(), python, environments)

    return make


def test_a_wheel_that_loads_and_whose_command_succeeds_ran(runs):
    wheel = runs()
    smoke = "python -c \"import torch, demo; assert demo.native.length(b'_ZN2at6Tensor3dimEv') == 17\""
    run = wheel.result("--smoke", smoke)
    assert wheel.verdict == "symbols-resolve"
    assert run["state"] == "ran" and run["torch"] == BUILD and run["python"].startswith("3.11.")
    assert run["evidence"].startswith("1 library loads with RTLD_NOW; importing `demo` succeeded; `python -c")
    assert run["disagreements"] == []


def test_of_an_installed_environment_only_torch_and_its_requirements_are_seen(runs):
    run = runs().result("--smoke", 'python -c "import torch, sympy, demo, numpy"', code=5)
    assert run["state"] == "failed" and "No module named 'numpy'" in run["evidence"]


def test_a_failing_smoke_command_of_a_classic_wheel_is_reported_with_its_output(runs):
    wheel = runs()
    smoke = "python -c \"import torch, demo; print('dimensions:', demo.native.dimensions())\"; exit 3"
    run = wheel.result("--smoke", smoke, code=5)
    assert wheel.verdict == "symbols-resolve" and run["state"] == "failed"
    _, _, output = run["evidence"].partition("failed: exit code 3\n")
    assert "dimensions: 7" in output.split("\n  ")


def test_the_dynamic_linker_confirms_a_missing_symbol(runs):
    wheel = runs("namespace c10 { void vanished(int); }\nvoid f() { c10::vanished(1); }\n")
    run = wheel.result(code=5)
    assert wheel.verdict == "no" and run["state"] == "failed" and run["disagreements"] == []
    assert run["evidence"].startswith("`demo/_C.so` does not load: demo/_C.so: undefined symbol: _ZN3c108vanishedEi")


def test_a_wheel_that_needs_another_runs_with_it_and_not_alone(runs, python, tmp_path):
    other = Extension(tmp_path, python, "other").compile("libother.so", 'extern "C" int answer() { return 42; }\n').wheel()
    needs = 'extern "C" int answer();\nextern "C" int asked() { return answer(); }\n'
    wheel = runs(needs, "-lother", "-Wl,-rpath,$ORIGIN:$ORIGIN/../other")
    smoke = 'python -c "import torch, demo; assert demo.native.asked() == 42"'
    run = wheel.result("--with", str(other), "--smoke", smoke)
    assert wheel.verdict == "guaranteed"  # it uses no symbol of torch
    assert run["state"] == "ran" and run["disagreements"] == []
    alone = wheel.result("--smoke", smoke, code=5)
    assert alone["state"] == "failed" and "libother.so" in alone["evidence"]


def test_a_command_past_its_time_limit_is_stopped(runs):
    marker = f"PIP_MARKER_{uuid.uuid4().hex}"
    wheel = runs()
    wheel.environment[marker] = "1"
    run = wheel.result("--smoke", "sleep 300 & sleep 300", "--timeout", "20s", code=5)
    assert run["evidence"].endswith("failed: exceeded its time limit")
    assert wait_for_none(marker) == []


def test_an_interruption_leaves_nothing_behind(runs, tmp_path):
    marker = f"PIP_MARKER_{uuid.uuid4().hex}"
    wheel = runs()
    begun = tmp_path / "begun"
    process = subprocess.Popen(
        [*wheel.command, "--smoke", f"touch {begun}; trap '' INT TERM; sleep 300 & sleep 300"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**wheel.environment, marker: "1"},
        # If a shell runs the tests in the background, SIGINT is ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    wait_until(begun.exists, process)
    process.send_signal(signal.SIGINT)
    out, messages = process.communicate(timeout=30)
    assert process.returncode == 130 and out == "" and "interrupted" in messages
    assert wait_for_none(marker) == [] and not wheel.scratch(process).exists()
