"""Memory and time of a command for each input that is made to cost as much as possible, as a table in Markdown:
hostile_bench.py PINWHEEL [PART-OF-A-NAME ...]. The inputs are those of the system tests."""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "system"))

import hostile_files  # noqa: E402
import hostile_projects  # noqa: E402

WHEELS = (
    "record_of_many_bytes", "record_of_many_lines", "long_metadata", "many_headers", "shared_data", "many_members",
    "bombs", "one_large_member", "cuda_containers", "cuda_entries", "hip_bundles", "hip_zlib", "elf_tables",
)  # fmt: skip
MEGA = 1_000_000


def inputs():
    """The name of each input, and what makes it in a directory and returns the arguments of a command."""
    for name, change in hostile_projects.COSTLY.items():

        def project(directory, change=change):
            change(hostile_projects.plain(directory / "project"))
            return ["init", str(directory / "project"), "--out", "-"]

        yield f"`init`: {name}", project
    for kind, add in hostile_projects.KINDS.items():

        def irregular(directory, add=add):
            project = hostile_projects.plain(directory / "project")
            for name in hostile_projects.READ_BY_NAME[1:]:
                add(hostile_projects.replaced(project, name))
            return ["init", str(project), "--out", "-"]

        yield f"`init`: a {kind} for each file", irregular
    for name in WHEELS:
        yield f"`inspect`: {name.replace('_', ' ')}", lambda directory, name=name: [
            "inspect", str(getattr(hostile_files, name)().write(directory)),
        ]  # fmt: skip


def measured(command: list[str], directory: pathlib.Path) -> tuple[int, int, float]:
    """The exit code, the most memory and the CPU time of a command."""
    environment = {**os.environ, "PINWHEEL_CACHE_DIR": str(directory / "cache")}
    child = subprocess.Popen(
        command, cwd=directory, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8000 * MEGA, 8000 * MEGA)),
    )  # fmt: skip
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime


def main(program: str, *parts: str) -> int:
    print("| input | exit | memory | CPU time |\n|---|---|---|---|")
    worst = (0, 0.0)
    for name, make in inputs():
        if parts and not any(part in name for part in parts):
            continue
        with tempfile.TemporaryDirectory() as place:
            directory = pathlib.Path(place)
            code, memory, seconds = measured([program, *make(directory)], directory)
        worst = (max(worst[0], memory), max(worst[1], seconds))
        print(f"| {name} | {code} | {memory / MEGA:.0f} MB | {seconds:.1f} s |", flush=True)
    return 0 if worst[0] < 1000 * MEGA and worst[1] < 10 else 1


sys.exit(main(*sys.argv[1:]))
