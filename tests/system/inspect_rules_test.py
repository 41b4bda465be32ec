"""`inspect` on wheels compiled for these tests, compared with readelf, nm and specialized tools from PyPI: abi3audit,
check-wheel-contents, pydistcheck."""

import json
import os
import pathlib
import re
import sys
import zipfile

import pytest
from compiled_wheels import PLAIN, PLATFORM, TAGS, broken, call, compiled, make_wheel, report_of

TOOLS = pathlib.Path(sys.executable).parent


@pytest.mark.parametrize(
    "source, flags, rule, severity, readelf",
    [
        (PLAIN, ["-Wl,-z,execstack"], "executable-stack", "error", r"GNU_STACK.*\n?.*RWE"),
        (PLAIN, ["-Wl,-z,norelro"], "relro", "warning", None),
        (PLAIN, ["-g"], "debug-info", "warning", r"\.debug_info"),
        (PLAIN, ["-Wl,-rpath,/nonexistent/lib"], "rpath", "error", r"\(R(UN)?PATH\).*\[/nonexistent/lib\]"),
        (
            "extern char **environ; __attribute__((noinline)) char ***demo(void) { return &environ; }\n"
            "__asm__(\".text\\n.quad environ\\n\");\n",
            ["-Wl,-z,notext"],
            "text-relocations",
            "warning",
            r"TEXTREL",
        ),
    ],
    ids=["execstack", "norelro", "debug", "rpath", "textrel"],
)
def test_linker_flags_are_reported_as_readelf_does(pinwheel, tmp_path, source, flags, rule, severity, readelf):
    library = compiled(tmp_path, "native", source, *flags)
    printed = call("readelf", "-lWdS", tmp_path / "native.so").stdout
    assert ("GNU_RELRO" in printed) == (rule != "relro")
    if readelf:
        assert re.search(readelf, printed)
    wheel = make_wheel(tmp_path, {"demo/_C.so": library}, TAGS)
    assert broken(report_of(pinwheel, wheel)) == {(rule, severity)}
    call(pinwheel, "inspect", "--check", wheel, code=5 if severity == "error" else 0)
    call(pinwheel, "inspect", "--check", "--strict", wheel, code=5)
    call(pinwheel, "inspect", "--check", "--strict", "--ignore", rule, wheel)
    call(pinwheel, "inspect", "--check", "--strict", "--select", "record", wheel)
    # The same library alone.
    assert broken(report_of(pinwheel, tmp_path / "native.so")) == {(rule, severity)}
    assert broken(report_of(pinwheel, tmp_path)) == {(rule, severity)}


def test_a_symbol_version_rules_out_systems_that_lack_it(pinwheel, tmp_path):
    source = "unsigned arc4random(void); unsigned demo(void) { return arc4random(); }\n"
    library = compiled(tmp_path, "new", source)
    (version,) = re.findall(r"arc4random@GLIBC_([\d.]+)", call("nm", "-D", tmp_path / "new.so").stdout)
    wheel = make_wheel(tmp_path, {"demo/_C.so": library}, TAGS)
    report = report_of(pinwheel, wheel)
    assert broken(report) == {("platform-tag", "error")} and report["glibc"] == version
    assert f"`GLIBC_{version}` of `libc.so.6`" in report["findings"][0]["evidence"]
    systems = json.loads(call(pinwheel, "compat", wheel, "--json").stdout)["distributions"]
    wanted = tuple(map(int, version.split(".")))
    for system in systems:
        assert system["runs"] == (tuple(map(int, system["glibc"].split("."))) >= wanted)
        assert bool(system["reasons"]) != system["runs"]
    assert {system["runs"] for system in systems} == {True, False}


# The CPython API that a module uses is declared here, so that no headers are needed.
MODULE = """
{declarations}
void *PyInit__C(void) {{ {calls} return 0; }}
"""


def module(place: pathlib.Path, symbols: list[str]) -> bytes:
    declarations = "\n".join(f"extern void {symbol}(void);" for symbol in symbols)
    calls = " ".join(f"{symbol}();" for symbol in symbols)
    return compiled(place, "module", MODULE.format(declarations=declarations, calls=calls))


@pytest.mark.parametrize(
    "symbols, python",
    [
        (["PyModule_Create2", "PyErr_SetString"], "cp38"),
        (["PyModule_Create2", "PyBuffer_Release"], "cp310"),
        (["PyModule_Create2", "PyBuffer_Release"], "cp311"),
        (["PyModule_Create2", "PyFrame_GetBack", "_PyObject_GetDictPtr"], "cp312"),
        (["PyType_GetModuleByDef", "PyObject_GetTypeData", "PyEval_GetFrameGlobals"], "cp39"),
    ],
)
def test_the_stable_abi_is_what_abi3audit_knows(pinwheel, tmp_path, symbols, python):
    wheel = make_wheel(tmp_path, {"demo/_C.abi3.so": module(tmp_path, symbols)}, f"{python}-abi3-{PLATFORM}")
    audited = json.loads(call(TOOLS / "abi3audit", "--report", wheel, code=None).stdout)
    (audit,) = [one["result"] for one in audited["specs"][str(wheel)]["wheel"]]
    report = report_of(pinwheel, wheel)
    found = [finding for finding in report["findings"] if finding["rule"] == "python-abi"]
    assert bool(found) == (not audit["is_abi3"] or not audit["is_abi3_baseline_compatible"])
    output = " ".join(finding["evidence"] for finding in found)
    for symbol in audit["non_abi3_symbols"] + list(audit["future_abi3_objects"]):
        assert symbol in output
    undefined = call("nm", "-D", "--undefined-only", tmp_path / "module.so").stdout
    assert all(symbol in undefined for symbol in symbols)


