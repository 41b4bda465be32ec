"""Makes the wheel with only the standard library, so that a build takes milliseconds.

make_wheel.py DIRECTORY [--pause SECONDS] [--version V] [--names N,...] [--tag TAG] [--pad BYTES] [--file PATH]
"""

import argparse
import base64
import hashlib
import os
import pathlib
import subprocess
import zipfile

parser = argparse.ArgumentParser()
parser.add_argument("directory", type=pathlib.Path)
parser.add_argument("--pause", type=float, default=0)
parser.add_argument("--version", default=os.environ["PINWHEEL_VERSION"])
parser.add_argument("--names", default="script_only")
parser.add_argument("--tag", default="py3-none-any")
parser.add_argument("--pad", type=int, default=0)
parser.add_argument("--file", type=pathlib.Path, action="append", default=[])
options = parser.parse_args()


def make(name):
    purelib = f"Root-Is-Purelib: {'false' if options.file else 'true'}\n"
    info = f"{name}-{options.version}.dist-info"
    files = {
        f"{name}.py": f"FLAVOR = {os.environ.get('SCRIPT_FLAVOR', 'none')!r}\n".encode(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {options.version}\n".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: make_wheel\n{purelib}Tag: {options.tag}\n".encode(),
    }
    if options.pad:
        files[f"{name}_data.bin"] = hashlib.shake_128(b"seed").digest(options.pad)
    files |= {path.name: path.read_bytes() for path in options.file}
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(options.directory / f"{name}-{options.version}-{options.tag}.whl", "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)


if options.pause:
    # A grandchild process, like a compiler.
    subprocess.run(["sh", "-c", f"sleep {options.pause} & wait"], check=True)
for each in options.names.split(","):
    make(each)
