"""`repair` of libraries with names that are not shown, and of long chains of them."""

import os
import pathlib
import shutil

import pytest
from compiled_wheels import call, make_wheel
from repair_wheels import CURL, MODULE, TAGS, extension, load, private_library, wheel_with

# All names have the same length, so that a name can be written over the one that a linker accepts.
PLAIN_NAME = b"libplain-name-of-a-library.so.1"
ODD_NAMES = {
    "line": b"lib\n::add-mask::x-library.so.1",
    "escape": b"lib\x1b]0;title\x07-a-library.so.1",
    "direction": "lib\u202ename-of-a-lib\u202cry.so.1".encode(),
}


@pytest.mark.parametrize("place", ["soname", "needed"])
@pytest.mark.parametrize("odd", ODD_NAMES.values(), ids=ODD_NAMES.keys())
def test_names_that_are_not_shown_are_refused(repair, tmp_path, odd, place):
    odd = odd[:-5].ljust(len(PLAIN_NAME) - 5, b"_")[: len(PLAIN_NAME) - 5] + b".so.1"
    prefix = tmp_path / "prefix"
    prefix.mkdir()
    (prefix / "odd.c").write_text("int odd(void) { return 1; }\n")
    library = prefix / PLAIN_NAME.decode()
    call("gcc", "-shared", "-fPIC", f"-Wl,-soname,{library.name}", "-o", library, prefix / "odd.c")
    module = extension(prefix, ("int odd(void);", "return odd();", str(library)))
    file = library.read_bytes().replace(PLAIN_NAME, odd)
    if place == "needed":
        module = module.replace(PLAIN_NAME, odd)
        (prefix / os.fsdecode(odd)).write_bytes(file)
    else:
        library.write_bytes(file)
    wheel = make_wheel(tmp_path, {"demo_kit/__init__.py": b"", MODULE: module}, TAGS)
    error = repair(wheel, code=5, LD_LIBRARY_PATH=str(prefix))
    assert "cannot be put into a wheel" in error and "\x1b]" not in error
    assert not list(tmp_path.glob("out/*.whl"))


def test_dpkg_is_asked_once_for_all(repair, tmp_path):
    bin_directory = tmp_path / "bin"
    bin_directory.mkdir()
    fake = bin_directory / "dpkg-query"
    fake.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/asked\nexec {shutil.which("dpkg-query")} "$@"\n')
    fake.chmod(0o755)
    wheel = wheel_with(tmp_path / "in", CURL, "-Wl,--no-as-needed", "-ljpeg", "-lzstd")
    report = repair(wheel, "--dry-run", PATH=f"{bin_directory}:{os.environ['PATH']}")
    assert len(report["grafts"]) > 5 and all(graft["package"] for graft in report["grafts"])
    assert [line[:2] for line in (tmp_path / "asked").read_text().split()] == ["-S", "-W"]


def test_a_long_chain_is_put_in(repair, tmp_path):
    prefix = tmp_path / "prefix"
    length = 60
    for i in reversed(range(length)):
        needs = [f"-lchain{i + 1}"] if i + 1 < length else []
        source = f"int c{i + 1}(void); int c{i}(void) {{ return c{i + 1}(); }}" if needs else f"int c{i}(void) {{ return 7; }}"
        private_library(prefix, f"chain{i}", source, *needs, f"-Wl,-rpath-link,{prefix}")
    use = ("int c0(void);", "return c0();", f"-L{prefix} -lchain0 -Wl,-rpath-link,{prefix}")
    report = repair(wheel_with(tmp_path / "in", use), LD_LIBRARY_PATH=str(prefix))
    assert len(report["grafts"]) == length
    shutil.rmtree(prefix)
    assert load(pathlib.Path(report["output"]["path"]), tmp_path / "site")[0] == 7
