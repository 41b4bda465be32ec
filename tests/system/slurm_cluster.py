"""A Slurm cluster on loopback: munged, slurmctld and one slurmd for each node, without systemd; slurm_accounting.py adds
accounting.

Needs Debian's slurm-wlm and munge. Everything is in one directory: configuration, keys, logs, spools. Stopping it ends
the daemons by process id, and then whatever is left of jobs."""

import contextlib
import getpass
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
from collections.abc import Iterator

import processes
import slurm_accounting

# One job of a matrix needs little; a node has more CPUs than this machine so that three nodes run several jobs.
CPUS = 2
MEMORY = 2000  # MB
# How long a daemon may take to answer on a busy machine; a stuck one fails the test.
PATIENCE = 300

SETTINGS = {
    "AuthType": "auth/munge",
    "CredType": "cred/munge",
    "CommunicationParameters": "NoInAddrAny",
    "ProctrackType": "proctrack/linuxproc",
    "TaskPlugin": "task/none",
    "MpiDefault": "none",
    "SwitchType": "switch/none",
    "SelectType": "select/cons_tres",
    "SelectTypeParameters": "CR_Core_Memory",
    "DefMemPerCPU": "100",
    "AccountingStorageType": "accounting_storage/none",
    "JobAcctGatherType": "jobacct_gather/none",
    "JobCompType": "jobcomp/filetxt",
    "SchedulerType": "sched/backfill",
    # The defaults wait for seconds so that a large cluster is not busy with scheduling. The backfill scheduler is left
    # at its 30 seconds: the controller of 22.05 saves a job that it started only minutes later.
    "SchedulerParameters": "batch_sched_delay=0,sched_interval=1,sched_min_interval=0",
    "ReturnToService": "2",
    "MinJobAge": "300",
    "KillWait": "2",
    "SlurmdTimeout": "10",
    "SlurmctldDebug": "info",
    "SlurmdDebug": "info",
}
PARTITIONS = ("PartitionName=all Nodes=ALL Default=YES MaxTime=60 DefaultTime=10 State=UP",)
# Memory: slurmstepd samples what a job uses, and kills a job that uses more than it asked for. The controller calls that
# job FAILED with signal 9; only the job's output says why.
ENFORCED_MEMORY = {
    "JobAcctGatherType": "jobacct_gather/linux",
    "JobAcctGatherFrequency": "1",
    "JobAcctGatherParams": "OverMemoryKill",
}
# Preemption: a job of `urgent` takes the place of jobs of `all`, which end (`CANCEL`) or start again (`REQUEUE`).
PREEMPTION = {"PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE"}


def preempting_partitions(mode: str) -> tuple[str, ...]:
    return (
        f"PartitionName=all Nodes=ALL Default=YES MaxTime=60 DefaultTime=10 State=UP PriorityTier=1 PreemptMode={mode}",
        "PartitionName=urgent Nodes=ALL MaxTime=60 DefaultTime=10 State=UP PriorityTier=9 PreemptMode=OFF",
    )


