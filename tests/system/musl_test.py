"""Wheels for musl: those of PyPI, judged as auditwheel judges them, and some that are compiled, repaired, and loaded by
musl's own loader."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from compiled_wheels import broken, call, make_wheel, report_of

# The wheels from PyPI serve this whole file.
pytestmark = pytest.mark.xdist_group("musl")
PINS = {"markupsafe": "3.0.3", "zstandard": "0.25.0", "numpy": "2.3.5"}
TAGS = "cp311-cp311-{platform}_x86_64"
MODULE = "demo_kit/_C.cpython-311-x86_64-linux-musl.so"
USE = "int lower(void);\nint answer(void) { return lower() + 1; }\n"
LOADER = """#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** arguments) {
  void* module = dlopen(arguments[count - 1], RTLD_NOW);
  if (!module) return puts(dlerror()), 1;
  printf("%d", ((int (*)(void))dlsym(module, "answer"))());
  return 0;
}
"""


def auditwheel(wheel: pathlib.Path) -> str:
    """The platform tag that auditwheel reads from a wheel."""
    text = call(sys.executable, "-m", "auditwheel", "show", wheel).stdout
    return re.search(r'platform tag:\s+"(\w+)"', text)[1]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> list[pathlib.Path]:
    """Wheels for musl from PyPI, one of them with libraries of GCC inside, one for a free-threaded Python."""
    place = tmp_path_factory.mktemp("wheels")
    target = ["--implementation", "cp", "--platform", "musllinux_1_2_x86_64", "--only-binary", ":all:", "--no-deps"]
    pins = [f"{name}=={version}" for name, version in PINS.items()]
    fetch = [sys.executable, "-m", "pip", "download", "-q", "--dest", place, *target]
    call(*fetch, "--python-version", "3.11", *pins)
    call(*fetch, "--python-version", "3.13", "--abi", "cp313t", pins[0])
    found = sorted(place.glob("*.whl"))
    assert len(found) == len(PINS) + 1
    return found


def test_wheels_of_pypi_are_judged_as_auditwheel_judges_them(pinwheel, wheels):
    for wheel in wheels:
        report = report_of(pinwheel, wheel, "--check")
        assert report["platform_tag"] == auditwheel(wheel) == "musllinux_1_2_x86_64"
        assert report["policy"] == "musllinux_1_2"
        needed = {entry["library"]: entry["provider"] for entry in report["needed"]}
        assert needed["libc.musl-x86_64.so.1"] == "system"
        assert not {severity for _, severity in broken(report)} & {"error"}, wheel


def test_a_tag_for_glibc_does_not_hold(pinwheel, wheels, tmp_path):
    wheel = next(path for path in wheels if path.name.startswith("zstandard"))
    wrong = tmp_path / wheel.name.replace("musllinux_1_2", "manylinux_2_28")
    wrong.write_bytes(wheel.read_bytes())
    report = report_of(pinwheel, wrong, "--check", code=5)
    [finding] = [each for each in report["findings"] if each["rule"] == "platform-tag"]
    assert "`libc.musl-x86_64.so.1` of musl" in finding["evidence"]
    assert finding["hint"] == "tag it `musllinux_1_2_x86_64`"


def library(place: pathlib.Path, compiler: str) -> pathlib.Path:
    """`liblower.so.1` in its own directory."""
    place.mkdir(parents=True)
    (place / "lower.c").write_text("#include <stdlib.h>\nint lower(void) { return abs(-41); }\n")
    name = "liblower.so.1"
    flags = ["-shared", "-fPIC", f"-Wl,-soname,{name}", "-Wl,--no-as-needed"]
    call(compiler, *flags, "-o", place / name, place / "lower.c")
    return place


def module(place: pathlib.Path, lower: pathlib.Path) -> bytes:
    (place / "use.c").write_text(USE)
    call("musl-gcc", "-shared", "-fPIC", "-o", place / "use.so", place / "use.c", lower / "liblower.so.1", "-lc")
    return (place / "use.so").read_bytes()


@pytest.fixture
def wheel(tmp_path) -> pathlib.Path:
    """A wheel whose module needs a library of `tmp_path/musl`; there is one for glibc in `tmp_path/glibc`."""
    library(tmp_path / "glibc", "gcc")
    code = module(tmp_path, library(tmp_path / "musl", "musl-gcc"))
    return make_wheel(tmp_path, {"demo_kit/__init__.py": b"", MODULE: code}, TAGS.format(platform="linux"))


def repair(pinwheel: str, cache: pathlib.Path, wheel: pathlib.Path, *options: str, code: int = 0, **variables: str):
    place = wheel.parent / "out"
    ran = subprocess.run(
        [pinwheel, "repair", wheel, "--json", "--out", place, *options],
        env={**os.environ, "PINWHEEL_CACHE_DIR": str(cache), "NO_COLOR": "1", **variables},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    return json.loads(ran.stdout) if code == 0 else ran.stderr


def test_repair_takes_the_library_for_musl(pinwheel, environments, wheel, tmp_path):
    search = f"{tmp_path / 'glibc'}{os.pathsep}{tmp_path / 'musl'}"
    report = repair(pinwheel, environments, wheel, LD_LIBRARY_PATH=search)
    assert report["platforms"] == ["musllinux_1_2_x86_64"]
    repaired = pathlib.Path(report["output"]["path"])
    judged = report_of(pinwheel, repaired, "--check")
    assert judged["platform_tag"] == "musllinux_1_2_x86_64"
    assert not {rule for rule, severity in broken(judged) if severity == "error"}
    (tmp_path / "load.c").write_text(LOADER)
    call("musl-gcc", "-o", tmp_path / "load", tmp_path / "load.c")
    call(sys.executable, "-m", "zipfile", "-e", repaired, tmp_path / "installed")
    assert call(tmp_path / "load", tmp_path / "installed" / MODULE).stdout == "42"


def test_repair_puts_no_library_for_glibc_into_a_wheel_for_musl(pinwheel, environments, wheel, tmp_path):
    result = repair(pinwheel, environments, wheel, code=5, LD_LIBRARY_PATH=str(tmp_path / "glibc"))
    assert "needs `liblower.so.1`, which is not on this machine" in result
    result = repair(pinwheel, environments, wheel, "--plat", "manylinux_2_28", code=2)
    assert "the wheel is for musl, not for `manylinux_2_28`" in result


def test_a_wheel_for_both_runs_nowhere(pinwheel, environments, wheel, tmp_path):
    both = {
        MODULE: module(tmp_path, tmp_path / "musl"),
        "demo_kit/liblower.so.1": (tmp_path / "glibc" / "liblower.so.1").read_bytes(),
    }
    mixed = make_wheel(tmp_path, both, TAGS.format(platform="musllinux_1_2"))
    report = report_of(pinwheel, mixed, "--check", code=5)
    result = [finding["message"] for finding in report["findings"] if finding["rule"] == "platform-tag"]
    assert len(result) == 1
    assert "no system has both" in result[0]
    assert "no system has both" in repair(pinwheel, environments, mixed, code=5)
