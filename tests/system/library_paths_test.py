"""Libraries of a wheel that need each other: `inspect`, `compat` and `repair` against what the loader does."""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest
from compiled_wheels import call, make_wheel
from repair_wheels import MODULE, TAGS, extension

RPATH, RUNPATH = "-Wl,--disable-new-dtags", "-Wl,--enable-new-dtags"


@dataclasses.dataclass
class Layout:
    """A module that needs `a`, which needs `b`, which may need `c`: where they are, and their search paths."""

    module: tuple[str, ...] = ()
    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()
    places: tuple[str, str, str] = ("demo_kit/lib", "demo_kit/lib", "demo_kit/lib")
    file_of_b: str = "libb.so.1"
    module_needs_b: bool = False
    works: bool = True


def path(kind: str, entries: str) -> tuple[str, ...]:
    return (kind, f"-Wl,-rpath,{entries}")


LAYOUTS = {
    "rpath of the module": Layout(path(RPATH, "$ORIGIN/lib")),
    "runpath of the module only": Layout(path(RUNPATH, "$ORIGIN/lib"), works=False),
    "runpath of both": Layout(path(RUNPATH, "$ORIGIN/lib"), path(RUNPATH, "$ORIGIN"), path(RUNPATH, "$ORIGIN")),
    "runpath below rpath": Layout(path(RPATH, "$ORIGIN/lib"), path(RUNPATH, "$ORIGIN/none"), works=False),
    "no path": Layout(works=False),
    "wrong path": Layout(path(RPATH, "$ORIGIN/libs"), works=False),
    "loaded before": Layout(path(RUNPATH, "$ORIGIN/lib"), b=path(RUNPATH, "$ORIGIN"), module_needs_b=True),
    "rpath of the one in the middle": Layout(
        path(RPATH, "$ORIGIN/lib"),
        path(RPATH, "$ORIGIN/../more"),
        places=("demo_kit/lib", "demo_kit/more", "demo_kit/more"),
    ),
    "rpath of the first for the last": Layout(
        path(RPATH, "$ORIGIN/lib"),
        path(RPATH, "$ORIGIN/../more"),
        places=("demo_kit/lib", "demo_kit/more", "demo_kit/lib"),
    ),
    "soname, not file name": Layout(path(RPATH, "$ORIGIN/lib"), file_of_b="libb.so.1.2", works=False),
    "other package": Layout(path(RPATH, "$ORIGIN/../other.libs"), places=("other.libs",) * 3),
}


def library(place: pathlib.Path, name: str, needs: str, flags: tuple[str, ...]) -> bytes:
    body = f"int {needs}(void); int {name}(void) {{ return {needs}(); }}" if needs else f"int {name}(void) {{ return 8; }}"
    (place / f"{name}.c").write_text(body)
    link = (place / f"lib{needs}.so.1",) if needs else ()
    file = place / f"lib{name}.so.1"
    command = ["gcc", "-shared", "-fPIC", f"-Wl,-soname,{file.name}", "-o", file, place / f"{name}.c", *link, *flags]
    call(*command, f"-Wl,-rpath-link,{place}")
    return file.read_bytes()


def wheel_of(place: pathlib.Path, layout: Layout) -> pathlib.Path:
    place.mkdir(parents=True)
    files = {"demo_kit/__init__.py": b""}
    files[f"{layout.places[2]}/libc1.so.1"] = library(place, "c1", "", ())
    files[f"{layout.places[1]}/{layout.file_of_b}"] = library(place, "b", "c1", layout.b)
    files[f"{layout.places[0]}/liba.so.1"] = library(place, "a", "b", layout.a)
    also = f" {place / 'libb.so.1'}" if layout.module_needs_b else ""
    use = ("int a(void);", "return a();", f"-Wl,--no-as-needed {place / 'liba.so.1'}{also}")
    files[MODULE] = extension(place, use, *layout.module, f"-Wl,-rpath-link,{place}")
    return make_wheel(place, files, TAGS.replace("linux_", "manylinux_2_5_"))


def answer(wheel: pathlib.Path, place: pathlib.Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    command = [sys.executable, "-c", "import demo_kit._C as c; print(c.answer())"]
    ran = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(place)}, capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_the_loader_agrees(pinwheel, environments, tmp_path, layout):
    wheel = wheel_of(tmp_path / "in", layout)
    assert (answer(wheel, tmp_path / "before") == "8") == layout.works
    checked = subprocess.run([pinwheel, "inspect", "--check", "--select", "needed-libraries", wheel], capture_output=True)
    assert checked.returncode == (0 if layout.works else 5), checked.stdout
    where = json.loads(call(pinwheel, "compat", "--json", wheel).stdout)["distributions"]
    assert any(each["runs"] for each in where) == layout.works
    variables = {**os.environ, "PINWHEEL_CACHE_DIR": str(environments)}
    command = [pinwheel, "repair", "--json", "--out", tmp_path / "out", wheel]
    ran = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert bool(report["edits"]) == (not layout.works)
    repaired = pathlib.Path(report["output"]["path"])
    assert answer(repaired, tmp_path / "after") == "8"
    call(pinwheel, "inspect", "--check", "--select", "needed-libraries", repaired)


def test_code_that_opens_libraries_makes_it_a_warning(pinwheel, tmp_path):
    place = tmp_path / "in"
    wheel = wheel_of(place, Layout())
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    files["demo_kit/__init__.py"] = b"import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'lib/liba.so.1'))\n"
    (tmp_path / "opens").mkdir()
    opens = make_wheel(tmp_path / "opens", files, TAGS.replace("linux_", "manylinux_2_5_"))
    output = call(pinwheel, "inspect", "--check", "--select", "needed-libraries", opens).stdout
    assert "no search path leads there; the import fails unless the library is loaded before" in output
    call(pinwheel, "inspect", "--check", "--strict", "--select", "needed-libraries", opens, code=5)
