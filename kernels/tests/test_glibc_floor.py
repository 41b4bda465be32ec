"""The definitions of csrc/base/glibc_floor.cpp do not clash with those of libstdc++."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiles

SOURCE = Path(__file__).resolve().parent.parent / "csrc" / "base" / "glibc_floor.cpp"
COMPILER = os.environ.get("CXX") or shutil.which("g++")
# Uses what the library defines itself, and names from the same object files of libstdc++.
USER = """
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <vector>
extern "C" int pinwheel_test(int count) {
  std::ostringstream text;
  text << count;
  std::stringstream both;
  both << text.str();
  if (count > 99) throw std::length_error(both.str());
  std::cout.flush();
  return static_cast<int>(std::vector<std::string>(static_cast<size_t>(count), text.str()).at(0).size());
}
"""


@pytest.mark.skipif(COMPILER is None, reason="no g++ here")
@pytest.mark.parametrize("flags", [[], ["-static-libstdc++"]], ids=["shared", "static"])
def test_a_library_links_with_libstdcxx(flags, tmp_path: Path):
    user, library = tmp_path / "user.cpp", tmp_path / "library.so"
    user.write_text(USER)
    command = [COMPILER, "-std=c++17", "-O2", "-shared", "-fPIC", "-Wl,-z,defs", str(SOURCE), str(user), *flags]
    linked = subprocess.run([*command, "-o", str(library)], capture_output=True, text=True)
    assert linked.returncode == 0, linked.stderr
    script = f"import ctypes; print(ctypes.CDLL({str(library)!r}).pinwheel_test(12))"
    ran = subprocess.run(["python3", "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "2"
