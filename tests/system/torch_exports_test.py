"""`torch-exports` with synthetic torch wheels on an index with and without range requests, and with the real torch."""

import json
import os
import pathlib
import random
import subprocess
import sys
import zipfile

import pytest
from indexes import fake_index

FUNCTIONS = 2000
FILLER = 3_000_000


def compile_library(path: pathlib.Path, soname: str, functions: list[str], *flags: str) -> None:
    """A library laid out like torch's: the symbols in front, megabytes of data, then the names, which patchelf moved
    to the end."""
    noise = path.parent / "noise"
    noise.write_text(random.Random(soname).randbytes(FILLER).hex())
    source = path.parent / "library.c"
    lines = [f"int {name}(void) {{ return 0; }}" for name in functions]
    lines.append(f'__asm__(".section .rodata\\n.incbin \\"{noise}\\"\\n.text");')
    source.write_text("\n".join(lines))
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path, source, f"-Wl,-soname,{soname}", *flags], check=True)
    subprocess.run(["patchelf", "--set-rpath", "$ORIGIN:$ORIGIN/../../nvidia/" + "x" * 300, path], check=True)


def make_torch(directory: pathlib.Path, version: str, functions: list[str], python: str = "cp311") -> pathlib.Path:
    """A wheel with the files that `torch-exports` reads."""
    libraries = directory / f"{version}-{python}"
    libraries.mkdir(parents=True)
    compile_library(libraries / "libc10.so", "libc10.so", functions)
    compile_library(libraries / "libtorch_python.so", "libtorch_python.so", [f"module_{python}"],
                    "-Wl,--no-as-needed", f"-L{libraries}", "-lc10")
    wheel = directory / f"torch-{version}-{python}-{python}-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for library in ("libc10.so", "libtorch_python.so"):
            archive.write(libraries / library, f"torch/lib/{library}")
        archive.writestr("torch/__init__.py", "")
    return wheel


@pytest.fixture(scope="module")
def torches(tmp_path_factory) -> dict[str, pathlib.Path]:
    directory = tmp_path_factory.mktemp("torches")
    names = [f"_ZN3c10{len(f'function{i}')}function{i}Ev" for i in range(FUNCTIONS)]
    return {
        "2.98.0": make_torch(directory, "2.98.0", names),
        "2.99.0": make_torch(directory, "2.99.0", names[:-1] + ["fresh"]),
        "2.99.0 for 3.12": make_torch(directory, "2.99.0", names[:-1] + ["fresh"], "cp312"),
    }


@pytest.fixture
def call(pinwheel, tmp_path):
    """A function that runs `torch-exports` on the test's own table."""

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess:
        ran = subprocess.run(
            [pinwheel, "torch-exports", *map(str, arguments), "--table", str(tmp_path / "table.pwx")],
            capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1", "TMPDIR": str(tmp_path)},
        )
        assert ran.returncode == code, f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        return ran

    return run


def listed(call) -> list[dict]:
    return json.loads(call("list", "--json").stdout)["builds"]


def test_only_parts_of_a_remote_wheel_are_downloaded(call, torches):
    with fake_index("--hold", *map(str, torches.values())) as url:
        read = json.loads(call("add", "--index", url + "/simple/", "--torch", "2.99.0", "--json").stdout)
        assert [(row["version"], row["pythons"]) for row in read["added"]] == [("2.99.0", ["cp311", "cp312"])]
        whole = torches["2.99.0"].stat().st_size + torches["2.99.0 for 3.12"].stat().st_size
        assert read["added"][0]["bytes_read"] < whole / 2
    # The parts gave the same result as the whole wheels.
    call("verify", torches["2.99.0"], torches["2.99.0 for 3.12"])
    assert listed(call) == [{"version": "2.99.0", "arch": "x86_64", "pythons": ["cp311", "cp312"], "libraries": 2,
                             "symbols": FUNCTIONS + 1, "from": "shipped"}]


def test_without_range_requests_wheels_are_downloaded_whole_with_a_note(call, torches, tmp_path):
    with fake_index("--no-ranges", "--hold", str(torches["2.98.0"])) as url:
        ran = call("add", "--index", url + "/simple/", "--torch", "2.98.0")
        assert "is downloaded completely: its server does not support range requests" in ran.stderr
    call("verify", torches["2.98.0"])
    assert {path.name for path in tmp_path.iterdir()} == {"table.pwx", "table.pwx.lock"}


def test_update_adds_missing_builds_and_continues_after_a_broken_wheel(call, torches, tmp_path):
    broken = tmp_path / "torch-2.98.1-cp311-cp311-manylinux_2_28_x86_64.whl"
    broken.write_bytes(torches["2.98.0"].read_bytes()[:-100])
    with fake_index("--hold", str(broken), *map(str, torches.values())) as url:
        call("add", torches["2.99.0"])
        ran = call("update", "--index", url + "/simple/", "--json", code=5)
        done = json.loads(ran.stdout)
        assert [(row["version"], row["pythons"]) for row in done["added"]] == [
            ("2.98.0", ["cp311"]), ("2.99.0", ["cp312"])]
        assert [row["source"] for row in done["failed"]] == ["torch 2.98.1 x86_64 (cp311)"]
    with fake_index("--hold", *map(str, torches.values())) as url:
        assert "the table already has everything on the index" in call("update", "--index", url + "/simple/").stderr


def test_verify_names_the_libraries_that_differ(call, torches, tmp_path):
    call("add", torches["2.98.0"])
    other = tmp_path / "other"
    other.mkdir()
    changed = other / torches["2.98.0"].name
    changed.write_bytes(torches["2.99.0"].read_bytes())
    ran = call("verify", changed, code=5)
    assert ran.stdout.splitlines() == [
        "2.98.0 x86_64 libc10.so exports 1 symbol that the table lacks",
        "2.98.0 x86_64 libc10.so lacks 1 symbol that the table has",
    ]


def exported(library: pathlib.Path) -> set[str]:
    """The symbols that nm lists as defined; its types for local symbols are lower case."""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return {row[2].split("@")[0] for row in rows if row[1].isupper() or row[1] in "ui"}


@pytest.mark.torch
def test_the_shipped_table_has_what_nm_lists_for_the_real_torch(pinwheel, call, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "torch==2.13.0"], check=True)
    call("add", "--python", python)
    [build] = listed(call)
    [libraries] = tmp_path.glob("venv/lib/python3*/site-packages/torch/lib")
    counts = [len(exported(file)) for file in libraries.glob("lib*.so*")]
    assert build["libraries"] == len(counts) and build["symbols"] == sum(counts)
    # The shipped table, used without `--table`, agrees.
    subprocess.run([pinwheel, "torch-exports", "verify", "--python", python], check=True)
