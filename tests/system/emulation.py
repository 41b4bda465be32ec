"""Runs programs of other architectures with qemu, while a test needs them."""

import contextlib
import pathlib
import platform
import subprocess

# Part of the cached base: under emulation their installation takes longer than everything else.
BASE_PACKAGES = ("g++", "python3-dev", "python3-venv")
REGISTER = pathlib.Path("/proc/sys/fs/binfmt_misc")




def native_compiler(machine: str) -> dict[str, str]:
    """Paths of this machine by path in a Debian of `machine` of the same release, which make its g++ run the compiler
    proper and the assembler natively: those of Debian's cross compiler. Emulated, they take ten times as long."""
    cross, own = (f"/usr/lib/{directory}/{machine}-linux-gnu/12" for directory in ("gcc-cross", "gcc"))
    libraries = f"/usr/lib/{platform.machine()}-linux-gnu"
    same = ("/lib64", libraries, f"/usr/{machine}-linux-gnu", "/usr/lib/gcc-cross")
    programs = {f"{cross}/{name}": f"{own}/{name}" for name in ("cc1", "cc1plus")}
    assembler = f"/usr/bin/{machine}-linux-gnu-as"
    return {path: path for path in same} | programs | {assembler: assembler}


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
