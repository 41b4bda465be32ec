#!/usr/bin/env python3
"""Measures `repair` against `auditwheel repair` on a large wheel that needs one library of the system.

The wheel has a small module that is linked with libzstd, and large libraries that are not, which compress about as
device code does. With `--edited`, a large library needs libzstd itself, so that it must be compressed again. Both
repair the same wheel in one run, with the same patchelf; nothing is asserted.
"""

import base64
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import zipfile

from bench import arguments, circumstances, compare, table

TAGS = "py3-none-linux_x86_64"


def library(place: pathlib.Path, name: str, megabytes: int, *link: str) -> bytes:
    """A shared library with that much data, half of which is random."""
    data = place / f"{name}.bin"
    generator = random.Random(name)
    with data.open("wb") as file:
        for _ in range(megabytes):
            file.write(generator.randbytes(1 << 19) + bytes(1 << 19))
    source = place / f"{name}.c"
    source.write_text(
        f'__asm__(".section .rodata\\n.incbin \\"{data}\\"\\n.text");\n'
        "unsigned ZSTD_versionNumber(void); unsigned (*used)(void) = ZSTD_versionNumber;\n"
        if link
        else f'__asm__(".section .rodata\\n.incbin \\"{data}\\"\\n.text");\n'
    )
    output = place / f"{name}.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", output, source, *link], check=True)
    data.unlink()
    return output.read_bytes()


def make_wheel(place: pathlib.Path, files: dict[str, bytes]) -> pathlib.Path:
    info = "large-1.0.dist-info"
    files[f"{info}/METADATA"] = b"Metadata-Version: 2.1\nName: large\nVersion: 1.0\n"
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {TAGS}\n".encode()
    lines = ""
    for name, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        lines += f"{name},sha256={digest},{len(contents)}\n"
    files[f"{info}/RECORD"] = (lines + f"{info}/RECORD,,\n").encode()
    wheel = place / f"large-1.0-{TAGS}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, contents in files.items():
            archive.writestr(name, contents)
    return wheel


def main():
    parser = arguments(__doc__, runs=3)
    parser.add_argument("--megabytes", type=int, default=500, help="size of the wheel")
    parser.add_argument("--edited", action="store_true", help="a large library is edited, too")
    options = parser.parse_args()
    pinwheel = str(options.pinwheel.resolve())
    with tempfile.TemporaryDirectory(prefix="pinwheel-bench-", dir="/var/tmp") as directory:
        scratch = pathlib.Path(directory)
        environment = {**os.environ, "TMPDIR": directory}
        files = {"large/__init__.py": b"", "large/small.so": library(scratch, "small", 0, "-lzstd")}
        for number in range(4):
            link = ("-lzstd",) if options.edited and number == 0 else ()
            files[f"large/large{number}.so"] = library(scratch, f"large{number}", options.megabytes // 2, *link)
        wheel = make_wheel(scratch, files)
        files.clear()
        name = f"repair {wheel.stat().st_size // 1_000_000} MB{', one of 4 libraries edited' if options.edited else ''}"
        ours = ([pinwheel, "repair", str(wheel), "--out", str(scratch / "ours"), "--json"], scratch, environment)
        report = json.loads(subprocess.run(ours[0], env=environment, check=True, capture_output=True, text=True).stdout)
        if len(report["grafts"]) != 1:
            sys.exit("bench: the wheel needs one graft")
        cache = pathlib.Path(environment.get("PINWHEEL_CACHE_DIR", pathlib.Path.home() / ".cache" / "pinwheel"))
        (patchelf,) = cache.glob("tools/patchelf-*/bin")
        path = f"{patchelf}{os.pathsep}{os.environ['PATH']}"
        theirs = [sys.executable, "-m", "auditwheel", "repair", str(wheel), "-w", str(scratch / "theirs")]
        peer = (theirs, scratch, {**environment, "PATH": path})
        rows = [compare(name, "-", ours, "auditwheel repair", peer, options.runs)]
        print(f"{circumstances(options.runs)} in ms")
        print(table(rows))


if __name__ == "__main__":
    main()
