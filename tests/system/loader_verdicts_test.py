"""Verdicts about wheels agree with the dynamic loader, on libraries that a compiler makes here."""

import ctypes
import sysconfig
import zipfile

import pytest
from compiled_wheels import broken, call, compiled, make_wheel, report_of

PLATFORM = "manylinux_2_36_x86_64"
INCLUDE = f"-I{sysconfig.get_paths()['include']}"
MODULE = """#include <Python.h>
%s
static PyObject* f(PyObject* s, PyObject* a) { return PyLong_FromLong(%s); }
static PyMethodDef methods[] = {{"f", f, METH_NOARGS, 0}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_m", 0, -1, methods};
PyMODINIT_FUNC PyInit__m(void) { return PyModule_Create(&module); }
"""
POINTERS = "static int f(int x) { return x; }\nint (*table[])(int) = {f, f, f, f};\n"


@pytest.fixture
def judged(tmp_path, pinwheel):
    """The severities of a rule's findings on a wheel of one file, and whether the loader opens the file."""

    def judge(rule: str, name: str, body: bytes, tags: str) -> tuple[list[str], bool]:
        wheel = make_wheel(tmp_path, {"demo/__init__.py": b"", f"demo/{name}": body}, tags)
        found = report_of(pinwheel, wheel)["findings"]
        opened = tmp_path / "opened.so"
        opened.write_bytes(body)
        try:
            ctypes.CDLL(str(opened))
        except OSError:
            return [each["severity"] for each in found if each["rule"] == rule], False
        return [each["severity"] for each in found if each["rule"] == rule], True

    return judge


def test_a_module_with_a_symbol_that_nothing_provides_is_an_error(tmp_path, judged, pinwheel):
    tags = f"py3-none-{PLATFORM}"
    limited = "#define Py_LIMITED_API 0x030a0000\n"
    lacking = compiled(tmp_path, "a", limited + MODULE % ("int nowhere(void);", "nowhere()"), INCLUDE)
    assert judged("undefined-symbols", "_m.so", lacking, tags) == (["error"], False)
    verdicts = call(pinwheel, "compat", make_wheel(tmp_path, {"demo/_m.so": lacking}, tags), "--json").stdout
    assert '"runs": true' not in verdicts and "`nowhere`" in verdicts
    # Without `-lm`, the name has no version; the loader finds it in a library that Python loaded.
    own = compiled(tmp_path, "b", limited + MODULE % ("double pow(double, double);", "(long)pow(2, 3)"), INCLUDE)
    assert judged("undefined-symbols", "_m.so", own, tags) == ([], True)


def test_functions_of_glibc_are_errors_on_musl(tmp_path, pinwheel):
    source = "int backtrace(void**, int);\nint f(void) { void* a[1]; return backtrace(a, 1); }\n"
    body = compiled(tmp_path, "a", source, "-s", compiler="musl-gcc")
    wheel = make_wheel(tmp_path, {"demo/liba.so": body}, "py3-none-musllinux_1_2_x86_64")
    assert broken(report_of(pinwheel, wheel)) == {("undefined-symbols", "error")}
    weak = source.replace("int backtrace", "__attribute__((weak)) int backtrace", 1)
    body = compiled(tmp_path, "b", weak, "-s", compiler="musl-gcc")
    wheel = make_wheel(tmp_path, {"demo/libb.so": body}, "py3-none-musllinux_1_2_x86_64")
    assert not broken(report_of(pinwheel, wheel))


def test_packed_relocations_need_glibc_2_36_or_a_newer_musl(tmp_path, judged, pinwheel):
    packed = compiled(tmp_path, "a", POINTERS, "-nostdlib", "-s", "-Wl,-z,pack-relative-relocs")
    assert judged("platform-tag", "liba.so", packed, "py3-none-manylinux_2_28_x86_64")[0] == ["error"]
    assert judged("platform-tag", "liba.so", packed, f"py3-none-{PLATFORM}") == ([], True)
    musl = compiled(tmp_path, "b", POINTERS, "-s", "-Wl,-z,pack-relative-relocs", compiler="musl-gcc")
    wheel = make_wheel(tmp_path, {"demo/libb.so": musl}, "py3-none-musllinux_1_1_x86_64")
    assert ("platform-tag", "error") in broken(report_of(pinwheel, wheel))


def test_a_name_without_the_flag_for_utf_8_is_another_name_for_python(tmp_path, pinwheel):
    wheel = make_wheel(tmp_path, {"demo/d\u00e9j\u00e0.txt": b"x"}, "py3-none-any")
    assert ("archive", "error") not in broken(report_of(pinwheel, wheel))
    data = bytearray(wheel.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        at = data.find(signature)
        while at >= 0:
            data[at + flags] &= ~0x08
            at = data.find(signature, at + 4)
    wheel.write_bytes(data)
    assert "demo/d\u00e9j\u00e0.txt" not in zipfile.ZipFile(wheel).namelist()
    assert ("archive", "error") in broken(report_of(pinwheel, wheel))


def test_binaries_of_other_systems_are_not_judged(tmp_path, pinwheel):
    windows = b"MZ" + bytes(58) + (64).to_bytes(4, "little") + b"PE\0\0" + bytes(200)
    wheel = make_wheel(tmp_path, {"demo/_m.cp312-win_amd64.pyd": windows}, "cp312-cp312-win_amd64")
    report = report_of(pinwheel, wheel, "--check")
    assert report["not_judged"] == [{"file": "demo/_m.cp312-win_amd64.pyd", "form": "PE"}]
    assert "not judged" in call(pinwheel, "inspect", wheel).stdout
    assert "is PE" in call(pinwheel, "compat", wheel, code=5).stderr
    other = make_wheel(tmp_path, {"demo/_m.cp311-win_amd64.pyd": windows}, "cp312-cp312-win_amd64")
    assert broken(report_of(pinwheel, other)) == {("python-abi", "error")}
