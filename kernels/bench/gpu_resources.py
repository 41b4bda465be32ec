"""The resources of each compiled GPU kernel, read from the library alone: no GPU is needed or used.

    python kernels/bench/gpu_resources.py LIBRARY.so [--arch sm_90] [--cuobjdump FILE] [--summary] [--markdown]

One row per kernel, or with --summary one for all instantiations of a kernel, with the minimum and maximum:
registers and local memory (spills) per thread, shared memory per block, the share of a multiprocessor's threads
that can be resident in blocks of 256 (occupancy), and the widest access to global memory in bits. cuobjdump comes
with CUDA, or from PyPI as nvidia-cuda-cuobjdump.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

THREADS = 256


@dataclass(frozen=True)
class Multiprocessor:
    """Limits of a multiprocessor, from the CUDA Programming Guide's table of technical specifications."""

    threads: int
    blocks: int
    shared: int
    registers: int = 65536


MULTIPROCESSORS = {
    "sm_80": Multiprocessor(2048, 32, 164 << 10),
    "sm_86": Multiprocessor(1536, 16, 100 << 10),
    "sm_90": Multiprocessor(2048, 32, 228 << 10),
    "sm_100": Multiprocessor(2048, 32, 228 << 10),
    "sm_120": Multiprocessor(1536, 24, 100 << 10),
}
REGISTERS_TOGETHER = 256  # allocation granularity of a warp's registers


@dataclass
class Kernel:
    name: str
    registers: int = 0
    local: int = 0
    shared: int = 0
    widths: set[int] = field(default_factory=set)

    def occupancy(self, device: Multiprocessor) -> float:
        warp = -(-self.registers * 32 // REGISTERS_TOGETHER) * REGISTERS_TOGETHER
        by_registers = device.registers // (warp * (THREADS // 32)) if warp else device.blocks
        by_shared = device.shared // (self.shared + 1024) if self.shared else device.blocks
        blocks = min(by_registers, by_shared, device.blocks, device.threads // THREADS)
        return blocks * THREADS / device.threads


def cuobjdump(program: str, *arguments: str) -> str:
    return subprocess.run(
        [program, *arguments], check=True, capture_output=True, text=True
    ).stdout


def used_resources(text: str) -> dict[str, Kernel]:
    """Parses `cuobjdump --dump-resource-usage`: a line `Function NAME:` followed by a line of its numbers."""
    kernels = {}
    for name, numbers in re.findall(r"Function (\S+):\s*\n\s*(.*)", text):
        used = {key: int(value) for key, value in re.findall(r"(\w+):(\d+)", numbers)}
        local = used.get("LOCAL", 0) + used.get("STACK", 0)
        kernels[name] = Kernel(name, used["REG"], local, used.get("SHARED", 0))
    return kernels


def note_widths(sass: str, kernels: dict[str, Kernel]) -> None:
    """Parses `cuobjdump --dump-sass`: LDG and STG have their width in bits as a suffix; without one it is 32."""
    for part in re.split(r"Function : ", sass)[1:]:
        kernel = kernels.get(part.split(None, 1)[0])
        for operation in re.findall(r"\b(?:LDG|STG)((?:\.\w+)*)", part):
            sizes = [int(size) for size in re.findall(r"\.[US]?(8|16|64|128|256)\b", operation)]
            if kernel is not None:
                kernel.widths.add(max(sizes, default=32))


def readable(names: list[str]) -> dict[str, str]:
    """Demangled names without namespaces and parameter types."""
    if shutil.which("c++filt") is None:
        return {name: name for name in names}
    shown = subprocess.run(
        ["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    short = [re.sub(r"\bpinwheel::(\w+::)*", "", re.sub(r"^void ", "", text)) for text in shown]
    return {name: re.sub(r"\(.*$", "", text) for name, text in zip(names, short, strict=True)}


def table(kernels: list[Kernel], device: Multiprocessor) -> list[tuple[str, ...]]:
    names = readable([kernel.name for kernel in kernels])
    head = ("kernel", "registers", "spilled bytes", "shared bytes", "occupancy", "widest access, bits")
    rows = [
        (names[k.name], str(k.registers), str(k.local), str(k.shared))
        + (f"{k.occupancy(device):.0%}", str(max(k.widths, default=0)))
        for k in kernels
    ]
    return [head, *sorted(rows)]


def text_of(name: str) -> str:
    """A kernel's name without its types: `unit_kernel<ToDense<float, int> >` is `ToDense`."""
    outer, _, inner = name.partition("<")
    return re.split(r"[<>]", inner)[0].strip() if outer == "unit_kernel" else outer


def span(numbers: list[int], unit: str = "") -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}{unit}" if low == high else f"{low}{unit} to {high}{unit}"


def summary(kernels: list[Kernel], device: Multiprocessor) -> list[tuple[str, ...]]:
    names = readable([kernel.name for kernel in kernels])
    groups: dict[str, list[Kernel]] = {}
    for kernel in kernels:
        groups.setdefault(text_of(names[kernel.name]), []).append(kernel)
    head = ("kernel", "instantiations", "registers", "spilled bytes", "shared bytes", "occupancy")
    rows = [
        (text, str(len(of)), span([k.registers for k in of]), span([k.local for k in of]))
        + (span([k.shared for k in of]), span([round(100 * k.occupancy(device)) for k in of], "%"))
        + (span([max(k.widths, default=0) for k in of]),)
        for text, of in groups.items()
    ]
    return [(*head, "widest access, bits"), *sorted(rows)]


def print_rows(rows: list[tuple[str, ...]], markdown: bool) -> None:
    if markdown:
        rows = [rows[0], ("---",) + ("--:",) * (len(rows[0]) - 1), *rows[1:]]
        print("\n".join("| " + " | ".join(row) + " |" for row in rows))
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        first, *others = zip(row, widths, strict=True)
        print("  ".join([first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path, help="libpinwheel_ops.so of a CUDA build")
    parser.add_argument("--arch", default="sm_90", choices=sorted(MULTIPROCESSORS))
    parser.add_argument("--cuobjdump", default=shutil.which("cuobjdump"), help="default: the one on PATH")
    parser.add_argument("--summary", action="store_true", help="one row for all types of a kernel")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    if options.cuobjdump is None:
        print("no cuobjdump on PATH: pip install nvidia-cuda-cuobjdump", file=sys.stderr)
        return 2
    of = ["--gpu-architecture", options.arch, str(options.library)]
    kernels = used_resources(cuobjdump(options.cuobjdump, "--dump-resource-usage", *of))
    if not kernels:
        print(f"`{options.library}` has no kernel for {options.arch}", file=sys.stderr)
        return 1
    note_widths(cuobjdump(options.cuobjdump, "--dump-sass", *of), kernels)
    rows = summary if options.summary else table
    print_rows(rows(list(kernels.values()), MULTIPROCESSORS[options.arch]), options.markdown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
