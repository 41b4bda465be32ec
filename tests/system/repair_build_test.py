"""`build.repair`: built wheels get the libraries of the system that they need, before they are finished and checked."""

import hashlib
import json
import pathlib
import zipfile

import pytest
from conftest import PYTHON
from repair_wheels import grafted, private_library

BUILD = f"build:cp{PYTHON.replace('.', '')}-plain"
LINK = "cc -shared -Wl,--no-as-needed -ljpeg -Wl,--as-needed -Wl,-rpath,/nonexistent/lib"


@pytest.fixture
def extension(project, environments):
    extension = project("extension")
    # patchelf is there from an earlier session.
    cache = pathlib.Path(extension.environment["PINWHEEL_CACHE_DIR"]) / "tools"
    cache.mkdir(parents=True, exist_ok=True)
    kept = environments / "tools"
    for place in kept.glob("patchelf-*") if kept.is_dir() else ():
        if place.is_dir() and not (cache / place.name).exists():
            (cache / place.name).symlink_to(place)

    def change(matrix):
        matrix["axes"].update(flavor=["plain"])
        matrix["package"].update(sdist=False)
        matrix["environment"]["variables"].update(LDSHARED=LINK)

    extension.edit(change)
    return extension


def record_of(wheel: pathlib.Path) -> dict:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/pinwheel.json")]
        return json.loads(archive.read(name))


def log_of(extension) -> str:
    return extension.run("logs", BUILD).stdout


def test_a_built_wheel_has_what_it_needs(extension):
    outcomes = extension.report("test", "matrix.yaml")
    (output,) = outcomes[BUILD]["outputs"]
    wheel = pathlib.Path(output["path"])
    assert grafted(wheel) == {"libjpeg.so.62"}
    record = record_of(wheel)["repair"]
    ((member, digest),) = record["grafts"].items()
    assert member.startswith("tiny_ext.libs/libjpeg-" + digest[:8])
    log = log_of(extension)
    source = log.split("graft ")[1].split(" -> ")[0].strip()
    assert hashlib.sha256(pathlib.Path(source).read_bytes()).hexdigest() == digest
    assert "`/nonexistent/lib` is dropped" in log
    extension.run("inspect", "--check", str(wheel))

    # The same bytes again, and reused when nothing changed.
    first = extension.wheels()
    assert {one["state"] for one in extension.report("test", "matrix.yaml").values()} == {"reused"}
    extension.start_afresh()
    extension.report("build", "matrix.yaml")
    assert extension.wheels() == first


def test_a_library_that_others_provide_stays_out(extension):
    extension.edit(lambda matrix: matrix["build"].update(external=["libjpeg.so.*"]))
    (output,) = extension.report("build", "matrix.yaml")[BUILD]["outputs"]
    wheel = pathlib.Path(output["path"])
    assert grafted(wheel) == set() and "-manylinux" in wheel.name
    assert "repair" not in record_of(wheel) or not record_of(wheel)["repair"]["grafts"]
    # The matrix is what allows it.
    assert "libjpeg.so.62" in extension.run("inspect", "--check", str(wheel), code=5).stdout
    extension.run("inspect", "--check", "--matrix", "matrix.yaml", str(wheel))
    script = extension.run("build", "matrix.yaml", "--dry-run").stdout
    assert "--exclude 'libjpeg.so.*'" in script and "--external 'libjpeg.so.*'" in script

    extension.edit(lambda matrix: matrix["build"].update(external=["libother.so.*"]))
    outcome = extension.report("build", "matrix.yaml")[BUILD]
    assert outcome["state"] == "done"
    assert grafted(pathlib.Path(outcome["outputs"][0]["path"])) == {"libjpeg.so.62"}
    assert "no library matches `build.external libother.so.*`" in log_of(extension)


def test_a_relative_library_path_is_one_of_the_source(extension):
    private_library(extension.directory / "vendor", "vendored", "int vendored(void) { return 1; }\n")
    link = "cc -shared -Wl,--no-as-needed -Lvendor -lvendored -Wl,--as-needed"
    added = {"LDSHARED": link, "LD_LIBRARY_PATH": "/nonexistent;vendor"}
    extension.edit(lambda matrix: matrix["environment"]["variables"].update(added))
    (output,) = extension.report("build", "matrix.yaml")[BUILD]["outputs"]
    assert grafted(pathlib.Path(output["path"])) == {"libvendored.so.1"}


def test_the_script_of_a_dry_run_repairs_too(extension):
    script = extension.run("build", "matrix.yaml", "--dry-run").stdout
    assert " repair " in script and "repaired" in script


def test_a_command_may_repair(extension):
    copy = "import shutil, sys; print('mine'); shutil.copy(sys.argv[1], sys.argv[2])"
    extension.edit(lambda matrix: matrix["build"].update(repair=["python", "-c", copy, "{wheel}", "{dest_dir}"]))
    error = json.dumps(extension.report("build", "matrix.yaml", code=5)[BUILD]["error"])
    assert "libjpeg.so.62" in error and "mine" in log_of(extension)
    extension.edit(lambda matrix: matrix["build"].update(repair=["python", "-c", "pass"]))
    error = json.dumps(extension.report("build", "matrix.yaml", code=5)[BUILD]["error"])
    assert "`build.repair` must leave one wheel" in error


def test_plan_reports_an_unknown_mode(extension):
    extension.edit(lambda matrix: matrix["build"].update(repair="auditwheel"))
    error = extension.run("plan", "matrix.yaml", code=2).stderr
    assert "`build.repair` cannot be `auditwheel`" in error and "matrix.yaml:" in error
