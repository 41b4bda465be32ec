"""Wheels from PyPI, read and rewritten by pinwheel, compared with the common tools: zipfile, `wheel`, auditwheel, pip,
twine and check-wheel-contents."""

import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

# The downloads from PyPI serve this whole file.
pytestmark = pytest.mark.xdist_group("wheels")
WHEELS = {"markupsafe": "3.0.2", "numpy": "2.2.6", "packaging": "25.0", "zstandard": "0.23.0"}
TOOLS = pathlib.Path(sys.executable).parent
EPOCH = "1767323045"


def call(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def tool(name: str, *arguments) -> subprocess.CompletedProcess:
    """A console script of the environment that runs the tests."""
    return call(TOOLS / name, *arguments)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> dict[str, pathlib.Path]:
    """The wheels by project, for CPython 3.11, whichever Python runs the tests."""
    place = tmp_path_factory.mktemp("wheels")
    target = ["--python-version", "3.11", "--implementation", "cp", "--only-binary", ":all:", "--no-deps"]
    platforms = ["--platform", "manylinux_2_17_x86_64", "--platform", "manylinux2014_x86_64"]
    pins = [f"{name}=={version}" for name, version in WHEELS.items()]
    done = call(sys.executable, "-m", "pip", "download", "-q", *target, *platforms, "--dest", place, *pins)
    assert done.returncode == 0, done.stderr
    found = {path.name.split("-")[0].lower(): path for path in place.glob("*.whl")}
    assert set(found) == set(WHEELS)
    return found


@pytest.fixture(scope="module", params=sorted(WHEELS))
def wheel(request, wheels) -> pathlib.Path:
    return wheels[request.param]


def inspect(pinwheel: str, wheel: pathlib.Path, *options: str) -> tuple[int, dict]:
    """The exit code and the report, with errors and warnings separated."""
    done = call(pinwheel, "inspect", wheel, "--json", "--check", *options)
    report = json.loads(done.stdout)
    findings = report["findings"]
    report["findings"] = [finding for finding in findings if finding["severity"] == "error"]
    report["warnings"] = [finding for finding in findings if finding["severity"] == "warning"]
    return done.returncode, report


def rules_broken(report: dict) -> set[str]:
    return {finding["rule"] for finding in report["findings"]}


def test_a_real_wheel_satisfies_every_rule(pinwheel, wheel):
    code, report = inspect(pinwheel, wheel)
    assert report["findings"] == []
    assert code == 0
    # check-wheel-contents gives the same warnings about contents.
    complaints = set(re.findall(r"\bW\d{3}\b", tool("check-wheel-contents", wheel).stdout))
    kinds = {"byte-code": {"W001"}, "duplicates": {"W002"}, "top-level": {"W003", "W004", "W005", "W006"}}
    for rule in {warning["rule"] for warning in report["warnings"]} & set(kinds):
        assert complaints & kinds[rule], rule


def test_members_are_those_that_zipfile_lists(pinwheel, wheel):
    _, report = inspect(pinwheel, wheel)
    with zipfile.ZipFile(wheel) as archive:
        seen = [
            (member.filename, member.file_size, member.compress_size, f"{member.CRC:08x}")
            for member in archive.infolist()
            if not member.is_dir()
        ]
    assert seen == [(one["name"], one["size"], one["compressed_size"], one["crc32"]) for one in report["files"]]


def test_the_policy_is_the_one_that_auditwheel_finds(pinwheel, wheel):
    _, report = inspect(pinwheel, wheel)
    shown = json.loads(tool("auditwheel", "show", "--json", wheel).stdout)
    if report["platform_tag"] == "any":
        assert "no ELF executable or shared library" in shown["error"]
        return
    assert report["platform_tag"] == shown["overall_tag"]
    wanted = {version for versions in shown["versioned_symbols"].values() for version in versions}
    glibc = [tuple(map(int, one[6:].split("."))) for one in wanted if re.fullmatch(r"GLIBC_[\d.]+", one)]
    assert report["glibc"] == ".".join(map(str, max(glibc)))


def damaged(wheel: pathlib.Path, place: pathlib.Path, change) -> pathlib.Path:
    """A copy of the wheel, with the same name, whose archive `change(source, target)` wrote."""
    copy = place / wheel.name
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as target:
        change(source, target)
    return copy


def test_wheel_and_pinwheel_both_detect_a_file_that_differs_from_record(pinwheel, wheels, tmp_path):
    def change(source, target):
        for member in source.infolist():
            more = b"\n# changed\n" if member.filename == "markupsafe/__init__.py" else b""
            target.writestr(member, source.read(member) + more)

    intact = wheels["markupsafe"]
    assert tool("wheel", "unpack", "--dest", tmp_path / "intact", intact).returncode == 0
    copy = damaged(intact, tmp_path, change)
    unpacked = tool("wheel", "unpack", "--dest", tmp_path / "changed", copy)
    assert unpacked.returncode != 0
    assert "markupsafe/__init__.py" in unpacked.stderr
    code, report = inspect(pinwheel, copy)
    assert code == 5
    assert [(one["rule"], one["file"]) for one in report["findings"]] == [("record", "markupsafe/__init__.py")]
    assert inspect(pinwheel, copy, "--ignore", "record")[0] == 0


def test_a_file_that_record_does_not_list_is_a_finding(pinwheel, wheels, tmp_path):
    def change(source, target):
        for member in source.infolist():
            target.writestr(member, source.read(member))
        target.writestr("packaging/extra.py", "x = 1\n")

    code, report = inspect(pinwheel, damaged(wheels["packaging"], tmp_path, change))
    assert code == 5
    assert [(one["rule"], one["file"]) for one in report["findings"]] == [("record", "packaging/extra.py")]


class Pipe(io.RawIOBase):
    """An output that cannot seek, which makes zipfile write data descriptors."""

    def __init__(self, path: pathlib.Path):
        self.file = path.open("wb")

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        return self.file.write(data)

    def close(self):
        self.file.close()
        super().close()


def test_a_streamed_archive_violates_the_rules_of_pypi(pinwheel, wheels, tmp_path):
    copy = tmp_path / wheels["packaging"].name
    with zipfile.ZipFile(wheels["packaging"]) as source, Pipe(copy) as pipe, zipfile.ZipFile(pipe, "w") as target:
        for member in source.infolist():
            target.writestr(member.filename, source.read(member))
    with zipfile.ZipFile(copy) as archive:
        assert all(member.flag_bits & 8 for member in archive.infolist())
        members = {member.filename for member in archive.infolist()}
    code, report = inspect(pinwheel, copy)
    assert code == 5
    assert rules_broken(report) == {"archive"}
    assert {one["file"] for one in report["findings"]} == members
    assert all("data descriptor" in one["message"] for one in report["findings"])


def test_comments_and_trailing_bytes_violate_the_rules_of_pypi(pinwheel, wheels, tmp_path):
    def change(source, target):
        for member in source.infolist():
            member.comment = b"built by hand" if member.filename == "packaging/py.typed" else b""
            target.writestr(member, source.read(member.filename))

    copy = damaged(wheels["packaging"], tmp_path, change)
    with copy.open("ab") as file:
        file.write(b"trailing")
    code, report = inspect(pinwheel, copy)
    assert code == 5
    assert [one["file"] for one in report["findings"]] == ["packaging/py.typed", copy.name]


def test_a_name_that_occurs_twice_is_refused(pinwheel, wheels, tmp_path):
    copy = tmp_path / wheels["packaging"].name
    shutil.copy(wheels["packaging"], copy)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(copy, "a") as archive:
        archive.writestr("packaging/py.typed", "again")
    done = call(pinwheel, "inspect", copy, "--check")
    assert done.returncode == 5
    assert "`packaging/py.typed` twice" in done.stderr


@pytest.mark.parametrize("project, tag", [("numpy", "manylinux_2_5_x86_64"), ("zstandard", "linux_x86_64")])
def test_a_tag_that_the_binaries_do_not_satisfy_is_a_finding(pinwheel, wheels, tmp_path, project, tag):
    name = wheels[project].name
    shutil.copy(wheels[project], tmp_path / name)
    done = tool("wheel", "tags", "--remove", "--platform-tag", tag, tmp_path / name)
    assert done.returncode == 0, done.stderr
    (copy,) = tmp_path.glob("*.whl")
    assert copy.name.endswith(f"-{tag}.whl")
    code, report = inspect(pinwheel, copy)
    assert code == 5
    assert rules_broken(report) == {"platform-tag"}


def test_a_build_path_in_a_library_is_a_finding(pinwheel, wheels, tmp_path):
    unpacked = tool("wheel", "unpack", "--dest", tmp_path, wheels["markupsafe"])
    assert unpacked.returncode == 0, unpacked.stderr
    (library,) = tmp_path.rglob("*.so")
    patched = call("patchelf", "--set-rpath", "$ORIGIN/../lib:/build/here/lib", library)
    assert patched.returncode == 0, patched.stderr
    packed = tool("wheel", "pack", "--dest-dir", tmp_path, library.parent.parent)
    assert packed.returncode == 0, packed.stderr
    (copy,) = tmp_path.glob("*.whl")
    code, report = inspect(pinwheel, copy)
    assert code == 5
    assert [(one["rule"], one["evidence"]) for one in report["findings"]] == [("rpath", "/build/here/lib")]


@pytest.fixture(scope="module")
def finished(pinwheel, wheel, tmp_path_factory) -> pathlib.Path:
    """The wheel under a different name and version, finished twice with the same bytes."""
    directory = tmp_path_factory.mktemp("finished")
    record = directory / "pinwheel.json"
    record.write_text(
        json.dumps({"schema": "pinwheel-wheel/1", "architectures": [], "built-with": {"compute": "cpu"}})
    )
    name = "Renamed-" + wheel.name.split("-")[0]
    options = ["--distribution", name, "--wheel-version", "7.1", "--epoch", EPOCH, "--record", record]
    places = [directory / "first", directory / "second"]
    for place in places:
        place.mkdir()
        done = call(
            pinwheel, "finish", wheel, *options, "--requires", "torch>=2.10", "--output-dir", place, cwd=place
        )
        assert done.returncode == 0, done.stderr
    (first,), (second,) = (list(place.glob("*.whl")) for place in places)
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()
    return first


def test_a_finished_wheel_satisfies_every_tool(pinwheel, wheel, finished, tmp_path):
    code, report = inspect(pinwheel, finished)
    assert report["findings"] == []
    assert code == 0
    assert report["version"] == "7.1"
    assert report["requires_torch"] == ["torch>=2.10"]
    unpacked = tool("wheel", "unpack", "--dest", tmp_path / "unpacked", finished)
    assert unpacked.returncode == 0, unpacked.stderr
    checked = tool("twine", "check", finished)
    assert checked.returncode == 0, checked.stdout
    strict = [tool("twine", "check", "--strict", file).returncode for file in (wheel, finished)]
    assert strict[1] == strict[0]
    complaints = [tool("check-wheel-contents", file).stdout for file in (wheel, finished)]
    before, after = (set(re.findall(r"\bW\d{3}\b", text)) for text in complaints)
    assert after == before


def test_pip_installs_a_finished_wheel_with_the_same_files(wheel, finished, tmp_path):
    platforms = finished.name.removesuffix(".whl").split("-")[-1].split(".")
    target = ["--python-version", "3.11", "--implementation", "cp", "--only-binary", ":all:", "--no-deps"]
    target += [word for platform in platforms if platform != "any" for word in ("--platform", platform)]
    site = tmp_path / "site"
    done = call(sys.executable, "-m", "pip", "install", "--no-index", "--no-compile", *target, "--target", site, finished)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            if ".dist-info/" not in member and not member.endswith("/"):
                assert (site / member).read_bytes() == archive.read(member), member
    (info,) = site.glob("*.dist-info")
    assert info.name == finished.name.split("-")[0] + "-7.1.dist-info"
    assert json.loads((info / "pinwheel.json").read_text())["schema"] == "pinwheel-wheel/1"
