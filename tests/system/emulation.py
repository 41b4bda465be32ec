"""Runs programs of other architectures with qemu, while a test needs them."""

import contextlib
import pathlib
import subprocess

# Part of the cached base: under emulation their installation takes longer than everything else.
BASE_PACKAGES = ("g++", "python3-dev", "python3-venv")
REGISTER = pathlib.Path("/proc/sys/fs/binfmt_misc")


@contextlib.contextmanager
def emulated(machine: str):
    """Makes Linux run programs of `machine`, and restores the previous state afterwards."""
    mounted = REGISTER.joinpath("register").exists()
    if not mounted:
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", str(REGISTER)], check=True)
    name = f"qemu-{machine}"
    enabled = REGISTER.joinpath(name).exists()
    try:
        if not enabled:
            subprocess.run(["update-binfmts", "--enable", name], check=True)
        yield
    finally:
        if not enabled:
            subprocess.run(["update-binfmts", "--disable", name], check=True)
        if not mounted:
            subprocess.run(["umount", str(REGISTER)], check=True)
