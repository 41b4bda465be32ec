#!/usr/bin/env python3
"""Measures releases on a Slurm cluster on loopback: against this machine alone, and on three nodes against one.

The steps of the first comparison do nothing, so the difference is what jobs cost: scheduling, starting pinwheel, the
store, and noticing the end. The builds of the second one sleep, so that three nodes on one machine do not share its
cores. Every release starts with an empty state and store, and with the environments of the one before. Nothing is
asserted. Needs Debian's slurm-wlm and munge.
"""

import json
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "system"))

from bench import arguments, circumstances, make_project, own_environment, own_python, run  # noqa: E402
from slurm_cluster import cluster  # noqa: E402

FLAVORS = 6
MAKE = '[python, "{package}/make_wheel.py", "{dest_dir}"]'
SETTINGS = "executor: {slurm: {memory: 200 MiB, time: 5 min, cores: 1, shared: %s}}\n"


PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")


def seconds_of_release(pinwheel, project, environment, *options):
    """One release of which nothing exists yet."""
    places = [project.parent / name for name in ("state", "dist", "index", "store", "shared")]
    for place in places:
        shutil.rmtree(place, ignore_errors=True)
    begun = time.perf_counter()
    run(
        [pinwheel, "release", "matrix.yaml", "--state-dir", places[0], "--output-dir", places[1], *options],
        project,
        environment,
    )
    return time.perf_counter() - begun


def project_of(scratch, environment, name, command):
    """A package with so many builds by a command, and a test of each."""
    flavors = ", ".join(f"f{number}" for number in range(FLAVORS))
    project = scratch / name / "project"
    make_project(project, environment, own_python(), ("[plain, loud]", f"[{flavors}]"), (MAKE, command))
    return project


def on_cluster(pinwheel, project, environment, scratch, nodes, runs):
    """The seconds of releases on so many nodes."""
    settings = scratch / "config" / "pinwheel" / "config.yaml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(SETTINGS % (project.parent / "shared"))
    with tempfile.TemporaryDirectory(prefix="slurm-") as place, cluster(pathlib.Path(place) / "c", nodes=nodes) as one:
        own = {**environment, **one.variables, "XDG_CONFIG_HOME": str(scratch / "config")}
        options = ("--executor", "slurm", "--store", f"dir:{project.parent / 'store'}")
        return [seconds_of_release(pinwheel, project, own, *options) for _ in range(runs)]


def main():
    parser = arguments(__doc__, runs=3)
    parser.add_argument("--if-possible", action="store_true", help="succeed if this machine has no Slurm")
    options = parser.parse_args()
    if lacking := [program for program in PROGRAMS if shutil.which(program) is None]:
        print(f"releases on a cluster: not measured, because there is no {', '.join(lacking)}; scripts/packages installs it")
        return 0 if options.if_possible else 1
    pinwheel = str(options.pinwheel.resolve())
    with tempfile.TemporaryDirectory(prefix="pinwheel-bench-", dir="/var/tmp") as directory:
        scratch = pathlib.Path(directory)
        environment = own_environment(scratch)
        nothing = project_of(scratch, environment, "nothing", MAKE)
        seconds_of_release(pinwheel, nothing, environment)
        local = [seconds_of_release(pinwheel, nothing, environment) for _ in range(options.runs)]
        remote = on_cluster(pinwheel, nothing, environment, scratch, 3, options.runs)
        difference = statistics.median(remote) - statistics.median(local)
        row = {"local_s": statistics.median(local), "slurm_s": statistics.median(remote)}
        row["per_step_s"] = difference / (2 * FLAVORS)
        print(json.dumps({"name": f"{FLAVORS} builds that do nothing", **row}))
        sleep = MAKE.replace("]", ', --pause, "20"]')
        slow = project_of(scratch, environment, "slow", sleep)
        single, three = (
            statistics.median(on_cluster(pinwheel, slow, environment, scratch, nodes, options.runs))
            for nodes in (1, 3)
        )
        row = {"one_node_s": single, "three_nodes_s": three, "ratio": single / three}
        print(json.dumps({"name": f"{FLAVORS} builds of 20 s, 2 on a node", **row}))
    print(circumstances(options.runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
