"""The test `layers` can fail: small trees that keep its rules, and its errors once they break them."""

import pathlib
import re
import subprocess

LAYERS = {
    "tools/README.md": "| 0 | `base/` | | text |\n| 1 | `pep/` | text | values |\n| 2 | `host/net/` | | HTTP |\n",
    "CMakeLists.txt": "pinwheel_library(base LINKS fmt)\npinwheel_library(pep USES base)\n"
    "pinwheel_library(host/net\n  USES base pep\n  TEST_USES pw_other)\n",
    "tools/base/text.h": "#pragma once\n",
    "tools/pep/name.h": '#include "base/text.h"\n',
    "tools/host/net/http.cc": '#include "base/text.h"\n#include "pep/name.h"\n',
}


def layers_of(root: pathlib.Path, files: dict[str, str]) -> list[str]:
    """The errors of tests/unit/layers.cmake about a tree."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    script = pathlib.Path(__file__).parent.parent / "unit" / "layers.cmake"
    ran = subprocess.run(["cmake", f"-DROOT={root}", "-P", script], capture_output=True, text=True)
    errors = re.findall(r"CMake Error at [^\n]*\n((?:  [^\n]*\n|\n(?=  ))+)", ran.stderr)
    assert bool(errors) == (ran.returncode != 0), ran.stderr
    return [" ".join(error.split()) for error in errors]


def test_a_room_uses_the_rooms_that_it_includes_and_those_are_lower(tmp_path):
    assert layers_of(tmp_path / "right", LAYERS) == []
    upwards = {**LAYERS, "tools/base/text.h": '#include "pep/name.h"\n'}
    assert layers_of(tmp_path / "upwards", upwards) == [
        "base/text.h: `base` (level 0) includes `pep` (level 1)",
        "CMakeLists.txt: `base` includes `pep`, which its USES lack",
    ]
    unused = {**LAYERS, "tools/host/net/http.cc": '#include "base/text.h"\n'}
    assert layers_of(tmp_path / "unused", unused) == ["CMakeLists.txt: `host/net` USES `pep`, which it does not include"]
    lacking = {**LAYERS, "CMakeLists.txt": LAYERS["CMakeLists.txt"].replace("pep USES base", "pep")}
    assert layers_of(tmp_path / "lacking", lacking) == ["CMakeLists.txt: `pep` includes `base`, which its USES lack"]
