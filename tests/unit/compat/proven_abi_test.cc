#include "compat/proven_abi.h"

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

inspect::WheelFacts module_taking(const std::string& tags, const std::string& file,
                                  const Texts& symbols) {
  inspect::WheelFacts facts = inspect::native_facts(tags + "-manylinux_2_28_x86_64");
  facts.libraries = {inspect::library("demo/" + file, {"libc.so.6"})};
  for (const std::string& symbol : symbols) facts.libraries[0].elf.undefined.push_back({symbol});
  return facts;
}

ProvenAbi proven(const inspect::WheelFacts& facts, const std::string& claimed) {
  const Result<ProvenAbi> found = prove_python_abi(facts, claimed, 9);
  REQUIRE(found);
  return *found;
}

TEST_CASE("a wheel holds the Stable ABI that it claims if it takes no more") {
  CHECK(proven(module_taking("cp311-abi3", "_C.abi3.so", {"PyBuffer_Release", "malloc"}),
               "limited(3.11)")
            .value == "limited(3.11)");
  for (const Texts& beyond : {Texts{"PyFrame_GetBack"}, Texts{"PyBuffer_Release"}}) {
    const auto refused =
        prove_python_abi(module_taking("cp310-abi3", "_C.abi3.so", beyond), "limited(3.10)", 9);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::check);
    CHECK(refused.error().message.find(beyond[0]) != std::string::npos);
  }
}

TEST_CASE("a wheel for every Python takes nothing that one Python changes") {
  CHECK(proven(module_taking("py3-none", "libx.so", {"malloc"}), "none").value == "none");
  inspect::WheelFacts pure = inspect::native_facts("py3-none-any");
  pure.libraries.clear();
  CHECK(proven(pure, "none").because == "no libraries in it");
  const auto refused =
      prove_python_abi(module_taking("py3-none", "_C.so", {"PyFrame_GetBack"}), "none", 9);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("`PyFrame_GetBack` of `demo/_C.so`") != std::string::npos);
}

TEST_CASE("a wheel for one Python stays that, and it is said what would allow more") {
  const std::string file = "_C.cpython-311-x86_64-linux-gnu.so";
  const ProvenAbi narrow =
      proven(module_taking("cp311-cp311", file, {"PyFrame_GetBack"}), "version");
  CHECK(narrow.value == "version");
  CHECK(narrow.because == "it takes `PyFrame_GetBack` of `demo/" + file + "`");
  CHECK_FALSE(narrow.wider);

  const ProvenAbi stable =
      proven(module_taking("cp311-cp311", file, {"PyArg_Parse", "PyBuffer_Release"}), "version");
  CHECK(stable.value == "version");
  REQUIRE(stable.wider);
  CHECK(stable.wider->value == "limited(3.11)");
  // The ABI is never wider than the oldest Python of the project, even if all symbols are older.
  const ProvenAbi old = proven(module_taking("cp311-cp311", file, {"PyModule_Create2"}), "version");
  REQUIRE(old.wider);
  CHECK(old.wider->value == "limited(3.9)");

  const ProvenAbi unneeded = proven(module_taking("cp311-cp311", "libx.so", {"malloc"}), "version");
  REQUIRE(unneeded.wider);
  CHECK(unneeded.wider->value == "none");
}

TEST_CASE("what a wheel takes of torch decides the torch that it is for") {
  const auto of = [](const Texts& symbols, const Texts& needed = {"libtorch.so"}) {
    return prove_torch_abi(
        evaluate(wheel_wanting(symbols, "cp311-cp311-manylinux_2_28_x86_64", needed), torches()));
  };
  CHECK(of({kNew}).value == "minor");
  CHECK(of({kShim, kNewShim}).value == "stable(2.13)");
  CHECK(of({"malloc"}, {}).value == "none");
  // No known release has it, so none can be promised.
  CHECK(of({"torch_from_the_future"}).value == "minor");
}

}  // namespace
}  // namespace pinwheel::compat