def test_every_release_has_the_stable_abi_that_its_own_tests_list(pinwheel, tmp_path):
    names = pytest.importorskip("test.test_stable_abi_ctypes").SYMBOL_NAMES
    minor = sys.version_info.minor
    wheel = make_wheel(
        tmp_path, {"demo/_C.abi3.so": module(tmp_path, sorted(set(names)))}, f"cp3{minor}-abi3-{PLATFORM}"
    )
    assert [one for one in report_of(pinwheel, wheel)["findings"] if one["rule"] == "python-abi"] == []


def test_a_label_that_contradicts_the_libraries_is_an_error(pinwheel, tmp_path):
    empty = compiled(tmp_path, "libcudart", "int cudaFree(void *p) { return 0; }", "-Wl,-soname,libcudart.so.12")
    (tmp_path / "libcudart.so.12").write_bytes(empty)
    gpu = compiled(
        tmp_path,
        "gpu",
        "extern int cudaFree(void *); int demo(void) { return cudaFree(0); }",
        f"-L{tmp_path}",
        "-l:libcudart.so.12",
    )
    cpu = compiled(tmp_path, "cpu", PLAIN)
    for library, version, message in (
        (gpu, "1.0+cu130", "is for CUDA 12, but the label in the wheel's version is for CUDA 13.0"),
        (gpu, "1.0+cpu", "is for CUDA 12, but the label in the wheel's version is for CPU"),
        (cpu, "1.0+cu130", "is labeled for CUDA 13.0, but contains nothing for a GPU"),
        (gpu, "1.0+cu126", None),
        (cpu, "1.0+cpu", None),
    ):
        wheel = make_wheel(tmp_path, {"demo/_C.so": library}, TAGS, version)
        found = [one["message"] for one in report_of(pinwheel, wheel)["findings"] if one["rule"] == "gpu-label"]
        assert found == ([message] if message else [])


def test_hygiene_warnings_are_those_of_check_wheel_contents(pinwheel, tmp_path):
    text = ("x = 1\n" * 300).encode()
    files = {
        "demo/__init__.py": b"",
        "demo/one.py": text,
        "demo/two.py": text,
        "demo/three.pyc": b"bytecode",
        "tests/test_one.py": b"y = 2\n",
        "README.md": b"read me\n",
        "demo/not-a-name.py": b"z = 3\n",
    }
    wheel = make_wheel(tmp_path, files, "py3-none-any")
    printed = call(TOOLS / "check-wheel-contents", wheel, code=1).stdout
    report = report_of(pinwheel, wheel)
    seen = {(one["rule"], one["file"]) for one in report["findings"]}
    assert seen == {
        ("byte-code", "demo/three.pyc"),
        ("duplicates", "demo/one.py"),
        ("top-level", "tests/test_one.py"),
        ("top-level", "README.md"),
        ("top-level", "demo/not-a-name.py"),
    }
    assert {"W001", "W002", "W003", "W004", "W005"} <= set(re.findall(r"W\d{3}", printed))
    assert {one["severity"] for one in report["findings"]} == {"warning"}
    call(pinwheel, "inspect", "--check", wheel)


def test_odd_name_warnings_are_those_of_pydistcheck(pinwheel, tmp_path):
    files = {"demo/__init__.py": b"", "demo/a b.txt": b"1", "demo/caf\u00e9.txt": b"2", "demo/Readme": b"3"}
    wheel = make_wheel(tmp_path, files | {"demo/README": b"4"}, "py3-none-any")
    printed = call(TOOLS / "pydistcheck", wheel, code=None).stdout
    for check in ("path-contains-spaces", "path-contains-non-ascii-characters", "files-only-differ-by-case"):
        assert check in printed
    seen = {(one["rule"], one["file"]) for one in report_of(pinwheel, wheel)["findings"]}
    assert seen == {("odd-members", name) for name in ("demo/a b.txt", "demo/caf\u00e9.txt", "demo/README")}


