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
            .python_tag_of_abi3 == "cp310");
  CHECK(parse_setup_py("return 'cp39', 'abi3', plat\n").python_tag_of_abi3 == "cp39");
  CHECK(parse_setup_py("return python, 'abi3', plat\n").python_tag_of_abi3.empty());
  CHECK(parse_setup_py("return 'py39', 'none', plat\n").python_tag_of_none == "py39");
  CHECK(parse_setup_py("return 'cp311', 'none', plat\n").python_tag_of_none.empty());
  CHECK(parse_setup_py("return 'cp3x', 'abi3', plat\n").python_tag_of_abi3.empty());
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

TEST_CASE("a `CUDAExtension` alone needs CUDA, unless a condition is around it") {
  const auto alone = [](const std::string& code) { return parse_setup_py(code).cuda_only; };
  const std::string import =
      "from torch.utils.cpp_extension import (\n    BuildExtension,\n    CUDAExtension,\n)\n";
  CHECK(alone(import + "setup(name='a', ext_modules=[CUDAExtension('a', ['a.cu'])])\n"));
  CHECK(alone(import +
              "def made():\n    flags = []\n    return [CUDAExtension(\n        'a', []\n    "
              ")]\nif x:\n    pass\nelse:\n    pass\n"));
  CHECK(alone("import torch.utils.cpp_extension as e\nx = e.CUDAExtension('a', [])\n"));
  CHECK_FALSE(alone(import));
  CHECK_FALSE(
      alone("from torch.utils.cpp_extension import CppExtension, CUDAExtension\n"
            "x = CUDAExtension('a', [])\n"));
  CHECK_FALSE(alone(import + "if CUDA_HOME:\n    x = CUDAExtension('a', [])\n"));
  CHECK_FALSE(
      alone(import + "try:\n    import b\n    x = [CUDAExtension('a', [])]\nexcept E:\n  y\n"));
  CHECK_FALSE(alone(import + "x = [CUDAExtension('a', [f(1)])] if CUDA_HOME else []\n"));
  CHECK_FALSE(alone(import + "x = None if not CUDA_HOME else CUDAExtension('a', [])\n"));
}

TEST_CASE("libraries are in lists of many forms, and in flags") {
  const auto linked = [](const std::string& code) { return parse_setup_py(code).libraries; };
  CHECK(linked("libraries = ['zfp', \"m\"]") == std::vector<std::string>{"zfp", "m"});
  CHECK(
      linked(
          "libraries = []\nlibraries += ['a']\nlibraries.append('b')\nlibraries.extend(['c'])\n") ==
      Texts{"a", "c", "b"});
  CHECK(linked("args = {'libraries': ['gmp']}") == std::vector<std::string>{"gmp"});
  CHECK(linked("Extension('a', extra_link_args=['-lzfp -L/usr/lib', '-lm', '-l'])") ==
        Texts{"zfp", "m"});
}

TEST_CASE("a setup.py asks which Python it builds for") {
  CHECK(parse_setup_py("x = sys.version_info >= (3, 12)").asked_python == "3.12");
  CHECK(parse_setup_py("x = sys.version_info[:2] < (3, 9)").asked_python == "3.9");
  CHECK(parse_setup_py("import sys").asked_python.empty());
  CHECK(parse_setup_py("x = sysconfig.get_config_var('Py_GIL_DISABLED')").asks_for_threads);
  CHECK_FALSE(parse_setup_py("x = 1").asks_for_threads);
}

}  // namespace
}  // namespace pinwheel::project
