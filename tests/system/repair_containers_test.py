"""In a container, the libraries that go into a wheel are the image's."""

import json
import subprocess

import pytest
from contained import in_bullseye
from repair_build_test import record_of
from repair_wheels import grafted

pytestmark = pytest.mark.docker
LIBRARY = "/usr/lib/x86_64-linux-gnu/libzstd.so.1"


def test_the_images_library_is_put_in(project, engine, bases):
    contained = in_bullseye(project, engine, bases)
    source = "unsigned ZSTD_versionNumber(void); unsigned version(void) { return ZSTD_versionNumber(); }\n"
    output = contained.directory / "native.so"
    command = ["gcc", "-shared", "-fPIC", "-xc", "-", "-o", output, "-lzstd"]
    subprocess.run(command, input=source, check=True, text=True)

    def change(matrix):
        matrix["build"]["command"] += ["--file", "{package}/native.so"]
        matrix["axes"]["flavor"] = ["plain"]

    contained.edit(change)
    outcomes = contained.report("build", "matrix.yaml", *contained.levels)
    (build,) = [outcome for step, outcome in outcomes.items() if step.startswith("build:") and outcome["outputs"]]
    (wheel,) = contained.output.glob("*.whl")
    assert grafted(wheel) == {"libzstd.so.1"}, json.dumps(build)
    (digest,) = record_of(wheel)["repair"]["grafts"].values()
    assert engine.run(bases["bullseye"], "sha256sum", LIBRARY).stdout.split()[0] == digest
    with open(LIBRARY, "rb") as file:
        assert subprocess.run(["sha256sum"], stdin=file, capture_output=True, text=True).stdout.split()[0] != digest
    assert "libzstd1 1.4" in contained.run("logs", build["id"]).stdout
