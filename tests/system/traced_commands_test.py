"""The commands of builds in traces: of ninja, of make, of setuptools, and of a build that removes its directory."""

import json
import pathlib
import shutil
from datetime import datetime

import pytest

SOURCES = ("a", "b", "c")
NINJA = """rule compile
  command = g++ -O2 -c $in -o $out
rule link
  command = g++ -shared $in -o $out
build a.o: compile a.cpp
build b.o: compile b.cpp
build c.o: compile c.cpp
build m.so: link a.o b.o c.o
"""
# Where no log has a command, a busy machine may need longer than a small compilation takes to see its process. The
# watch looks at least once a second if it gets a processor.
SLOW = '#!/bin/sh\nsleep 3\nexec "$@"\n'
# The assembler is the second program of a compilation.
SLOW_ONCE = '#!/bin/sh\ncase "$1" in *cc1*) ;; *) sleep 3 ;; esac\nexec "$@"\n'
MAKE = """m.so: a.o b.o c.o
\tg++ -shared $^ -o $@ -wrapper ./slow-once.sh
%.o: %.cpp
\tg++ -O2 -c $< -o $@
"""
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(m CXX)
add_library(m SHARED a.cpp b.cpp c.cpp)
target_compile_options(m PRIVATE "SHELL:-wrapper ${CMAKE_SOURCE_DIR}/slow-once.sh")
target_link_options(m PRIVATE "SHELL:-wrapper ${CMAKE_SOURCE_DIR}/slow-once.sh")
"""
TOOLKITS = sorted(nvcc.parent.parent for nvcc in pathlib.Path("/usr/local").glob("cuda-*/bin/nvcc"))


def milliseconds(trace: dict, name: str) -> int:
    return round(datetime.fromisoformat(trace[f"{name}_timestamp"]).timestamp() * 1000)


def write_wrappers(directory: pathlib.Path) -> None:
    for name, text in (("slow.sh", SLOW), ("slow-once.sh", SLOW_ONCE)):
        (directory / name).write_text(text)
        (directory / name).chmod(0o755)


def compiling(script, *lines: str, **files: str):
    """The project builds a library of three sources with these lines of a shell, then makes its wheel."""
    for name in SOURCES:
        text = f"#include <map>\n#include <string>\nstd::map<std::string, int> {name}() {{ return {{}}; }}\n"
        (script.directory / f"{name}.cpp").write_text(text)
    write_wrappers(script.directory)
    for name, text in files.items():
        (script.directory / name.replace("_", ".", 1)).write_text(text)
    build = ["set -e", "cd {package}", *lines, "exec python make_wheel.py {dest_dir}"]
    script.edit(lambda matrix: matrix["build"].update(command=["sh", "-c", "; ".join(build)], timeout="5 min"))
    return script


def trace_of_build(script, *more: str, code: int = 0, **environment: str) -> dict:
    report = script.report("build", "matrix.yaml", "cp*-plain", *more, code=code, **environment)
    (trace,) = next(outcome["trace"] for name, outcome in report.items() if name.startswith("build:"))
    check_commands(trace)
    return trace


def check_commands(trace: dict) -> None:
    """Commands are in the order of their starts, within the execution of their attempt."""
    begun = milliseconds(trace, "worker_start")
    from_, to = (milliseconds(trace, f"execution_{end}") - begun for end in ("start", "completed"))
    starts = [command["start_ms"] for command in trace["commands"]]
    assert starts == sorted(starts)
    # The kernel counts the starts of processes in hundredths of a second.
    assert all(start >= from_ - 20 for start in starts)
    assert all(command["start_ms"] + command["ms"] <= to + 20 for command in trace["commands"])


def by_output(trace: dict) -> dict[str, dict]:
    commands = {command["output"]: command for command in trace["commands"]}
    assert len(commands) == len(trace["commands"])
    return commands


def check_kinds(commands: dict[str, dict]) -> None:
    assert {name: command["kind"] for name, command in commands.items()} == {
        "a.o": "compile",
        "b.o": "compile",
        "c.o": "compile",
        "m.so": "link",
    }
    starts = [commands[f"{name}.o"]["start_ms"] for name in SOURCES]
    assert max(starts) <= commands["m.so"]["start_ms"]
    assert all(commands[f"{name}.o"]["ms"] >= 10 for name in SOURCES)


def check_logged(commands: dict[str, dict]) -> None:
    """The log of ninja has exact times, so no compilation ends after the link begins."""
    check_kinds(commands)
    ends = [commands[f"{name}.o"]["start_ms"] + commands[f"{name}.o"]["ms"] for name in SOURCES]
    assert all(end <= commands["m.so"]["start_ms"] + 20 for end in ends)


def test_commands_of_ninja_are_those_of_its_log(script):
    log = script.directory.parent / "log"
    compiling(script, "ninja -j2", f"cp .ninja_log {log}", build_ninja=NINJA)
    commands = by_output(trace_of_build(script, code=0))
    check_logged(commands)
    logged = {fields[3]: fields for fields in map(str.split, log.read_text().splitlines()[1:])}
    assert commands.keys() == logged.keys()
    assert all(command["ms"] == int(logged[name][1]) - int(logged[name][0]) for name, command in commands.items())


def test_commands_of_a_ninja_whose_directory_the_build_removes(script):
    lines = ["mkdir ../tmp/b", "cp *.cpp build.ninja ../tmp/b", "ninja -C ../tmp/b a.o", "ninja -C ../tmp/b"]
    # The log is read when ninja has ended.
    compiling(script, *lines, "sleep 5", "rm -r ../tmp/b", build_ninja=NINJA)
    check_logged(by_output(trace_of_build(script)))


def test_commands_of_make_are_seen_without_a_log(script):
    compiling(script, "make -j2", Makefile=MAKE.replace("-c $<", "-c $< -wrapper ./slow-once.sh"))
    check_kinds(by_output(trace_of_build(script)))


def test_a_compilation_that_fails_under_ninja_is_in_the_trace(script):
    broken = NINJA.replace("-c $in", "-c $in -DBAD -wrapper ./slow.sh")
    compiling(script, "echo '#include <map>' > c.cpp", "echo '#error no' >> c.cpp", "ninja -j1", build_ninja=broken)
    trace = trace_of_build(script, code=1)
    commands = by_output(trace)
    assert commands["a.o"]["kind"] == commands["c.o"]["kind"] == "compile"
    assert "m.so" not in commands


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_commands_of_cmake(script, generator):
    compiling(script, f"cmake -S . -B b -G '{generator}'", "cmake --build b", CMakeLists_txt=CMAKE)
    trace = trace_of_build(script)
    outputs = {command["output"]: command["kind"] for command in trace["commands"]}
    assert {outputs[f"CMakeFiles/m.dir/{name}.cpp.o"] for name in SOURCES} == {"compile"}
    assert outputs["libm.so"] == "link"
    assert sum(command["output"].endswith("/a.cpp.o") for command in trace["commands"]) == 1


def test_commands_of_setuptools(project, tmp_path):
    extension = project("extension")
    write_wrappers(tmp_path)
    # The flags of compilations are those of links, too.
    trace = trace_of_build(extension, CFLAGS=f"-wrapper {tmp_path}/slow-once.sh")
    kinds = {command["output"].rsplit("/", 1)[-1]: command["kind"] for command in trace["commands"]}
    assert kinds["native.o"] == "compile"
    assert [kind for name, kind in kinds.items() if name.endswith(".so")] == ["link"]


def test_a_hostile_log_of_ninja_fails_no_build(script, tmp_path):
    slow = NINJA.replace("$in -o", "$in -wrapper ./slow-once.sh -o")
    lines = ["ninja -j2", "rm .ninja_log", "mkfifo .ninja_log", "mkdir d", "ln -s /dev/zero d/.ninja_log"]
    compiling(script, *lines, "mkdir -p e/.cmake/instrumentation/v1/data", build_ninja=slow)
    check_kinds(by_output(trace_of_build(script)))


def test_tracing_changes_no_byte_of_a_wheel_and_no_variable_but_that_of_ccache(script, tmp_path):
    compiling(script, "env | sort > variables", f"cp variables {tmp_path}/variables", "make", Makefile=MAKE)
    trace_of_build(script)
    names = {line.split("=")[0] for line in (tmp_path / "variables").read_text().splitlines()}
    assert not names & {"CC", "CXX", "LD_PRELOAD", "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_C_COMPILER_LAUNCHER"}
    assert "/ccache-stats" in (tmp_path / "variables").read_text()


@pytest.mark.skipif(shutil.which("ccache") is None, reason="needs ccache")
def test_hits_of_ccache_are_counted(script, tmp_path):
    makefile = MAKE.replace("g++ -O2", "ccache g++ -O2")
    compiling(script, "make", Makefile=makefile)
    cache = {"CCACHE_DIR": str(tmp_path / "ccache")}
    first = trace_of_build(script, **cache)
    script.start_afresh()
    second = trace_of_build(script, **cache)
    assert {use["cache"]: (use["hits"], use["misses"]) for use in first["caches"]}["ccache"] == (0, 3)
    assert {use["cache"]: (use["hits"], use["misses"]) for use in second["caches"]}["ccache"] == (3, 0)
    # The user's own log is left alone.
    script.start_afresh()
    own = tmp_path / "own"
    assert "caches" not in trace_of_build(script, CCACHE_STATSLOG=str(own), **cache)
    assert own.read_text()


def test_commands_are_slices_below_their_slot_in_the_trace_file(script, tmp_path):
    compiling(script, "make -j2", Makefile=MAKE)
    trace = trace_of_build(script)
    script.run("report", "--trace", str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    slices = {event["name"]: event for event in events if event.get("cat") == "command"}
    for name, command in by_output(trace).items():
        assert slices[name]["dur"] == max(command["ms"] * 1000, 1)
        assert slices[name]["args"]["kind"] == command["kind"]


def test_environments_and_what_pip_fetched(project):
    script = project("script")
    script.edit(lambda matrix: matrix["environment"].update(pip=["colorama==0.4.6"]))
    outcomes = script.report("build", "matrix.yaml", "cp*-plain")
    (env,) = [outcome for name, outcome in outcomes.items() if name.startswith("env:")]
    (trace,) = env["trace"]
    uses = {use["cache"]: use for use in trace["caches"]}
    assert uses["environment"]["hits"] + uses["environment"]["misses"] == 1
    # pip downloads nothing from an index of files.
    misses = uses.get("pip", {}).get("misses", 0)
    assert (trace.get("fetched_bytes", 0) > 10_000) == (misses > 0)
    script.start_afresh()
    outcomes = script.report("build", "matrix.yaml", "cp*-plain")
    (env,) = [outcome for name, outcome in outcomes.items() if name.startswith("env:")]
    assert env["trace"][0]["caches"] == [{"cache": "environment", "hits": 1, "misses": 0}]
    assert "fetched_bytes" not in env["trace"][0]


def test_commands_of_cmake_instrumentation(script, tmp_path):
    # Without hooks nothing removes the snippets.
    text = CMAKE.replace("3.20", "4.3") + "cmake_instrumentation(API_VERSION 1 DATA_VERSION 1)\n"
    copied = f"cp b/.cmake/instrumentation/v1/data/*.json {tmp_path}"
    compiling(script, "cmake -S . -B b -G 'Unix Makefiles'", "cmake --build b", copied, CMakeLists_txt=text)
    script.edit(lambda matrix: matrix["environment"].update(pip=["cmake==4.3.*"]))
    trace = trace_of_build(script)
    snippets = [json.loads(path.read_text()) for path in tmp_path.glob("compile-*.json")]
    assert len(snippets) == len(SOURCES)
    begun = milliseconds(trace, "worker_start")
    for snippet in snippets:
        (command,) = [one for one in trace["commands"] if one["output"] == snippet["outputs"][0]]
        assert command["kind"] == "compile"
        assert command["ms"] == snippet["duration"]
        assert abs(begun + command["start_ms"] - snippet["timeStart"]) <= 2


def profiled(script, compiler: str, *options: str) -> dict[str, dict]:
    makefile = MAKE.replace("g++ -O2", compiler)
    compiling(script, "make", Makefile=makefile)
    report = script.report("build", "matrix.yaml", "cp*-plain", *options)
    assert bool(options) == any("without compiler caches" in text for text in report["build:plain"].get("warnings", []))
    (trace,) = report["build:plain"]["trace"]
    return by_output(trace)


@pytest.mark.skipif(shutil.which("clang++-14") is None, reason="needs clang 14")
def test_a_profile_has_the_phases_of_clang(script):
    for name, command in profiled(script, "clang++-14", "--profile").items():
        assert bool(command.get("parts")) == (command["kind"] == "compile"), name
        if command["kind"] == "compile":
            spent = {part["name"]: part["ms"] for part in command["parts"]}
            assert 0 < spent["ExecuteCompiler"] <= command["ms"] + 20
            assert "Frontend" in spent


@pytest.mark.skipif(not TOOLKITS, reason="needs nvcc")
def test_a_profile_has_the_phases_of_nvcc_and_preserves_the_users_options(script, tmp_path):
    makefile = f"k.o: k.cu\n\t{TOOLKITS[-1]}/bin/nvcc -c $< -o $@\n"
    lines = [f"echo $NVCC_APPEND_FLAGS > {tmp_path}/flags", "make"]
    compiling(script, *lines, Makefile=makefile, k_cu="__global__ void k(float* x) { x[0] *= 2; }\n")
    # A build for no compute sees a toolkit that its matrix names.
    script.edit(lambda matrix: matrix["environment"]["variables"].update(CUDA_HOME=str(TOOLKITS[-1])))
    report = script.report("build", "matrix.yaml", "cp*-plain", "--profile", NVCC_APPEND_FLAGS="-DOWN=1")
    (trace,) = report["build:plain"]["trace"]
    (command,) = [one for one in trace["commands"] if one["output"] == "k.o"]
    assert command["kind"] == "device_compile"
    names = {part["name"].split(" ")[0] for part in command["parts"]}
    assert {"cicc", "ptxas", "cudafe++"} <= names
    assert (tmp_path / "flags").read_text().startswith("-DOWN=1 -time ")


def test_profiled_results_are_apart_and_never_released(script):
    arguments = ("build", "matrix.yaml", "cp*-plain")
    plain = script.report(*arguments)["build:plain"]
    first = script.report(*arguments, "--profile")["build:plain"]
    assert first["state"] == "done" and first["key"] != plain["key"]
    assert script.report(*arguments, "--profile")["build:plain"]["state"] == "reused"
    # A variable of the caller has no effect.
    assert script.report(*arguments, PINWHEEL_PROFILE="1")["build:plain"]["key"] == plain["key"]
    assert "--profile" in script.run("release", "matrix.yaml", "--profile", code=2).stderr
    script.run("plan", "matrix.yaml", "--out", "frozen.json")
    assert "--plan" in script.run("build", "--plan", "frozen.json", "--profile", code=2).stderr
