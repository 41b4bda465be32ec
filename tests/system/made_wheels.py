"""Small wheels that are on no index."""

import pathlib
import zipfile
from collections.abc import Sequence


def make_wheel(
    directory: pathlib.Path, name: str, version: str, code: str = "", requires: Sequence[str] = ()
) -> pathlib.Path:
    """A wheel with a program, and with a module whose bytecode depends on the hash seed."""
    info = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
    members = {
        f"{name}.py": f"{code}\ndef main():\n    return 'a' in {{'a', 'b', 'c', 'd'}}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
    }
    members[f"{info}/RECORD"] = "".join(f"{member},,\n" for member in [*members, f"{info}/RECORD"])
    path = directory / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for member, text in members.items():
            wheel.writestr(zipfile.ZipInfo(member), text)
    return path
