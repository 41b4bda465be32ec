"""The jobs of a cluster as submitit and ReFrame see them, which ask sacct and squeue themselves. They find the cluster by
the variables of this process. Their import takes two seconds."""

import pathlib
import time

import reframe.core.config
import reframe.core.runtime
from reframe.core.backends import getscheduler
from submitit.slurm.slurm import SlurmJob


def start() -> None:
    """Gives ReFrame its default settings, and lets submitit forget the jobs of other clusters."""
    site = reframe.core.config.load_config("<builtin>")
    site.select_subconfig("generic:default")
    reframe.core.runtime.init_runtime(site)
    SlurmJob.watcher.clear()


def by_submitit(place: pathlib.Path, jobs: dict[str, str]) -> dict[str, str]:
    """The states of jobs, given their numbers by name."""
    followed = {name: SlurmJob(place, number) for name, number in jobs.items()}
    SlurmJob.watcher.update()
    # "CANCELLED by 1000"
    return {name: SlurmJob.watcher.get_state(job.job_id, "cache").split()[0] for name, job in followed.items()}


def done_by_submitit(place: pathlib.Path, number: str) -> bool:
    return SlurmJob(place, number).done(force_check=True)


def by_reframe(scheduler: str, arrays: set[int]) -> dict[int, object]:
    """The jobs of ReFrame for arrays of these numbers, as its scheduler `slurm` or `squeue` finds them."""
    backend = getscheduler(scheduler)()
    followed = {}
    for array in arrays:
        followed[array] = backend.make_job("pinwheel")
        followed[array]._jobid = array
        # sacct lists jobs since this day.
        followed[array]._submit_time = time.time() - 24 * 3600
    backend.poll(*followed.values())
    assert not any(job.is_cancelling for job in followed.values())
    return followed
