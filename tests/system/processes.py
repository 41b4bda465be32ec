"""Starts a run of pinwheel, and finds and stops the processes that it started."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time


def start(project, marker: str, *arguments: str) -> subprocess.Popen:
    """A build of the project that goes on; its processes have the variable `marker`."""
    return subprocess.Popen(
        project.command("build", "matrix.yaml", *arguments),
        cwd=project.directory,
        env={**project.environment, marker: "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # If a shell runs the tests in the background, SIGINT is ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def marked(marker: str) -> dict[int, bytes]:
    """Processes, other than zombies, whose environment, working directory or arguments contain the marker, with their
    arguments."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            arguments = (entry / "cmdline").read_bytes()
            if not arguments:
                continue  # a zombie or a kernel thread
            texts = [arguments, (entry / "environ").read_bytes(), os.fsencode(os.readlink(entry / "cwd"))]
        except OSError:
            continue  # exited meanwhile, or another user's
        if any(marker.encode() in text for text in texts):
            found[int(entry.name)] = arguments
    return found


def left_behind(marker: str) -> list[str]:
    """A line for each process that the marker identifies."""
    return [f"{process}: {arguments!r}" for process, arguments in marked(marker).items()]


def stuck(marker: str) -> str:
    """What each process that the marker identifies waits for, thread by thread: a line of its state, the kernel function
    and the system call, and a line for each open file. Only root may read all of it."""
    lines = []
    for process, arguments in sorted(marked(marker).items()):
        lines.append(f"{process}: {arguments.decode(errors='replace').split(chr(0))}")
        for thread in pathlib.Path(f"/proc/{process}/task").glob("*"):
            try:
                name, state = (thread / "stat").read_text().rpartition(")")[::2]
                lines.append(f"  {name}) {' '.join(state.split()[:6])}  {(thread / 'wchan').read_text()}  "
                             f"{(thread / 'syscall').read_text().strip()}")
            except OSError:
                continue  # exited meanwhile
        for file in pathlib.Path(f"/proc/{process}/fd").glob("*"):
            try:
                lines.append(f"  {file.name} -> {os.readlink(file)}")
            except OSError:
                continue
    return "\n".join(lines)


def kill_marked(marker: str, seconds: float = 10) -> None:
    """Kills the processes that the marker identifies, and the ones that they start meanwhile. One that is in an
    uninterruptible call remains."""
    limit = time.monotonic() + seconds
    while (processes := marked(marker)) and time.monotonic() < limit:
        for process in processes:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.1)


def wait_for_none(marker: str, seconds: float = 10) -> list[str]:
    """The processes that remain after a wait: the kernel kills children a moment after their parent."""
    limit = time.monotonic() + seconds
    while (found := left_behind(marker)) and time.monotonic() < limit:
        time.sleep(0.05)
    return found


def wait_until(true, process: subprocess.Popen, seconds: float = 300) -> None:
    """Waits until `true()` returns true, while the process runs."""
    limit = time.monotonic() + seconds
    while not true():
        if process.poll() is not None:
            said = process.stderr.read() if process.stderr else ""
            raise AssertionError(f"the process ended first, exit {process.returncode}: {said}")
        assert time.monotonic() < limit, "waited too long"
        time.sleep(0.02)
