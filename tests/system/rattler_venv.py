"""py-rattler in its own venv, called through `rattler_client.py`."""

import json
import os
import pathlib
import subprocess

from shared_cache import shared_venv

CLIENT = pathlib.Path(__file__).with_name("rattler_client.py")
REQUIREMENT = "py-rattler==0.28.0"
VIRTUAL = {"__glibc": os.confstr("CS_GNU_LIBC_VERSION").split()[1]}


def rattler_interpreter() -> pathlib.Path:
    """The interpreter of a venv that has py-rattler and stays as it is; made by the first user."""
    return shared_venv("rattler", REQUIREMENT) / "python"


def ask(python: pathlib.Path, request: dict) -> dict:
    """The answer to a request; for the solver this machine has the C library that it has, and nothing else."""
    text = json.dumps({"virtual": VIRTUAL, **request})
    ran = subprocess.run([str(python), str(CLIENT)], input=text, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
