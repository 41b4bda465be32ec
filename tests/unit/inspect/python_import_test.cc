#include "inspect/python_import.h"

#include "unit/catch.h"

using namespace pinwheel::inspect;

TEST_CASE("a top-level module is what an import runs first") {
  CHECK(is_top_module("demo/__init__.py"));
  CHECK(is_top_module("demo.py"));
  CHECK_FALSE(is_top_module("demo/ops.py"));
  CHECK_FALSE(is_top_module("demo/sub/__init__.py"));
  CHECK_FALSE(is_top_module("demo-1.0.data/purelib/demo.txt"));
}

TEST_CASE("a module is imported by a statement at the beginning of a line") {
  CHECK(imports_module("import torch\n", "torch"));
  CHECK(imports_module("\n\nimport  torch.nn as nn", "torch"));
  CHECK(imports_module("from torch import Tensor\n", "torch"));
  CHECK_FALSE(imports_module("import torchaudio\nimport numpy\n", "torch"));
  CHECK_FALSE(imports_module("from .torch import x\n# import torch\n", "torch"));
  CHECK_FALSE(imports_module("try:\n    import torch\nexcept ImportError:\n    pass\n", "torch"));
  CHECK_FALSE(imports_module("\"\"\"Example:\n\nimport torch\n\"\"\"\n", "torch"));
  CHECK(imports_module("\"\"\"One line.\"\"\"\nimport torch\n", "torch"));
}

TEST_CASE("a path file of an editable installation names a directory or a hook") {
  CHECK(is_path_file("demo.pth"));
  CHECK_FALSE(is_path_file("demo/demo.pth"));
  CHECK(is_editable("/home/me/demo/src\n"));
  CHECK(is_editable("C:\\demo\\src\r\n"));
  CHECK(is_editable("import __editable___demo_1_0_finder; __editable___demo_1_0_finder.install()"));
  CHECK(is_editable("import _demo_editable_loader"));
  CHECK_FALSE(is_editable("import os; var = 'SETUPTOOLS_USE_DISTUTILS'"));
  CHECK_FALSE(is_editable("demo/plugins\n"));
  CHECK_FALSE(is_editable(""));
}

TEST_CASE("code that opens libraries is known by the functions that it names") {
  CHECK(opens_libraries("import ctypes\nctypes.CDLL('x.so')\n"));
  CHECK(opens_libraries("    torch.ops.load_library(path)\n"));
  CHECK_FALSE(opens_libraries("import demo._C\n"));
}
