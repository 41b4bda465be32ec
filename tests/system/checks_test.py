"""The checks of a built wheel inspect its binaries, and a wheel that fails one never reaches the output directory."""

import json
import subprocess

import pytest
from conftest import PYTHON

BUILD = f"build:cp{PYTHON.replace('.', '')}-plain"


@pytest.fixture
def extension(project):
    extension = project("extension")
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    extension.edit(lambda matrix: matrix["package"].update(sdist=False))
    return extension


def link(extension, *flags):
    """Builds with additional linker flags."""
    command = " ".join(["cc", "-shared", *flags])
    extension.edit(lambda matrix: matrix["environment"]["variables"].update(LDSHARED=command))


def without_repair(extension):
    """A wheel that `repair: auto` would fix."""
    extension.edit(lambda matrix: matrix["build"].update(repair="none"))


def refused(extension):
    """The output of the failed build, which must have been tried once and left nothing behind."""
    outcomes = extension.report("build", "matrix.yaml", code=5)
    assert outcomes[BUILD]["state"] == "failed" and outcomes[BUILD]["attempts"] == 1
    assert extension.wheels() == {}
    return json.dumps(outcomes[BUILD]["error"])


def test_a_plain_build_passes_every_check(extension):
    link(extension)
    outcomes = extension.report("build", "matrix.yaml")
    (output,) = outcomes[BUILD]["outputs"]
    extension.run("inspect", "--check", output["path"])


def test_an_absolute_rpath_is_refused(extension):
    without_repair(extension)
    link(extension, "-Wl,-rpath,/nonexistent/lib")
    error = refused(extension)
    assert "[rpath]" in error and "/nonexistent/lib" in error and "$ORIGIN" in error
    assert "the entry is unused" in error and "LDSHARED" in error


def test_a_library_that_other_machines_may_lack_is_refused(extension):
    without_repair(extension)
    link(extension, "-Wl,--no-as-needed", "-lstdc++", "-lssl", "-Wl,--as-needed")
    error = refused(extension)
    assert "libssl.so" in error


def test_a_library_that_every_policy_allows_is_accepted(extension):
    link(extension, "-Wl,--no-as-needed", "-lpthread", "-lm", "-Wl,--as-needed")
    extension.report("build", "matrix.yaml")
    (name,) = extension.wheels()
    assert "manylinux" in name


def test_the_platform_tag_follows_the_oldest_sufficient_glibc(extension):
    # `gettid` was added in glibc 2.30: no policy below manylinux_2_31 may be claimed.
    source = extension.directory / "src" / "tiny_ext" / "native.c"
    text = source.read_text().replace("3 * value", "3 * value + 0 * gettid()")
    source.write_text("#define _GNU_SOURCE\n#include <unistd.h>\n" + text)
    extension.commit()
    extension.report("build", "matrix.yaml")
    (name,) = extension.wheels()
    assert "manylinux_2_31" in name, name


def test_a_missing_program_is_named(extension):
    extension.edit(lambda matrix: matrix["build"].update(command=["nosuch-builder", "{dest_dir}"]))
    outcomes = extension.report("build", "matrix.yaml", code=4)
    error = outcomes[BUILD]["error"]
    assert error["kind"] == "environment" and "`nosuch-builder`" in error["message"]


def test_every_check_that_fails_before_a_build_is_named(extension):
    checks = ["compiler", {"header": "nosuch.h"}, {"import": "nosuch_module"}]
    extension.edit(lambda matrix: matrix["checks"].update(before=checks))
    outcomes = extension.report("build", "matrix.yaml", code=4)
    error = outcomes[BUILD]["error"]
    assert "`header`, `import`" in error["message"] and "`compiler`" not in error["message"]
    assert ["[header]" in cause["message"] for cause in error["causes"]] == [True, False]


def test_leftovers_of_a_killed_run_in_the_output_directory_are_removed(extension):
    ended = subprocess.Popen(["true"])
    ended.wait()
    extension.output.mkdir()
    (extension.output / f".tiny_ext-1.1-py3-none-any.whl.{ended.pid}").write_text("half")
    link(extension)
    outcomes = extension.report("build", "matrix.yaml")
    (output,) = outcomes[BUILD]["outputs"]
    assert [str(extension.output / name) for name in extension.wheels()] == [output["path"]]
