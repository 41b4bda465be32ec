#include "project/setup_py.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

TEST_CASE("literals of the call of setup are read, and names that stand for them") {
  const SetupPy read = parse_setup_py(R"(
import os
import torch
from setuptools import Extension, setup
__version__ = '2.1.2'  # version='9'
needs = ["numpy>=2", 'attrs']
tests = ['pytest']
setup(
    name="demo", version=__version__,
    python_requires=">=3.10",
    install_requires=needs,
    extras_require={"test": tests, "docs": ["sphinx", "furo"]},
    classifiers=["Programming Language :: Python :: 3.12"],
    ext_modules=[Extension(name="demo._a", sources=["a.c"], libraries=["z", "m"])],
    description=f"not {os.getenv('LOUD', '0')} and {os.environ['QUIET']}",
)
)");
  CHECK(read.name == "demo");
  CHECK(read.version == "2.1.2");
  CHECK(read.python_requires == ">=3.10");
  CHECK(read.install_requires == std::vector<std::string>{"numpy>=2", "attrs"});
  CHECK(read.extras == std::map<std::string, std::vector<std::string>>{
                           {"test", {"pytest"}}, {"docs", {"sphinx", "furo"}}});
  CHECK(read.classifiers.size() == 1);
  CHECK(read.imports == std::vector<std::string>{"os", "torch", "setuptools"});
  CHECK(read.environment == std::vector<std::string>{"LOUD", "QUIET"});
  CHECK(read.libraries == std::vector<std::string>{"z", "m"});
  CHECK(read.extensions);
  CHECK_FALSE(read.torch_extension);
}

TEST_CASE("what is computed is not guessed") {
  const SetupPy read = parse_setup_py(
      "def setup(**kw): pass\nkwds = {}\nsetup(name=make_name(), version=read('V'), **kwds)\n");
  CHECK(read.name.empty());
  CHECK(read.version.empty());
  CHECK_FALSE(read.extensions);
  CHECK(parse_setup_py("") == SetupPy{});
  CHECK(parse_setup_py("setup(name='a").name.empty());
}

TEST_CASE("extensions of torch and limited APIs are seen") {
  const SetupPy torch = parse_setup_py(
      "from torch.utils import cpp_extension\n"
      "setup(ext_modules=[cpp_extension.CUDAExtension('a', define_macros=[('Py_LIMITED_API', "
      "'0x030A0000')], extra_compile_args=['-DTORCH_TARGET_VERSION=0x020a000000000000'], "
      "py_limited_api=True)], options={\"bdist_wheel\": {\"py_limited_api\": \"cp310\"}})\n");
  CHECK(torch.torch_extension);
  CHECK(torch.cuda_extension);
  CHECK_FALSE(torch.gpu_architectures);
  CHECK(torch.ninja);
  CHECK(torch.limited_api);
  CHECK(torch.py_limited_api == "cp310");
  CHECK(torch.limited_api_version == "3.10");
  CHECK(torch.torch_target == "2.10");
  CHECK(parse_setup_py("from skbuild import setup\nsetup(name='a')\n").extensions);
  CHECK(parse_setup_py("flags = ['-gencode=arch=compute_80,code=sm_80']\n").gpu_architectures);
  CHECK(parse_setup_py("os.environ['TORCH_CUDA_ARCH_LIST'] = '8.0'\n").gpu_architectures);
  CHECK_FALSE(parse_setup_py("CppExtension()\nx(use_ninja = False)\n").ninja);
}

TEST_CASE("a stable ABI that the command for wheels decides is seen") {
  CHECK(parse_setup_py("class W(bdist_wheel):\n  def get_tag(self):\n    python, abi = \"cp310\", "
                       "\"abi3\"\n")
            .tag_beside_abi3 == "cp310");
  CHECK(parse_setup_py("return 'cp39', 'abi3', plat\n").tag_beside_abi3 == "cp39");
  CHECK(parse_setup_py("return python, 'abi3', plat\n").tag_beside_abi3.empty());
  CHECK(parse_setup_py("return 'py39', 'none', plat\n").tag_beside_none == "py39");
  CHECK(parse_setup_py("return 'cp311', 'none', plat\n").tag_beside_none.empty());
  CHECK(parse_setup_py("return 'cp3x', 'abi3', plat\n").tag_beside_abi3.empty());
  const SetupPy computed = parse_setup_py(
      "self.py_limited_api = False\n"
      "self.py_limited_api = f\"cp3{sys.version_info[1]}\"\n");
  CHECK(computed.py_limited_api == "cp3");
  CHECK(parse_setup_py("import x\npy_limited_api = False\nsetup(options={'bdist_wheel': "
                       "{'py_limited_api': 'cp39'}} if py_limited_api else {})\n")
            .py_limited_api.empty());
}

TEST_CASE("an option for a new torch alone counts, unless a later line takes it back") {
  const std::string branches =
      "if torch.__version__ >= \"2.6.0\":\n    py_limited_api = True\nelse:\n"
      "    py_limited_api = False\n";
  const std::string call =
      "setup(options={\"bdist_wheel\": {\"py_limited_api\": \"cp39\"}} if py_limited_api else "
      "{})\n";
  CHECK(parse_setup_py(branches + call).py_limited_api == "cp39");
  CHECK(parse_setup_py(branches + "py_limited_api = False\n" + call).py_limited_api.empty());
  CHECK(parse_setup_py("if old:\n    py_limited_api = False\n" + call).py_limited_api.empty());
}

}  // namespace
}  // namespace pinwheel::project
