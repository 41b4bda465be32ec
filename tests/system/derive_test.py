"""Wheels for PyPI that are derived from wheels with a local version, judged by pip, uv, twine, packaging and wheel."""

import base64
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import zipfile

import pytest
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename

TOOLS = pathlib.Path(sys.executable).parent
RULE = ("--strip-local", "--distribution", "{name}-{label}")


def call(*command, code: int | None = 0, **options) -> subprocess.CompletedProcess:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def record_line(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def make(place: pathlib.Path, project: str, version: str, requires=(), files=None, wrong_record=False) -> pathlib.Path:
    """A pure wheel with one module."""
    place.mkdir(exist_ok=True)
    name = project.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    headers = "".join(f"Requires-Dist: {one}\n" for one in requires)
    extras = "Provides-Extra: all\nProvides-Extra: fast\n"
    members = {
        f"{name}.py": b"ANSWER = 42\n",
        **(files or {}),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n{extras}{headers}".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(record_line(path, b"other" if wrong_record else data) for path, data in members.items())
    members[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = place / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    return path


def finish(pinwheel: str, place: pathlib.Path, *arguments, code: int = 0) -> subprocess.CompletedProcess:
    return call(pinwheel, "finish", *arguments, "--output-dir", place / "out", code=code, cwd=place)


def written(place: pathlib.Path) -> list[str]:
    """The names in the output directory, including those of temporary files."""
    out = place / "out"
    return sorted(path.name for path in out.iterdir() if path.name != ".gitignore") if out.exists() else []


def installed_version(site: pathlib.Path, distribution: str) -> str:
    ask = f"import importlib.metadata as m; print(m.version({distribution!r}))"
    return call(sys.executable, "-c", ask, env={**os.environ, "PYTHONPATH": str(site)}).stdout.strip()


def install(installer: str, links: pathlib.Path, site: pathlib.Path, *requirements):
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    uv = [sys.executable, "-m", "uv", "--no-config", "--no-cache", "pip", "install", "--python", sys.executable]
    start = pip if installer == "pip" else uv
    call(*start, "--no-index", "--find-links", links, "--target", site, *requirements)


@pytest.fixture(scope="module")
def real(pinwheel, tmp_path_factory) -> pathlib.Path:
    """A wheel from PyPI with an extension module, for this Python, with a local version."""
    place = tmp_path_factory.mktemp("real")
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    call(*download, "--dest", place, "markupsafe==3.0.3")
    (wheel,) = place.glob("*.whl")
    call(pinwheel, "finish", wheel, "--wheel-version", "3.0.3+cu130", "--output-dir", place / "local")
    (local,) = (place / "local").glob("*.whl")
    return local


def test_a_real_wheel_is_derived_with_the_same_code(pinwheel, real, tmp_path):
    done = finish(pinwheel, tmp_path, *RULE, real, "--json")
    report = json.loads(done.stdout)
    wheel = pathlib.Path(report["output"]["path"])
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() == report["output"]["sha256"]
    assert "all code is identical" in done.stderr
    derivation = report["derivation"]
    origin = {"file": real.name, "sha256": hashlib.sha256(real.read_bytes()).hexdigest()}
    assert {key: derivation[key] for key in origin} == origin
    name, version, _, tags = parse_wheel_filename(wheel.name)
    assert (name, str(version)) == ("markupsafe-cu130", "3.0.3")
    assert tags == parse_wheel_filename(real.name)[3]
    info = "markupsafe_cu130-3.0.3.dist-info"
    assert derivation["renamed"]["to"] == info
    with zipfile.ZipFile(real) as old, zipfile.ZipFile(wheel) as new:
        metadata = Metadata.from_email(new.read(f"{info}/METADATA"), validate=True)
        assert (metadata.name.lower(), str(metadata.version)) == ("markupsafe-cu130", "3.0.3")
        assert json.loads(new.read(f"{info}/pinwheel.json"))["derived-from"] == origin
        same = 0
        for member in old.namelist():
            renamed = member.replace(derivation["renamed"]["from"], info)
            equal = old.read(member) == new.read(renamed)
            assert equal == (renamed not in derivation["rewritten"]), member
            same += equal
        assert derivation["identical"] == same
        assert any(member.endswith(".so") for member in new.namelist())
    call(TOOLS / "twine", "check", "--strict", wheel)
    call(TOOLS / "wheel", "unpack", "--dest", tmp_path / "unpacked", wheel)
    call(pinwheel, "inspect", "--check", wheel)
    for installer in ("pip", "uv"):
        site = tmp_path / installer
        install(installer, tmp_path / "out", site, "markupsafe-cu130==3.0.3")
        assert installed_version(site, "markupsafe-cu130") == "3.0.3"
        call(sys.executable, "-c", "import markupsafe._speedups", env={**os.environ, "PYTHONPATH": str(site)})
    # The same command gives the same bytes, and accepts them.
    assert json.loads(finish(pinwheel, tmp_path, *RULE, real, "--json").stdout) == report


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_installers_resolve_the_pins_of_derived_siblings(pinwheel, tmp_path, installer):
    core = make(tmp_path / "in", "my-core", "1.2.0+cu130")
    pins = ["my-core==1.2.0+cu130", 'my-core[fast]===1.2.0+cu130; extra == "all"']
    ops = make(tmp_path / "in", "my-ops", "1.2.0+cu130", pins)
    report = json.loads(finish(pinwheel, tmp_path, *RULE, core, ops, "--json").stdout)
    assert report[0]["derivation"]["requirements"] == []
    assert [one["after"] for one in report[1]["derivation"]["requirements"]] == [
        "my-core-cu130==1.2.0",
        'my-core-cu130[fast]===1.2.0; extra == "all"',
    ]
    install(installer, tmp_path / "out", tmp_path / "site", "my-ops-cu130[all]")
    for name in ("my-core-cu130", "my-ops-cu130"):
        assert installed_version(tmp_path / "site", name) == "1.2.0"


def test_the_local_version_alone_is_removed(pinwheel, tmp_path):
    finish(pinwheel, tmp_path, "--strip-local", make(tmp_path / "in", "my-ops", "1.2.0+cu130"))
    assert written(tmp_path) == ["my_ops-1.2.0-py3-none-any.whl"]


def test_a_wheel_may_be_derived_twice_and_keeps_its_build_record(pinwheel, tmp_path):
    build = json.dumps({"architectures": [], "built-with": {"compute": "cpu"}, "variants": ["a"]}).encode()
    wheel = make(tmp_path / "in", "my-ops", "1.2.0+cu130", files={"my_ops-1.2.0+cu130.dist-info/pinwheel.json": build})
    finish(pinwheel, tmp_path, "--distribution", "{name}-{label}", wheel)
    (first,) = (tmp_path / "out").glob("*.whl")
    finish(pinwheel, tmp_path, "--strip-local", first)
    with zipfile.ZipFile(tmp_path / "out" / "my_ops_cu130-1.2.0-py3-none-any.whl") as archive:
        record = json.loads(archive.read("my_ops_cu130-1.2.0.dist-info/pinwheel.json"))
    assert record["variants"] == ["a"]
    assert record["derived-from"]["file"] == first.name
    assert record["derived-from"]["derived-from"]["file"] == wheel.name


def test_what_the_derived_wheel_cannot_express_is_a_warning(pinwheel, tmp_path):
    stale = {"my_ops/version.py": b"version = '1.2.0+cu130'\n"}
    wheel = make(tmp_path / "in", "my-ops", "1.2.0+cu130", ["torch==2.9+cu130", "numpy==2.0"], stale)
    done = finish(pinwheel, tmp_path, "--strip-local", wheel)
    assert "requires `torch==2.9+cu130`, a local version, which PyPI does not have" in done.stderr
    stated = "`my_ops/version.py` of `my_ops-1.2.0-py3-none-any.whl` still states the version `1.2.0+cu130`"
    assert stated in done.stderr
    assert done.stderr.count("warning: ") == 2
    call(pinwheel, "inspect", "--check", tmp_path / "out" / "my_ops-1.2.0-py3-none-any.whl")
    # An index that accepts local versions may have it.
    assert "torch" not in finish(pinwheel, tmp_path, "--distribution", "{name}-{label}", wheel).stderr


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_a_pinned_wheel_installs_with_the_exact_sibling(pinwheel, tmp_path, installer):
    requires = ["my-core[fast]>=1; python_version >= '3'", "my-core; extra == 'all'"]
    ops = make(tmp_path / "in", "my-ops", "1.2.0", requires)
    for version in ("1.1.0", "1.2.0", "1.3.0"):
        finish(pinwheel, tmp_path, make(tmp_path / "in", "my-core-cu130", version))
    finish(pinwheel, tmp_path, "--pin", "my-core=my-core-cu130==1.2.0", ops)
    with zipfile.ZipFile(tmp_path / "out" / ops.name) as archive:
        metadata = archive.read("my_ops-1.2.0.dist-info/METADATA").decode()
    lines = [line.removeprefix("Requires-Dist: ") for line in metadata.splitlines() if "Requires-Dist" in line]
    assert lines == ["my-core-cu130[fast]==1.2.0; python_version >= '3'", "my-core-cu130==1.2.0; extra == 'all'"]
    call(pinwheel, "inspect", "--check", tmp_path / "out" / ops.name)
    install(installer, tmp_path / "out", tmp_path / "site", "my-ops")
    assert installed_version(tmp_path / "site", "my-core-cu130") == "1.2.0"


def test_a_pin_that_no_requirement_names_is_added_and_ends_the_warning_of_a_derived_wheel(pinwheel, tmp_path):
    wheel = make(tmp_path / "in", "my-ops", "1.2.0+cu130", ["my-core==1.2.0+cu130"])
    done = finish(pinwheel, tmp_path, *RULE, "--pin", "my-core==1.2.0", "--pin", "my-kit==2", wheel, "--json")
    assert "warning" not in done.stderr
    changed = [{"before": "my-core==1.2.0+cu130", "after": "my-core==1.2.0"}]
    assert json.loads(done.stdout)["derivation"]["requirements"] == changed
    with zipfile.ZipFile(tmp_path / "out" / "my_ops_cu130-1.2.0-py3-none-any.whl") as archive:
        metadata = Metadata.from_email(archive.read("my_ops_cu130-1.2.0.dist-info/METADATA"), validate=False)
    assert [str(each) for each in metadata.requires_dist] == ["my-core==1.2.0", "my-kit==2"]


@pytest.mark.parametrize("options", [(), ("--strip-local",)])
def test_a_requirement_that_excludes_the_pinned_version_stops_the_command(pinwheel, tmp_path, options):
    wheel = make(tmp_path / "in", "my-ops", "1.2.0+cu130", ["my-core<1.2"])
    done = finish(pinwheel, tmp_path, *options, "--pin", "my-core==1.2.0", wheel, code=5)
    assert "METADATA requires `my-core<1.2`, which excludes the pinned `my-core==1.2.0`" in done.stderr
    assert written(tmp_path) == []


@pytest.mark.parametrize("pins", [["my-core>=1"], ["my-core"], ["my-core==1.*"], ["a=b=c"], ["a==1", "a==2"]])
def test_only_one_exact_requirement_pins_a_project(pinwheel, tmp_path, pins):
    wheel = make(tmp_path / "in", "my-ops", "1.2.0")
    options = [option for pin in pins for option in ("--pin", pin)]
    done = finish(pinwheel, tmp_path, *options, wheel, code=2)
    assert "is not an exact requirement" in done.stderr or "`a` is pinned to `a==1` and to `a==2`" in done.stderr
    assert written(tmp_path) == []


def test_an_sdist_cannot_be_pinned(pinwheel, tmp_path):
    done = finish(pinwheel, tmp_path, "--pin", "my-core==1", "my_ops-1.0.tar.gz", code=2)
    assert "`my_ops-1.0.tar.gz` is an sdist, and `--pin` is for wheels" in done.stderr


def test_a_wheel_that_contradicts_its_record_stops_all(pinwheel, tmp_path):
    good = make(tmp_path / "in", "my-core", "1.2.0+cu130")
    bad = make(tmp_path / "in", "my-ops", "1.2.0+cu130", wrong_record=True)
    done = finish(pinwheel, tmp_path, "--strip-local", good, bad, code=5)
    assert "contradicts its RECORD" in done.stderr
    assert done.stdout == ""
    assert written(tmp_path) == []


def test_a_damaged_archive_stops_all(pinwheel, tmp_path):
    good = make(tmp_path / "in", "my-core", "1.2.0+cu130")
    bad = make(tmp_path / "in", "my-ops", "1.2.0+cu130")
    bytes_ = bytearray(bad.read_bytes())
    at = bytes_.index(b"ANSWER = 42")
    bytes_[at] ^= 1
    bad.write_bytes(bytes_)
    finish(pinwheel, tmp_path, "--strip-local", good, bad, code=5)
    assert written(tmp_path) == []


def test_two_wheels_with_one_new_name_are_an_error_that_names_both(pinwheel, tmp_path):
    wheels = [make(tmp_path / "in", "my-ops", f"1.2.0+{label}") for label in ("cu126", "cu130")]
    done = finish(pinwheel, tmp_path, "--strip-local", *wheels, code=2)
    assert f"`{wheels[0]}` and `{wheels[1]}` would both be `my_ops-1.2.0-py3-none-any.whl`" in done.stderr
    assert written(tmp_path) == []
    finish(pinwheel, tmp_path, *RULE, *wheels)
    assert written(tmp_path) == [f"my_ops_{label}-1.2.0-py3-none-any.whl" for label in ("cu126", "cu130")]


@pytest.mark.parametrize("options", [("--strip-local",), ("--distribution", "{name}-{label}")])
def test_a_wheel_without_a_local_version_is_an_error(pinwheel, tmp_path, options):
    good = make(tmp_path / "in", "my-core", "1.2.0+cu130")
    done = finish(pinwheel, tmp_path, *options, good, make(tmp_path / "in", "my-ops", "1.2.0"), code=2)
    assert "`my_ops-1.2.0-py3-none-any.whl` has no local version" in done.stderr
    assert written(tmp_path) == []


def test_another_file_of_the_new_name_is_never_replaced(pinwheel, tmp_path):
    other = make(tmp_path / "out", "my-ops", "1.2.0")
    before = other.read_bytes()
    done = finish(pinwheel, tmp_path, "--strip-local", make(tmp_path / "in", "my-ops", "1.2.0+cu130"), code=5)
    assert "exists and has other contents" in done.stderr
    assert other.read_bytes() == before
    assert written(tmp_path) == [other.name]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_derivation_leaves_nothing_half_written(pinwheel, tmp_path, number):
    large = {f"my_ops/{i}.bin": os.urandom(4 << 20) for i in range(24)}
    wheels = [make(tmp_path / "in", "my-core", "1.2.0+cu130")]
    wheels.append(make(tmp_path / "in", "my-ops", "1.2.0+cu130", files=large))
    command = [pinwheel, "finish", "--strip-local", *wheels, "--output-dir", "out"]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not any(name.startswith(".my_ops") for name in written(tmp_path)):
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.01)
    running.send_signal(number)
    running.communicate(timeout=60)
    assert running.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    assert [name for name in written(tmp_path) if not name.startswith(".")] == []
    if number == signal.SIGINT:
        assert written(tmp_path) == []
    finish(pinwheel, tmp_path, "--strip-local", *wheels)
    assert written(tmp_path) == ["my_core-1.2.0-py3-none-any.whl", "my_ops-1.2.0-py3-none-any.whl"]
