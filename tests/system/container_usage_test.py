"""The memory, processor time and compilers of steps in containers, whose processes belong to the engine."""

import pytest
from contained import in_bullseye, states

pytestmark = pytest.mark.docker

BYTES = 64 << 20
SECONDS = 0.5
# It lives until pinwheel has found the container and the compiler, on a busy machine as well. The compiler is a shell,
# by another name.
USES = """\
import runpy, subprocess, sys, time
data = b"x" * {bytes}
while time.process_time() < {seconds}:
    pass
subprocess.run(["g++", "-c", "sleep 8; true", "a.cpp", "-o", "a.o"], executable="/bin/sh", check=True)
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""

# A client that says that its containers are others.
ELSEWHERE = """\
#!/bin/bash
if [[ $1 == run && $2 == --cidfile ]]; then
  echo {id} > "$3"
  shift 3
  set -- run "$@"
fi
exec {client} "$@"
"""


@pytest.fixture
def contained(project, engine, bases):
    script = in_bullseye(project, engine, bases)
    uses = USES.format(bytes=BYTES, seconds=SECONDS)
    command = ["python", "-c", uses, "{package}/make_wheel.py", "{dest_dir}"]
    script.edit(lambda matrix: matrix["build"].update(command=command))
    return script


def test_a_build_in_a_container_has_its_memory_processor_time_and_compilers(contained, engine):
    outcomes = contained.report("build", "matrix.yaml", "cp*-plain", *contained.levels)
    assert states(outcomes) == {"done"}
    (trace,) = outcomes["build:plain"]["trace"]
    assert trace["peak_bytes"] >= BYTES
    assert trace["cpu_ms"] >= SECONDS * 1000
    assert [(command["output"], command["kind"]) for command in trace["commands"]] == [("a.o", "compile")]
    assert engine.containers() == []
    # The directories with the ids of containers are gone.
    assert list(contained.state.rglob("container-*")) == []


def test_a_container_out_of_sight_is_not_measured_and_builds_the_same(contained, engine):
    """The client of an engine on another machine writes an id of which this machine shows no process."""
    client = engine.directory / "bin" / engine.name
    hidden = contained.directory.parent / "hidden"
    hidden.mkdir()
    (hidden / engine.name).write_text(ELSEWHERE.format(id="0" * 64, client=client))
    (hidden / engine.name).chmod(0o755)
    contained.environment["PATH"] = f"{hidden}:{contained.environment['PATH']}"
    outcomes = contained.report("build", "matrix.yaml", "cp*-plain", *contained.levels)
    assert states(outcomes) == {"done"}
    (trace,) = outcomes["build:plain"]["trace"]
    assert not {"peak_bytes", "cpu_ms"} & set(trace)
    # The containers of podman descend from its client, which pinwheel has started.
    assert "commands" not in trace or engine.name == "podman"
