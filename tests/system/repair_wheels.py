"""Wheels with one extension module each, compiled against libraries of the system, and what is in them afterwards."""

import json
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

from compiled_wheels import call, make_wheel

TAGS = f"cp{sys.version_info.major}{sys.version_info.minor}-" * 2 + "linux_x86_64"
MODULE = f"demo_kit/_C{sysconfig.get_config_var('EXT_SUFFIX')}"
SOURCE = """#include <Python.h>
%s
static PyObject* answer(PyObject* self, PyObject* none) { return PyLong_FromLong(go()); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {0, 0, 0, 0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", "", -1, methods};
PyMODINIT_FUNC PyInit__C(void) { return PyModule_Create(&module); }
"""
# The use of a library by a module: includes, the body of `go`, the linker flags.
JPEG = ("#include <stdio.h>\n#include <jpeglib.h>", "struct jpeg_error_mgr e; return !!jpeg_std_error(&e);", "-ljpeg")
ZSTD = ("#include <zstd.h>", "return ZSTD_versionNumber() > 0;", "-lzstd")
CURL = ("#include <curl/curl.h>", "return curl_version() != 0;", "-lcurl")
OPENBLAS = (
    "#include <cblas.h>",
    "double x[] = {1, 0}, y[] = {1, 1}; return cblas_ddot(2, x, 1, y, 1) == 1;",
    "-lopenblas",
)
FFMPEG = (
    "#include <libswscale/swscale.h>\n#include <libavutil/avutil.h>",
    "return swscale_version() > 0 && avutil_version() > 0;",
    "-lswscale -lavutil",
)
# The module finds the library itself at run time, so nothing says that it needs it.
DLOPEN = (
    "#include <dlfcn.h>",
    'void* jpeg = dlopen("libjpeg.so.62", RTLD_NOW); return jpeg != 0 && dlsym(jpeg, "jpeg_std_error") != 0;',
    "-ldl",
)
NOTHING = ("", "return 1;", "-lm")


def extension(place: pathlib.Path, use: tuple[str, str, str], *flags: str, compiler: str = "gcc") -> bytes:
    """The module's shared library."""
    includes, body, link = use
    start, end = ('extern "C" {', "}") if compiler == "g++" else ("", "")
    source = place / ("module.cc" if compiler == "g++" else "module.c")
    source.write_text(SOURCE % f"{includes}\n{start}\nstatic long go(void) {{ {body} }}\n{end}")
    module = place / "module.so"
    include = "-I" + sysconfig.get_path("include")
    call(compiler, "-shared", "-fPIC", "-O1", include, "-o", module, source, *link.split(), *flags)
    return module.read_bytes()


def wheel_with(place: pathlib.Path, *args, tags: str = TAGS, headers: str = "", **more) -> pathlib.Path:
    place.mkdir(parents=True, exist_ok=True)
    files = {"demo_kit/__init__.py": b"", MODULE: extension(place, *args, **more)}
    return make_wheel(place, files, tags, headers=headers)


def private_library(prefix: pathlib.Path, name: str, source: str, *flags: str) -> None:
    """A library `libNAME.so.1` in its own prefix."""
    prefix.mkdir(parents=True, exist_ok=True)
    file = prefix / f"{name}.c"
    file.write_text(source)
    soname = f"lib{name}.so.1"
    call("gcc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-o", prefix / soname, file, f"-L{prefix}", *flags)
    (prefix / f"lib{name}.so").symlink_to(soname)


def grafted(wheel: pathlib.Path) -> set[str]:
    """The libraries that were put into a wheel, without the hashes and what follows the first number."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name.split("/")[-1] for name in archive.namelist() if ".libs/" in name and ".so" in name]
    plain = (re.sub(r"-[0-9a-f]{8}(?=\.)", "", name) for name in names)
    return {re.match(r"(.*?\.so(\.\d+)?)", name)[1] for name in plain}


def contents_grafted(wheel: pathlib.Path) -> set[str]:
    """The beginnings of the digests of what was put in: both tools have them in its names."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".libs/" in name and ".so" in name]
    return {re.search(r"-([0-9a-f]{8})\.", name)[1] for name in names}


HIDDEN = "for file; do [ \"$file\" = -- ] && break; shift; mount --bind /dev/null \"$file\"; done; shift; exec \"$@\""


def without(files: list[str]) -> list[str]:
    """The beginning of a command that does not see what is in these files."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-ec", HIDDEN, "sh", *files, "--"] if files else []


def load(wheel: pathlib.Path, place: pathlib.Path, hidden: list[str] | None = None) -> tuple[int, list[str]]:
    """The module's answer, and the libraries that are loaded with it, where the hidden files are empty."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    script = "import demo_kit._C as c, json; maps = {l.split()[-1] for l in open('/proc/self/maps')}\n"
    script += "print(json.dumps([c.answer(), sorted(m for m in maps if '.so' in m)]))"
    variables = {**os.environ, "PYTHONPATH": str(place)}
    command = [*without(hidden or []), sys.executable, "-c", script]
    ran = subprocess.run(command, env=variables, check=True, capture_output=True, text=True)
    answer, libraries = json.loads(ran.stdout)
    return answer, libraries