def free_ports(count: int) -> list[int]:
    """Distinct ports that nothing listens on."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Cluster:
    """`settings` replaces lines of slurm.conf (None drops one), `gres` is the Gres= of the nodes with a file each. With
    `accounting`, sacct knows the jobs; it takes some seconds to start."""

    def __init__(
        self,
        directory: pathlib.Path,
        nodes: int = 3,
        settings: dict[str, str | None] | None = None,
        partitions: tuple[str, ...] = PARTITIONS,
        gres: str = "",
        accounting: bool = False,
    ):
        self.directory = directory
        self.host = socket.gethostname().split(".")[0]
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        self.controller_port, accounting_port, *ports = free_ports(nodes + 2)
        self.accounting_port = accounting_port if accounting else None
        self.ports = dict(zip(self.nodes, ports))
        self.socket = directory / "munge.socket"
        self.completed = directory / "completed.txt"
        self.configuration = directory / "slurm.conf"
        self.daemons: dict[str, subprocess.Popen] = {}
        for name in ("state", "log", "munge"):
            (directory / name).mkdir(parents=True)
        (directory / "munge").chmod(0o700)
        of_accounting = slurm_accounting.settings(self.socket, accounting_port) if accounting else {}
        self.write_configuration(SETTINGS | of_accounting | (settings or {}), partitions, gres)

    def write_configuration(self, settings: dict[str, str | None], partitions: tuple[str, ...], gres: str) -> None:
        key = self.directory / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        user = getpass.getuser()
        own = {
            "ClusterName": "pinwheel",
            "SlurmctldHost": f"{self.host}(127.0.0.1)",
            "SlurmUser": user,
            "SlurmdUser": user,
            "AuthInfo": f"socket={self.socket}",
            "SlurmctldPort": str(self.controller_port),
            "StateSaveLocation": str(self.directory / "state"),
            "SlurmdSpoolDir": str(self.directory / "spool-%n"),
            "SlurmctldPidFile": str(self.directory / "slurmctld.pid"),
            "SlurmdPidFile": str(self.directory / "slurmd-%n.pid"),
            "JobCompLoc": str(self.completed),
        }
        lines = [f"{key}={value}" for key, value in (own | settings).items() if value is not None]
        if gres:
            kind, *_, count = gres.split(":")
            devices = [self.directory / f"{kind}{number}" for number in range(int(count))]
            for device in devices:
                device.touch()
            lines.append(f"GresTypes={kind}")
            records = [f"Name={kind} File={device}\n" for device in devices]
            (self.directory / "gres.conf").write_text("".join(records))
        of_gres = f" Gres={gres}" if gres else ""
        for node, port in self.ports.items():
            address = f"NodeHostname={self.host} NodeAddr=127.0.0.1 Port={port}"
            lines.append(f"NodeName={node} {address} CPUs={CPUS} RealMemory={MEMORY} State=UNKNOWN{of_gres}")
        self.configuration.write_text("\n".join([*lines, *partitions, ""]))
        # Without this line slurmd looks for a cgroup of its own, which a container may not make.
        (self.directory / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")

    @property
    def variables(self) -> dict[str, str]:
        """What a program needs to reach this cluster."""
        return {"SLURM_CONF": str(self.configuration)}

    def environment(self) -> dict[str, str]:
        """The variables of this process with the cluster's, and without those of another cluster or allocation."""
        foreign = ("SLURM_", "SBATCH_", "SQUEUE_", "SALLOC_", "SACCT_", "SRUN_")
        return {key: value for key, value in os.environ.items() if not key.startswith(foreign)} | self.variables

    # Daemons.

    def start(self) -> None:
        self.start_munge()
        if self.accounting_port:
            slurm_accounting.start(self, self.accounting_port)
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)
        self.wait(lambda: self.node_states() == dict.fromkeys(self.nodes, "idle"), "the nodes are not idle")

    def launch(self, name: str, *command: str, variables: dict[str, str] | None = None) -> None:
        own = self.environment() | (variables or {})
        with open(self.directory / "log" / f"{name}.out", "ab") as output:
            self.daemons[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=own, cwd="/"
            )

    def start_munge(self) -> None:
        place = self.directory / "munge"
        self.socket.unlink(missing_ok=True)
        self.launch(
            "munged",
            "munged",
            "--foreground",
            "--force",
            f"--key-file={place / 'key'}",
            f"--socket={self.socket}",
            f"--pid-file={place / 'pid'}",
            f"--log-file={place / 'log'}",
            f"--seed-file={place / 'seed'}",
            "--num-threads=2",
        )
        self.wait(self.socket.exists, "munged does not listen")

    def start_controller(self) -> None:
        self.launch("slurmctld", "slurmctld", "-D", "-f", str(self.configuration))
        self.wait(self.responds, "slurmctld does not respond")

    def start_node(self, node: str) -> None:
        self.launch(node, "slurmd", "-D", "-f", str(self.configuration), "-N", node)

    def kill(self, name: str) -> None:
        """SIGKILL to `munged`, `slurmctld` or a node's slurmd, whose jobs continue."""
        daemon = self.daemons.pop(name)
        daemon.kill()
        daemon.wait()

    def stop(self) -> None:
        """Ends all jobs, the daemons and what is left of them; a second call does nothing."""
        if not self.daemons:
            return
        if "slurmctld" in self.daemons and "munged" in self.daemons and self.responds():
            self.run("scancel", "--full", "--user", getpass.getuser(), check=False)
            with contextlib.suppress(TimeoutError):
                self.wait(lambda: not self.jobs(), "jobs do not end", 5)
        for name in [*self.nodes, "slurmctld", *slurm_accounting.DAEMONS, "munged"]:
            if name in self.daemons:
                daemon = self.daemons.pop(name)
                daemon.terminate()
                try:
                    # A controller that still asks a lost node needs longer than a test has.
                    daemon.wait(5)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
        for line in processes.left_behind(str(self.directory)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(line.split(":")[0]), signal.SIGKILL)
        left = processes.wait_for_none(str(self.directory))
        assert not left, left

    # Questions.

    def run(self, *command: str, check: bool = True, **options) -> subprocess.CompletedProcess:
        """Runs a command of Slurm."""
        options.setdefault("env", self.environment())
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, **options)
        if check and ran.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {ran.returncode}\n{ran.stdout}{ran.stderr}{self.logs()}")
        return ran

    def submit(self, script: str, *options: str) -> int:
        """Submits a shell script; the id of its job."""
        output = str(self.directory / "log" / "job-%A_%a.out")
        ran = self.run(
            "sbatch", "--parsable", f"--output={output}", *options, input=f"#!/bin/bash\n{script}\n", cwd=self.directory
        )
        return int(ran.stdout.split(";")[0])

    def responds(self) -> bool:
        return self.run("scontrol", "ping", check=False).returncode == 0

    def node_states(self) -> dict[str, str]:
        ran = self.run("sinfo", "--noheader", "--Node", "--format=%N %t", check=False)
        return dict(line.split()[:2] for line in ran.stdout.splitlines())

    def jobs(self) -> list[dict]:
        """The jobs that are not finished, as squeue describes them: id, name, state, reason, comment."""
        form = "%i\x1f%j\x1f%T\x1f%r\x1f%k"
        ran = self.run("squeue", "--noheader", "--array", f"--format={form}")
        names = ("id", "name", "state", "reason", "comment")
        return [dict(zip(names, line.split("\x1f"))) for line in ran.stdout.splitlines()]

    def job(self, identity: int | str) -> dict[str, str]:
        """The fields of a job that the controller remembers, finished or not."""
        text = self.run("scontrol", "show", "job", "--oneliner", str(identity)).stdout.splitlines()[0]
        return dict(part.split("=", 1) for part in text.split(" ") if "=" in part)

    def state(self, identity: int | str) -> str:
        return self.job(identity)["JobState"]

    def json(self) -> list[dict]:
        """What squeue prints as JSON, with finished jobs that the controller remembers."""
        return json.loads(self.run("squeue", "--json").stdout)["jobs"]

    def wait(self, true, what: str, seconds: float = PATIENCE) -> None:
        limit = time.monotonic() + seconds
        while not true():
            for name, daemon in self.daemons.items():
                if daemon.poll() is not None:
                    raise RuntimeError(f"{name} exited with {daemon.returncode}\n{self.logs()}")
            if time.monotonic() > limit:
                raise TimeoutError(f"{what}\n{self.logs()}")
            time.sleep(0.1)

    def wait_for_state(self, identity: int | str, *states: str, seconds: float = PATIENCE) -> str:
        """Waits until the job has one of the states, and returns it."""
        self.wait(lambda: self.state(identity) in states, f"job {identity} is not {' or '.join(states)}", seconds)
        return self.state(identity)

    def wait_until_saved(self) -> None:
        """Waits until the controller has saved what it knows, which it does every five seconds. After an earlier end it
        forgets a job, or starts it a second time."""
        time.sleep(6)

    def wait_until_idle(self, seconds: float = PATIENCE) -> None:
        """Waits until no job is left to run."""
        self.wait(lambda: not self.jobs(), "jobs are left", seconds)

    def logs(self) -> str:
        """The end of the daemons' logs, for the message of a failure."""
        texts = []
        for path in sorted((self.directory / "log").glob("*.out")):
            lines = path.read_text(errors="replace").splitlines()[-15:]
            texts.append("\n".join([f"-- {path.name}", *lines]))
        return "\n".join(texts)


@contextlib.contextmanager
def cluster(directory: pathlib.Path, **settings) -> Iterator[Cluster]:
    """A running cluster."""
    one = Cluster(directory, **settings)
    try:
        one.start()
        yield one
    finally:
        one.stop()
