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
  facts.libraries[0].elf.defined = {{"PyInit_" + file.substr(0, file.find('.'))}};
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
        ModuleName{ModuleKind::one_python, "312", "x86_64-linux-gnu"});
  CHECK(module_name("_C.cp312-win_amd64.pyd") ==
        ModuleName{ModuleKind::one_python, "312", "win_amd64"});
  CHECK(module_name("_C.cpython-312-darwin.so") ==
        ModuleName{ModuleKind::one_python, "312", "darwin"});
  CHECK(module_name("_C.pypy311-pp73-x86_64-linux-gnu.so").python == "pypy311");
  CHECK(module_name("_C.abi3t.so") == ModuleName{ModuleKind::stable_free_threaded});
  CHECK(module_name("a/_C.cpython-313t-x86_64-linux-gnu.so") ==
        ModuleName{ModuleKind::free_threaded, "313t", "x86_64-linux-gnu"});
  CHECK(module_name("_C.cpython-.so") == ModuleName{});
  CHECK(module_name("_C.cpython-312-x86_64-linux-gnu.so.1") == ModuleName{});
}

TEST_CASE("a module for one Python belongs in a wheel for that Python") {
  const std::string file = "_C.cpython-312-x86_64-linux-gnu.so";
  CHECK(finding_texts(with_module("cp312-cp312", file, {"PyFrame_GetBack"})).empty());
  CHECK(finding_texts(with_module("py3-none", file, {})) ==
        Texts{"[python-abi] `demo/_C.cpython-312-x86_64-linux-gnu.so`: is a module only for "
              "`cp312`, but other Pythons can install the wheel "
              "(py3-none-manylinux_2_28_x86_64)"});
  CHECK(finding_texts(with_module("cp312-none", file, {})).empty());
  CHECK(finding_texts(with_module("cp312-none", "_C.cpython-311-x86_64-linux-gnu.so", {})).size() ==
        1);
  CHECK(
      finding_texts(with_module("cp312-cp312", "_C.pypy311-pp73-x86_64-linux-gnu.so", {})).size() ==
      1);
  CHECK(finding_texts(with_module("pp311-pypy311_pp73", "_C.pypy311-pp73-x86_64-linux-gnu.so", {}))
            .empty());
  CHECK(finding_texts(with_module("cp311-cp311", file, {})) ==
        Texts{"[python-abi] `demo/_C.cpython-312-x86_64-linux-gnu.so`: is a module only for "
              "`cp312`, so no Python that can install the wheel imports it "
              "(cp311-cp311-manylinux_2_28_x86_64)"});
  CHECK(finding_texts(with_module("cp39-abi3", file, {"PyFrame_GetBack"})) ==
        Texts{"[python-abi] `demo/_C.cpython-312-x86_64-linux-gnu.so`: is a module only for "
              "`cp312`, but the wheel is tagged `abi3` (cp39-abi3-manylinux_2_28_x86_64)"});
}

TEST_CASE("a library that is no module may have the name of one") {
  WheelFacts facts = with_module("cp310-abi3", "_C_ops.cpython-312-x86_64-linux-gnu.so", {});
  CHECK(finding_texts(facts).size() == 1);
  facts.libraries[0].elf.defined = {{"ops"}};
  CHECK(finding_texts(facts).empty());
}

TEST_CASE("several files of one module are for several Pythons") {
  WheelFacts facts = with_module("py3-none", "_C.cpython-311-x86_64-linux-gnu.so", {});
  facts.libraries.push_back(facts.libraries[0]);
  facts.libraries[1].name = "demo/_C.cpython-312-x86_64-linux-gnu.so";
  CHECK(finding_texts(facts).empty());
}

