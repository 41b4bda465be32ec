#include "inspect/python_abi.h"
#include "inspect/stable_abi.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

WheelFacts with_module(const std::string& python_and_abi, const std::string& file,
                       const std::vector<std::string>& symbols) {
  WheelFacts facts = native_facts(python_and_abi + "-manylinux_2_28_x86_64");
  facts.libraries[0].name = "demo/" + file;
  for (const std::string& symbol : symbols) facts.libraries[0].elf.undefined.push_back({symbol});
  return facts;
}

TEST_CASE("the table of the Stable ABI has the release of each symbol") {
  CHECK(stable_since("PyArg_Parse") == 2);
  CHECK(stable_since("_Py_NoneStruct") == 2);
  CHECK(stable_since("PyBuffer_Release") == 11);
  CHECK_FALSE(stable_since("PyFrame_GetBack"));
  CHECK_FALSE(stable_since("PyErr_SetFromWindowsErr"));
  std::string_view last;
  for (const StableSymbol& symbol : stable_symbols()) {
    CHECK(last < symbol.name);
    last = symbol.name;
  }
}

TEST_CASE("a module's name determines which Python imports it") {
  CHECK(module_name("demo/_C.so") == ModuleName{});
  CHECK(module_name("demo.d/_C.abi3.so") == ModuleName{ModuleKind::stable});
  CHECK(module_name("_C.cpython-312-x86_64-linux-gnu.so") ==
        ModuleName{ModuleKind::one_python, "312"});
  CHECK(module_name("a/_C.cpython-313t-x86_64-linux-gnu.so") ==
        ModuleName{ModuleKind::free_threaded, "313t"});
  CHECK(module_name("_C.cpython-.so") == ModuleName{});
  CHECK(module_name("_C.cpython-312-x86_64-linux-gnu.so.1") == ModuleName{});
}

TEST_CASE("a module for one Python belongs in a wheel for that Python") {
  const std::string file = "_C.cpython-312-x86_64-linux-gnu.so";
  CHECK(told(with_module("cp312-cp312", file, {"PyFrame_GetBack"})).empty());
  CHECK(told(with_module("py3-none", file, {})).empty());
  CHECK(told(with_module("cp311-cp311", file, {})) ==
        Texts{"[python-abi] `demo/_C.cpython-312-x86_64-linux-gnu.so`: is a module only for "
              "`cp312`, so no Python that can install the wheel imports it "
              "(cp311-cp311-manylinux_2_28_x86_64)"});
  CHECK(told(with_module("cp39-abi3", file, {"PyFrame_GetBack"})) ==
        Texts{"[python-abi] `demo/_C.cpython-312-x86_64-linux-gnu.so`: is a module only for "
              "`cp312`, but the wheel is tagged `abi3` (cp39-abi3-manylinux_2_28_x86_64)"});
}

TEST_CASE("an abi3 wheel uses only the Stable ABI of its oldest Python") {
  CHECK(told(with_module("cp311-abi3", "_C.abi3.so", {"PyBuffer_Release", "malloc"})).empty());
  CHECK(told(with_module("cp310-abi3", "_C.so", {"PyBuffer_Release", "PyFrame_GetBack"})) ==
        Texts{"[python-abi] `demo/_C.so`: takes 1 symbol of CPython that is not in the Stable ABI "
              "(PyFrame_GetBack)",
              "[python-abi] `demo/_C.so`: takes 1 symbol of CPython that the Stable ABI of 3.10 "
              "does not have (PyBuffer_Release (3.11))"});
  CHECK(findings_of(with_module("cp310-abi3", "_C.so", {"PyBuffer_Release"}))[0].hint ==
        "define `Py_LIMITED_API` as `0x030a0000`, or tag the wheel for a newer Python");
  CHECK(told(with_module("py3-none", "_C.abi3.so", {"PyBuffer_Release"})).empty());
  CHECK(
      told(with_module("cp312-cp312", "_C.abi3.so", {"PyBuffer_Release", "PyFrame_New"})).size() ==
      1);
}

TEST_CASE("symbols defined by the wheel's own libraries are not CPython's") {
  WheelFacts facts = with_module("cp310-abi3", "_C.abi3.so", {"PyOwn_Call"});
  CHECK(told(facts).size() == 1);
  facts.libraries.push_back(library("demo/libown.so"));
  facts.libraries[1].elf.defined = {{"PyOwn_Call"}};
  CHECK(told(facts).empty());
}

TEST_CASE("weak symbols may be missing") {
  WheelFacts facts = with_module("cp310-abi3", "_C.abi3.so", {});
  facts.libraries[0].elf.undefined = {{"PyFrame_New", "", binary::Binding::weak}};
  CHECK(told(facts).empty());
}

TEST_CASE("free-threaded code and its tag go together") {
  const std::string locked = "_C.cpython-313-x86_64-linux-gnu.so";
  const std::string unlocked = "_C.cpython-313t-x86_64-linux-gnu.so";
  CHECK(told(with_module("cp313-cp313t", unlocked,
                         {"_Py_MergeZeroLocalRefcount", "_Py_DecRefShared"}))
            .empty());
  CHECK(told(with_module("cp313-cp313", locked, {"_Py_Dealloc"})).empty());
  CHECK(told(with_module("cp313-cp313", locked, {"_Py_DecRefShared"})) ==
        Texts{"[python-abi] `demo/_C.cpython-313-x86_64-linux-gnu.so`: imports symbols that only a "
              "free-threaded Python has (_Py_DecRefShared)"});
  CHECK(told(with_module("cp313-cp313t", unlocked, {"_Py_Dealloc"})).size() == 1);
  CHECK(told(with_module("cp313-cp313", unlocked, {"_Py_DecRefShared"})).size() == 1);
}

}  // namespace
}  // namespace pinwheel::inspect