@pytest.mark.parametrize("value", [0, 1])
def test_the_string_abi_is_what_the_library_was_compiled_with(pinwheel, tmp_path, value):
    source = "#include <string>\nvoid other(const std::string&); void demo() { other(\"x\"); }\n"
    library = compiled(tmp_path, "cxx", source, f"-D_GLIBCXX_USE_CXX11_ABI={value}", compiler="g++")
    wheel = make_wheel(tmp_path, {"demo/_C.so": library}, TAGS)
    assert report_of(pinwheel, wheel)["cxx11_abi"] is bool(value)


def test_two_wheels_are_compared_with_causes(pinwheel, tmp_path):
    places = [tmp_path / "old", tmp_path / "new"]
    for place in places:
        place.mkdir()
    files = {"demo/__init__.py": b"built = '2026-11-20'\n", "demo/same.py": b"x = 1\n"}
    old = make_wheel(places[0], files, "py3-none-any")
    new = make_wheel(places[1], files | {"demo/__init__.py": b"built = '2026-11-22'\n"}, "py3-none-any")
    found = json.loads(call(pinwheel, "inspect", old, new, "--json").stdout)
    assert found["sameness"] == "different"
    assert [(one["name"], one["cause"]) for one in found["changed"]] == [("demo/__init__.py", "time")]
    assert json.loads(call(pinwheel, "inspect", old, old, "--json").stdout)["sameness"] == "identical"
    again = places[1] / old.name
    with zipfile.ZipFile(old) as source, zipfile.ZipFile(again, "w", zipfile.ZIP_STORED) as target:
        for member in reversed(source.infolist()):
            target.writestr(zipfile.ZipInfo(member.filename), source.read(member))
    found = json.loads(call(pinwheel, "inspect", old, again, "--json").stdout)
    assert found["sameness"] == "same-contents"
    assert {"order", "time", "compression"} <= set(found["archive"])
    # With `--check`, each is checked separately.
    assert len(json.loads(call(pinwheel, "inspect", "--check", "--json", old, old).stdout)) == 2


def test_a_library_built_elsewhere_differs_by_its_path(pinwheel, tmp_path):
    wheels = []
    for name in ("here", "elsewhere"):
        place = tmp_path / name
        place.mkdir()
        source = f"const char *demo_where(void) {{ return \"{place}/src/demo.c\"; }}\n"
        source = source.replace(str(tmp_path), "/build/" + ("x" if name == "here" else "y"))
        wheels.append(make_wheel(place, {"demo/_C.so": compiled(place, "where", source, "-s")}, TAGS))
    (changed,) = json.loads(call(pinwheel, "inspect", *wheels, "--json").stdout)["changed"]
    assert ".rodata" in changed["sections"]
    assert changed["cause"] in ("path", "several", "contents")


def test_a_budget_names_what_to_leave_out(pinwheel, tmp_path):
    noise = ", ".join(str(byte) for byte in os.urandom(60_000))
    library = compiled(tmp_path, "big", f"const unsigned char demo_table[] = {{{noise}}};\n" + PLAIN, "-g3")
    wheel = make_wheel(tmp_path, {"demo/_C.so": library}, TAGS)
    size = wheel.stat().st_size
    stripped = tmp_path / "stripped.so"
    call("strip", "--strip-debug", "-o", stripped, tmp_path / "big.so")
    place = tmp_path / "stripped"
    place.mkdir()
    saved = size - make_wheel(place, {"demo/_C.so": stripped.read_bytes()}, TAGS).stat().st_size
    plan = report_of(pinwheel, wheel, "--budget", str(size - 100))["budget"]
    debug = plan["cuts"][0]
    assert debug["what"] == "debug information" and not debug["costs_users"]
    # An estimate: what those sections take in the compressed stream, within a few hundred bytes of what strip saves.
    assert abs(debug["saves"] - saved) < 0.25 * saved + 500
    assert plan["reached"] and plan["needed"] == 1
    assert report_of(pinwheel, wheel, "--budget", "1 MB")["budget"]["needed"] == 0
    assert not report_of(pinwheel, wheel, "--budget", "1000")["budget"]["reached"]


def test_links_devices_and_deceptive_names_are_errors(pinwheel, tmp_path):
    wheel = make_wheel(tmp_path, {"demo/__init__.py": b""}, "py3-none-any")
    modes = {"demo/link": 0o120777, "demo/device": 0o020666, "demo/root": 0o104755, "demo/\u202eyp.txt": 0o100644}
    with zipfile.ZipFile(wheel, "a") as archive:
        for name, mode in modes.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.create_system = 3
            archive.writestr(info, b"target")
    seen = {(one["rule"], one["file"]) for one in report_of(pinwheel, wheel)["findings"] if one["severity"] == "error"}
    special = {("special-members", name) for name in list(modes)[:3]}
    assert special | {("hidden-characters", "demo/\u202eyp.txt")} <= seen
    ignored = ["--ignore", "record", "--ignore", "special-members"]
    output = call(pinwheel, "inspect", "--check", *ignored, wheel, code=5).stdout
    assert r"[hidden-characters] `demo/\u202eyp.txt`: " in output
    call(pinwheel, "inspect", "--check", *ignored, "--ignore", "hidden-characters", wheel)