TEST_CASE("a module is named for the system of the wheel") {
  const auto faults = [](const std::string& platform, const std::string& named) {
    WheelFacts facts = native_facts("cp312-cp312-" + platform);
    facts.libraries[0].name = "demo/_C.cpython-312-" + named + ".so";
    facts.libraries[0].elf.defined = {{"PyInit__C"}};
    return findings_of(facts, {}, {"python-abi"}).size();
  };
  CHECK(faults("manylinux_2_28_x86_64", "x86_64-linux-gnu") == 0);
  CHECK(faults("linux_x86_64", "x86_64-linux-gnu") == 0);
  CHECK(faults("musllinux_1_2_x86_64", "x86_64-linux-musl") == 0);
  CHECK(faults("manylinux_2_28_x86_64", "aarch64-linux-gnu") == 1);
  CHECK(faults("manylinux_2_28_x86_64", "x86_64-linux-musl") == 1);
  CHECK(faults("musllinux_1_2_x86_64", "x86_64-linux-gnu") == 1);
  CHECK(faults("manylinux_2_28_x86_64", "darwin") == 1);
  const ModuleName old{ModuleKind::one_python, "310", "x86_64-linux-gnu"};
  CHECK(is_named_for(old, "musllinux_1_2_x86_64"));
  const ModuleName arm{ModuleKind::one_python, "312", "arm-linux-gnueabihf"};
  CHECK(is_named_for(arm, "manylinux2014_armv7l"));
  const ModuleName intel{ModuleKind::one_python, "312", "i386-linux-gnu"};
  CHECK(is_named_for(intel, "manylinux2014_i686"));
  const ModuleName windows{ModuleKind::one_python, "312", "win_amd64"};
  CHECK(is_named_for(windows, "win_amd64"));
  CHECK_FALSE(is_named_for(windows, "win_arm64"));
}

TEST_CASE("modules of other systems are judged by their names") {
  WheelFacts facts = pure_facts("cp312-cp312-win_amd64");
  facts.foreign = {{"demo/_C.cp312-win_amd64.pyd", "PE"}};
  CHECK(finding_texts(facts).empty());
  facts.foreign = {{"demo/_C.cp311-win_amd64.pyd", "PE"}};
  CHECK(findings_of(facts, {}, {"python-abi"}).size() == 1);
  facts.foreign = {{"demo/_C.cp312-win_arm64.pyd", "PE"}};
  CHECK(findings_of(facts, {}, {"python-abi"}).size() == 1);
}

TEST_CASE("some installer takes one of the tags") {
  for (const char* tags : {"cp315t-abi3t", "cp314t-abi3t", "cp313t-abi3", "cp313t-cp313t",
                           "cp312-cp311", "py3-abi3", "cp3-none"}) {
    INFO(tags);
    const std::vector<Finding> found =
        findings_of(with_module(tags, "_C.so", {}), {}, {"python-abi"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].message == "has tags that no installer of any Python accepts");
  }
  for (const char* tags : {"cp315-abi3t", "cp310-abi3", "cp37-cp37m", "cp311.cp312-cp311.cp312",
                           "py2.py3-none", "pp311-pypy311_pp73", "cp313-cp313t"}) {
    INFO(tags);
    CHECK(findings_of(with_module(tags, "_C.so", {}), {}, {"python-abi"}).empty());
  }
}

TEST_CASE("a module that several Pythons import uses only the Stable ABI") {
  CHECK(finding_texts(with_module("py3-none", "_C.so", {"PyFrame_GetBack"})).size() == 1);
  CHECK(finding_texts(with_module("cp315-abi3t", "_C.abi3t.so", {"PyFrame_GetBack"})).size() == 1);
  CHECK(finding_texts(with_module("cp315-cp315t", "_C.abi3.so", {})).size() == 1);
  CHECK(finding_texts(with_module("cp315-cp315t", "_C.abi3t.so", {})).empty());
  CHECK(finding_texts(with_module("cp315-abi3.abi3t", "_C.abi3t.so", {})).empty());
  CHECK(finding_texts(with_module("cp315-abi3.abi3t", "_C.abi3.so", {})).size() == 1);
  CHECK(finding_texts(with_module("cp312-abi3", "_C.abi3t.so", {})).size() == 1);
  CHECK(finding_texts(with_module("cp313-none", "_C.cpython-313-x86_64-linux-gnu.so", {})).empty());
}

