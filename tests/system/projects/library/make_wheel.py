"""Compiles one C file and packs it into a wheel for every Python, using only the standard library.

make_wheel.py DIRECTORY
"""

import base64
import hashlib
import os
import pathlib
import subprocess
import sys
import zipfile

SOURCE = pathlib.Path(__file__).parent
LOADER = """\
import ctypes
import pathlib

answer = ctypes.CDLL(str(pathlib.Path(__file__).with_name("libanswer.so"))).answer
"""

version = os.environ["PINWHEEL_VERSION"]
built = pathlib.Path(os.environ["TMPDIR"]) / "libanswer.so"
flags = ["-DNEEDS_NEW_GLIBC"] if os.environ["GLIBC"] == "new" else []
subprocess.run(["cc", "-shared", "-fPIC", "-O2", *flags, SOURCE / "native.c", "-o", built], check=True)

info = f"answer-{version}.dist-info"
files = {
    "answer/__init__.py": LOADER.encode(),
    "answer/libanswer.so": built.read_bytes(),
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: answer\nVersion: {version}\n".encode(),
    f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n",
}
record = ""
for path, content in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record += f"{path},sha256={digest},{len(content)}\n"
files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
name = f"answer-{version}-py3-none-linux_x86_64.whl"
with zipfile.ZipFile(pathlib.Path(sys.argv[1]) / name, "w") as archive:
    for path, content in files.items():
        archive.writestr(path, content)
