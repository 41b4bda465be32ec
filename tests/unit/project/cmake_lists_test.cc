#include "project/cmake_lists.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("languages, packages and modules of pkg-config") {
  const CMakeLists lists = parse_cmake_lists(
      "cmake_minimum_required(VERSION 3.20)\n"
      "project(demo VERSION 1.0 LANGUAGES C CXX) # find_package(Nothing)\n"
      "enable_language(CUDA)\nfind_package(ZLIB REQUIRED)\nfind_package(Torch)\n"
      "pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd>=1.4)\n"
      "if(NOT (A AND B))\n  find_package(ZLIB)\nendif()\n");
  CHECK(lists.languages == Texts{"C", "CXX", "CUDA"});
  CHECK(lists.packages == Texts{"ZLIB", "Torch"});
  CHECK(lists.pkg_config == Texts{"libzstd"});
  CHECK_FALSE(lists.python_module);
  CHECK(parse_cmake_lists("project(demo CXX)").languages == Texts{"CXX"});
  CHECK_FALSE(lists.needs_cuda);
  CHECK(parse_cmake_lists("project(demo LANGUAGES CXX CUDA)").needs_cuda);
}

TEST_CASE("extension modules and their stable ABI") {
  CHECK(parse_cmake_lists("pybind11_add_module(a a.cc)").python_module);
  const CMakeLists nanobind = parse_cmake_lists("nanobind_add_module(a STABLE_ABI a.cc)");
  CHECK(nanobind.stable_abi);
  CHECK(nanobind.stable_abi_version.empty());
  CHECK(parse_cmake_lists("Python_add_library(a MODULE USE_SABI 3.10 a.c)").stable_abi_version ==
        "3.10");
  CHECK(parse_cmake_lists("add_definitions(-DTORCH_TARGET_VERSION=0x020A000000000000)")
            .torch_target == "2.10");
}

TEST_CASE("two files are merged, and broken ones are read as far as they go") {
  const CMakeLists both = merged(parse_cmake_lists("find_package(A)\npybind11_add_module(a)"),
                                 parse_cmake_lists("find_package(A)\nfind_package(B)"));
  CHECK(both.packages == Texts{"A", "B"});
  CHECK(both.python_module);
  CHECK(parse_cmake_lists("find_package(A").packages == Texts{"A"});
  CHECK(parse_cmake_lists("(((") == CMakeLists{});
}

TEST_CASE("a call below an `if` that cannot hold does not count") {
  const auto makes = [](const std::string& text,
                        const std::map<std::string, std::string>& defines) {
    return parse_cmake_lists(text, defines).python_module;
  };
  const std::string option =
      "option(BINDINGS \"build them ON demand\" "
      "OFF)\nif(BINDINGS)\npybind11_add_module(a)\nendif()";
  CHECK_FALSE(makes(option, {}));
  CHECK(makes(option, {{"BINDINGS", "ON"}}));
  CHECK_FALSE(makes("option(B \"help\")\nif(B)\npybind11_add_module(a)\nendif()", {}));
  CHECK(makes("if(WIN32)\nelseif(UNKNOWN)\nelse()\npybind11_add_module(a)\nendif()", {}));
  CHECK_FALSE(makes("if(NOT WIN32)\nelse()\npybind11_add_module(a)\nendif()", {}));
  CHECK_FALSE(makes("set(A ON)\nif(A AND APPLE)\npybind11_add_module(a)\nendif()", {}));
  CHECK(makes("set(A ON)\nif(APPLE OR A)\npybind11_add_module(a)\nendif()", {}));
  CHECK(makes("if(X)\nset(A OFF)\nendif()\nif(A)\npybind11_add_module(a)\nendif()", {}));
  CHECK(makes("if(A VERSION_LESS 3)\npybind11_add_module(a)\nendif()", {}));
  CHECK_FALSE(makes("if(OFF)\nif(X)\npybind11_add_module(a)\nendif()\nendif()", {}));
  CHECK(makes("endif()\nelse()\nif(\npybind11_add_module(a)", {}) == false);
}

TEST_CASE("CUDA is needed where the `if` around it holds") {
  const std::string text =
      "option(GPU \"GPUs\" ON)\nif(GPU)\nproject(a LANGUAGES CXX CUDA)\nelse()\nproject(a "
      "LANGUAGES "
      "CXX)\nendif()";
  CHECK(parse_cmake_lists(text).needs_cuda);
  CHECK_FALSE(parse_cmake_lists(text, {{"GPU", "OFF"}}).needs_cuda);
  CHECK_FALSE(parse_cmake_lists("if(X)\nproject(a CUDA)\nendif()").needs_cuda);
}

TEST_CASE("libraries that are linked by their names") {
  CHECK(parse_cmake_lists("find_library(ZFP NAMES zfp libzfp PATHS /opt)\nadd_library(own a.c)\n"
                          "target_link_libraries(m PRIVATE own Boost::x ${Y} z -lgmp)")
            .libraries == Texts{"zfp", "libzfp", "z", "gmp"});
}

TEST_CASE("modules whose files are named for one Python") {
  const auto modules = [](const std::string& text) {
    return parse_cmake_lists(text).modules_for_one;
  };
  CHECK(modules("python_add_library(m MODULE a.c WITH_SOABI)") == Texts{"m"});
  CHECK(modules("python_add_library(m MODULE a.c)").empty());
  CHECK(modules("python_add_library(m MODULE ${SKBUILD_SABI_COMPONENT} a.c WITH_SOABI)").empty());
  CHECK(modules("python_add_library(m MODULE USE_SABI 3.11 a.c WITH_SOABI)").empty());
  CHECK(modules("pybind11_add_module(m a.cc)\nnanobind_add_module(n a.cc)") == Texts{"m", "n"});
  CHECK(modules("nanobind_add_module(n STABLE_ABI a.cc)").empty());
  CHECK(modules("pybind11_add_module(m WITHOUT_SOABI a.cc)").empty());
  CHECK(modules("if(X)\npybind11_add_module(m a.cc)\nendif()").empty());
}

}  // namespace
}  // namespace pinwheel::project
