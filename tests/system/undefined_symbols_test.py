"""A build fails if its wheel would not load with the torch that the matrix declares."""

import json
import os
import pathlib
import platform
import subprocess
import sys
import zipfile

import pytest
from conftest import PYTHON

BUILD = f"build:cp{PYTHON.replace('.', '')}-plain-torch9.1"


def make_torch(site: pathlib.Path, version: str, function: str) -> None:
    """A torch with one function, as installed in a site-packages directory."""
    libraries = site / "torch" / "lib"
    libraries.mkdir(parents=True)
    for name, source in (("libtorch_cpu.so", f"int {function}(void) {{ return 1; }}\n"), ("libtorch_python.so", "")):
        arguments = ["-shared", "-fPIC", f"-Wl,-soname,{name}", "-x", "c", "-", "-o", libraries / name]
        subprocess.run(["cc", *arguments], input=source, text=True, check=True)
    info = site / f"torch-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
    abi = f"cpython-{sys.version_info.major}{sys.version_info.minor}-{platform.machine()}-linux-gnu"
    (site / "torch" / f"_C.{abi}.so").touch()


@pytest.fixture
def torches(pinwheel, tmp_path):
    """Variables that add torch 9.0 and 9.1 to the table: each has a function that the other lacks."""
    variables = {"XDG_DATA_HOME": str(tmp_path / "data")}
    for version, function in (("9.0.0", "aoti_torch_old"), ("9.1.0", "aoti_torch_new")):
        make_torch(tmp_path / version, version, function)
        command = [pinwheel, "torch-exports", "add", tmp_path / version]
        subprocess.run(command, check=True, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **variables})
    return variables


def wanting(project, tmp_path, function: str, version: str = "9.1"):
    """The extension, built with torch 9.1 according to the matrix, importing that function of torch."""
    extension = project("extension")
    extension.edit(lambda matrix: matrix["package"].update(sdist=False))
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["plain"], torch=[version]))
    lib = tmp_path / "9.0.0" / "torch" / "lib"
    flags = f"cc -shared -L{lib} -Wl,--no-as-needed -ltorch_cpu -Wl,--as-needed"
    extension.edit(lambda matrix: matrix["environment"]["variables"].update(LDSHARED=flags))
    source = extension.directory / "src" / "tiny_ext" / "native.c"
    source.write_text(f"extern int {function}(void);\nint wants(void) {{ return {function}(); }}\n" + source.read_text())
    extension.commit()
    return extension


def test_a_wheel_with_a_symbol_that_the_declared_torch_lacks_is_refused(project, torches, tmp_path):
    extension = wanting(project, tmp_path, "aoti_torch_old")
    outcomes = extension.report("build", "matrix.yaml", code=5, **torches)
    assert outcomes[BUILD]["state"] == "failed" and outcomes[BUILD]["attempts"] == 1
    error = json.dumps(outcomes[BUILD]["error"])
    assert "[undefined-symbols]" in error and "does not load on torch 9.1.0" in error
    assert "`aoti_torch_old` is missing (until 9.0.0, gone in 9.1.0)" in error
    assert extension.wheels() == {}


def test_a_wheel_whose_symbols_the_declared_torch_has_is_built(project, torches, tmp_path):
    extension = wanting(project, tmp_path, "aoti_torch_new")
    outcomes = extension.report("build", "matrix.yaml", **torches)
    assert outcomes[BUILD]["state"] == "done"
    log = extension.run("logs", BUILD).stdout
    assert "undefined-symbols: judged on 1 known build of `torch==9.1.*`" in log


def test_a_torch_that_is_in_no_table_is_reported_and_not_guessed(project, torches, tmp_path):
    extension = wanting(project, tmp_path, "aoti_torch_old", "9.7")
    outcomes = extension.report("build", "matrix.yaml", **torches)
    unknown = BUILD.replace("9.1", "9.7")
    assert outcomes[unknown]["state"] == "done"
    log = extension.run("logs", unknown).stdout
    assert "undefined-symbols: no known build of `torch==9.7.*` is for this wheel; not judged" in log


def test_a_wheel_is_checked_against_a_torch_that_the_command_line_names(pinwheel, torches, tmp_path):
    libraries = tmp_path / "9.0.0" / "torch" / "lib"
    wheel = tmp_path / "demo-1.0-py3-none-any.whl"
    source = "extern int aoti_torch_old(void);\nint wants(void) { return aoti_torch_old(); }\n"
    flags = ["-shared", "-fPIC", f"-L{libraries}", "-Wl,--no-as-needed", "-x", "c", "-", "-ltorch_cpu"]
    subprocess.run(["cc", "-o", tmp_path / "_C.so", *flags], input=source, text=True, check=True)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(tmp_path / "_C.so", "demo/_C.so")
        archive.writestr("demo-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")
        archive.writestr("demo-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("demo-1.0.dist-info/RECORD", "")

    def checked(torch: str, code: int) -> str:
        command = [pinwheel, "inspect", "--check", "--select", "undefined-symbols", "--torch", torch, str(wheel)]
        ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **torches})
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    text = checked("torch==9.1.*", 5)
    assert "does not load on torch 9.1.0: `aoti_torch_old` is missing (until 9.0.0, gone in 9.1.0)" in text
    assert "undefined-symbols: judged on 1 known build of `torch==9.0.*`" in checked("==9.0.*", 0)
    assert "no known build of `torch==9.7.*` is for this wheel; not judged" in checked("==9.7.*", 0)
    assert "`--torch` cannot be" in checked("newest", 2)