TEST_CASE("a tag without an ABI belongs to modules that depend on none") {
  const auto found = [](const char* tags, const char* file) {
    return findings_of(with_module(tags, file, {"PyFrame_GetBack"}), {}, {"python-abi"});
  };
  const std::vector<Finding> locked = found("cp312-none", "_C.so");
  REQUIRE(locked.size() == 1);
  CHECK(locked[0].message ==
        "depends on the ABI of `cp312`, but the tag says that it depends on none");
  CHECK(locked[0].evidence == "PyFrame_GetBack");
  CHECK(locked[0].hint == "tag the wheel `cp312-cp312`");
  CHECK(locked[0].severity == Severity::warning);
  // Only the Python with a lock finds this name.
  const std::vector<Finding> named = found("cp313-none", "_C.cpython-313-x86_64-linux-gnu.so");
  REQUIRE(named.size() == 1);
  CHECK(named[0].severity == Severity::warning);
  const std::vector<Finding> crashes = found("cp313-none", "_C.so");
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].severity == Severity::error);
  CHECK(
      findings_of(with_module("cp313-none", "_C.so", {"PyList_New"}), {}, {"python-abi"}).empty());
}

TEST_CASE("an abi3 wheel uses only the Stable ABI of its oldest Python") {
  CHECK(finding_texts(with_module("cp311-abi3", "_C.abi3.so", {"PyBuffer_Release", "malloc"}))
            .empty());
  CHECK(
      finding_texts(with_module("cp310-abi3", "_C.so", {"PyBuffer_Release", "PyFrame_GetBack"})) ==
      Texts{"[python-abi] `demo/_C.so`: uses 1 symbol of CPython that is not in the Stable ABI "
            "(PyFrame_GetBack)",
            "[python-abi] `demo/_C.so`: uses 1 symbol of CPython that the Stable ABI of 3.10 "
            "does not have (PyBuffer_Release (3.11))"});
  CHECK(findings_of(with_module("cp310-abi3", "_C.so", {"PyBuffer_Release"}))[0].hint ==
        "define `Py_LIMITED_API` as `0x030a0000`, or tag the wheel for a newer Python");
  // By its Requires-Python, 3.10 installs it.
  CHECK(finding_texts(with_module("py3-none", "_C.abi3.so", {"PyBuffer_Release"})).size() == 1);
  CHECK(finding_texts(with_module("py3-none", "_C.abi3.so", {"PyArg_Parse"})).empty());
  CHECK(finding_texts(with_module("cp312-cp312", "_C.abi3.so", {"PyBuffer_Release", "PyFrame_New"}))
            .size() == 1);
}

TEST_CASE("symbols defined by the wheel's own libraries are not CPython's") {
  WheelFacts facts = with_module("cp310-abi3", "_C.abi3.so", {"PyOwn_Call"});
  CHECK(finding_texts(facts).size() == 1);
  facts.libraries.push_back(library("demo/libown.so"));
  facts.libraries[1].elf.defined = {{"PyOwn_Call"}};
  CHECK(finding_texts(facts).empty());
}

TEST_CASE("weak symbols may be missing") {
  WheelFacts facts = with_module("cp310-abi3", "_C.abi3.so", {});
  facts.libraries[0].elf.undefined = {{"PyFrame_New", "", binary::Binding::weak}};
  CHECK(finding_texts(facts).empty());
}

TEST_CASE("free-threaded code and its tag go together") {
  const std::string locked = "_C.cpython-313-x86_64-linux-gnu.so";
  const std::string unlocked = "_C.cpython-313t-x86_64-linux-gnu.so";
  CHECK(finding_texts(with_module("cp313-cp313t", unlocked,
                                  {"_Py_MergeZeroLocalRefcount", "_Py_DecRefShared"}))
            .empty());
  CHECK(finding_texts(with_module("cp313-cp313", locked, {"_Py_Dealloc"})).empty());
  CHECK(finding_texts(with_module("cp313-cp313", locked, {"_Py_DecRefShared"})) ==
        Texts{"[python-abi] `demo/_C.cpython-313-x86_64-linux-gnu.so`: imports symbols that only a "
              "free-threaded Python has (_Py_DecRefShared)"});
  CHECK(finding_texts(with_module("cp313-cp313t", unlocked, {"_Py_Dealloc"})).size() == 1);
  CHECK(finding_texts(with_module("cp313-cp313", unlocked, {"_Py_DecRefShared"})).size() == 1);
}

}  // namespace
}  // namespace pinwheel::inspect
