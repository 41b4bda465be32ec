#include "project/setup_cfg.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

TEST_CASE("the sections of setuptools are read, with lists over several lines") {
  const SetupCfg read = parse_setup_cfg(
      "[metadata]\nname = demo\nversion = 1.2\nclassifiers =\n  # old\n  A :: 1\n  B :: 2\n"
      "[options]\npython_requires = >=3.9\ninstall_requires =\n    numpy>=2\n    torch ; "
      "python_version "
      "> '3'\nsetup-requires = cffi; wheel\n[options.extras_require]\ntest = pytest; mock\n"
      "[bdist_wheel]\npy_limited_api = cp39\n");
  CHECK(read.name == "demo");
  CHECK(read.version == "1.2");
  CHECK(read.python_requires == ">=3.9");
  CHECK(read.install_requires ==
        std::vector<std::string>{"numpy>=2", "torch ; python_version > '3'"});
  CHECK(read.setup_requires == std::vector<std::string>{"cffi", "wheel"});
  CHECK(read.classifiers == std::vector<std::string>{"A :: 1", "B :: 2"});
  CHECK(read.extras.at("test") == std::vector<std::string>{"pytest", "mock"});
  CHECK(read.py_limited_api == "cp39");
}

TEST_CASE("a version that stands elsewhere is none, and other text is skipped") {
  CHECK(parse_setup_cfg("[metadata]\nversion = attr: demo.__version__\n").version.empty());
  CHECK(parse_setup_cfg("nonsense\n[metadata\n = \n") == SetupCfg{});
}

TEST_CASE("what setup.cfg links") {
  CHECK(parse_setup_cfg("[build_ext]\nlibraries = z, zfp\n").libraries ==
        std::vector<std::string>{"z", "zfp"});
}

}  // namespace
}  // namespace pinwheel::project
