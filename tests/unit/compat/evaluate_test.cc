#include "compat/evaluate.h"

#include "compat/gate.h"
#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

TEST_CASE("the classic ABI loads where its symbols are exported, without a guarantee") {
  const TorchVerdicts found = evaluate(wheel_wanting({kNew}), torches());
  CHECK(found.use == TorchUse::classic);
  CHECK(verdicts(found) == Texts{"2.11.0 no", "2.12.0 symbols-resolve", "2.13.0 symbols-resolve",
                                 "2.13.1 symbols-resolve"});
  REQUIRE(found.builds[0].missing.size() == 1);
  CHECK(found.builds[0].missing[0].name == kNew);
  CHECK(to_string(found.histories.at(kNew)) == "since 2.12.0");
}

TEST_CASE("a symbol's history has the releases in which it appeared and vanished") {
  const exports::Table table = torches();
  TorchTable torch(table, "x86_64");
  CHECK(to_string(torch.history(kOld)) == "until 2.12.0, gone in 2.13.0");
  CHECK(to_string(torch.history(kShim)) == "in every known release");
  CHECK(to_string(torch.history("_ZN2at5neverEv")) == "in no known release of torch");
  CHECK_FALSE(TorchTable(table, "aarch64").history(kOld).first.has_value());
}

TEST_CASE("the wheel's build record guarantees only that minor") {
  inspect::WheelFacts facts = wheel_wanting({kNew});
  facts.claim.torch = "2.13";
  CHECK(verdicts(evaluate(facts, torches())) ==
        Texts{"2.11.0 no", "2.12.0 symbols-resolve", "2.13.0 guaranteed", "2.13.1 guaranteed"});
  facts.claim.torch = "2.11.0+cpu";
  CHECK(verdicts(evaluate(facts, torches()))[0] == "2.11.0 no");
}

TEST_CASE("the Stable ABI is guaranteed from the first release that has every shim") {
  const TorchVerdicts found = evaluate(wheel_wanting({kShim, kNewShim}), torches());
  CHECK(found.use == TorchUse::stable);
  REQUIRE(found.minimum);
  CHECK(pep::to_string(*found.minimum) == "2.13.0");
  CHECK(verdicts(found) ==
        Texts{"2.11.0 no", "2.12.0 no", "2.13.0 guaranteed", "2.13.1 guaranteed"});
  CHECK(evaluate(wheel_wanting({kShim, kOld}), torches()).use == TorchUse::classic);
  CHECK_FALSE(evaluate(wheel_wanting({"torch_from_the_future"}), torches()).minimum);
}

TEST_CASE("a symbol without a namespace is torch's when torch exports it") {
  const exports::Table table =
      table_of({torch_build("2.13.0", {"cpuinfo_initialize", "_Z9THPWrappedv"})});
  CHECK(evaluate(wheel_wanting({"_Z9THPWrappedv"}), table).use == TorchUse::classic);
  CHECK(evaluate(wheel_wanting({"cpuinfo_initialize"}, "cp311-cp311-linux_x86_64", {"libown.so"}),
                 table)
            .use == TorchUse::none);
}

TEST_CASE("an additional wheel leaves only the Pythons that both support") {
  exports::Snapshot build = torch_build("2.13.0", {kShim});
  build.libraries.push_back(exports::made_library("libtorch_python.so", {}, "cp313t"));
  const exports::Table table = table_of({build});
  const inspect::WheelFacts any = wheel_wanting({kShim}, "py3-none-linux_x86_64");
  Companions companions;
  companions.wheels = {*pep::parse_tags("cp311-cp311-linux_x86_64")};
  REQUIRE(evaluate(any, table, companions).builds.size() == 1);
  CHECK(evaluate(any, table, companions).builds[0].pythons == Texts{"cp311"});
  companions.wheels.push_back(*pep::parse_tags("cp312-cp312-linux_x86_64"));
  CHECK(evaluate(any, table, companions).builds.empty());
}

TEST_CASE("a wheel that does not need torch uses nothing of it") {
  const TorchVerdicts found = evaluate(
      wheel_wanting({"Py_Initialize"}, "cp311-cp311-linux_x86_64", {"libc.so.6"}), torches());
  CHECK(found.use == TorchUse::none);
  CHECK(verdicts(found)[0] == "2.11.0 symbols-resolve");
}

TEST_CASE("only builds of the wheel's architecture and Pythons are judged") {
  const exports::Table table = exports::merge(torches(), torch_build("2.14.0", {kNew}, "aarch64"));
  CHECK(evaluate(wheel_wanting({kNew}), table).builds.size() == 4);
  CHECK(evaluate(wheel_wanting({kNew}, "cp39-cp39-linux_x86_64"), table).builds.empty());
  const TorchVerdicts stable = evaluate(wheel_wanting({kNew}, "cp310-abi3-linux_x86_64"), table);
  REQUIRE(stable.builds.size() == 4);
  CHECK(stable.builds[0].pythons == Texts{"cp311", "cp312"});
}

TEST_CASE("a wheel that needs torch's Python library is judged on every Python") {
  exports::Snapshot build = torch_build("2.13.0", {});
  build.libraries[2] = exports::made_library("libtorch_python.so", {"_Z8THPThingv"}, "cp311");
  const exports::Table table = table_of({build});
  const Texts needed = {"libtorch_python.so"};
  CHECK(evaluate(wheel_wanting({"_Z8THPThingv"}, "cp311-cp311-linux_x86_64", needed), table)
            .builds[0]
            .loads);
  CHECK_FALSE(evaluate(wheel_wanting({"_Z8THPThingv"}, "cp311-abi3-linux_x86_64", needed), table)
                  .builds[0]
                  .loads);
}

TEST_CASE("a GPU library of another number resolves every symbol without a guarantee") {
  exports::Snapshot build = torch_build("2.13.0", {kShim});
  exports::Library cuda = exports::made_library("libtorch_cuda.so", {});
  cuda.needed = {"libcudart.so.13"};
  build.libraries.push_back(cuda);
  const exports::Table table = table_of({build});
  const auto on = [&](const std::string& soname) {
    return evaluate(wheel_wanting({kShim}, "py3-none-linux_x86_64",
                                  {"libtorch_cuda.so", "libtorch.so", soname}),
                    table);
  };
  CHECK(verdicts(on("libcudart.so.13")) == Texts{"2.13.0 guaranteed"});
  const TorchVerdicts older = on("libcudart.so.12");
  CHECK(verdicts(older) == Texts{"2.13.0 symbols-resolve"});
  CHECK(older.builds[0].needed_unresolved[0].soname == "libcudart.so.12");
}

TEST_CASE("another wheel's libraries define symbols too") {
  inspect::WheelFacts other = wheel_wanting({}, "cp311-cp311-linux_x86_64", {"libtorch.so"});
  other.libraries[0].name = "other/libother-1a2b.so";
  other.libraries[0].elf.soname = "libother.so";
  other.libraries[0].elf.defined.push_back({.name = "_ZN5other1fEv"});
  const inspect::WheelFacts wheel =
      wheel_wanting({"_ZN5other1fEv", kNew}, "cp311-cp311-linux_x86_64", {"libother-1a2b.so"});
  CHECK_FALSE(evaluate(wheel, torches()).builds[3].loads);
  CHECK(evaluate(wheel, torches(), {companion_libraries(other), {}}).builds[3].loads);
}

TEST_CASE("a wheel for musl loads on no torch, because all are for glibc") {
  inspect::WheelFacts facts = wheel_wanting({kShim});
  facts.libraries[0].elf.needed.push_back("libc.musl-x86_64.so.1");
  const TorchVerdicts torch = evaluate(facts, torches());
  REQUIRE_FALSE(torch.builds.empty());
  for (const BuildVerdict& build : torch.builds) {
    CHECK_FALSE(build.loads);
    CHECK(why_not(build, torch) ==
          "`demo/_C.so` needs `libc.musl-x86_64.so.1` of musl, and torch is built for glibc");
  }
}

TEST_CASE("a module that does not find the wheel's own library loads on no torch") {
  inspect::WheelFacts facts = wheel_wanting({kShim});
  facts.libraries[0].elf.needed.push_back("libown.so");
  facts.libraries[0].elf.defined.push_back({.name = "PyInit__C"});
  facts.libraries.push_back(inspect::library("demo/lib/libown.so", {}));
  const TorchVerdicts torch = evaluate(facts, torches());
  REQUIRE(torch.unreachable.size() == 1);
  for (const BuildVerdict& build : torch.builds) {
    CHECK_FALSE(build.loads);
    CHECK(why_not(build, torch) ==
          "`demo/_C.so` needs `libown.so`, which is in the wheel as "
          "`demo/lib/libown.so`, but no search path leads there");
  }
  facts.libraries[0].elf.rpath = "$ORIGIN/lib";
  CHECK(evaluate(facts, torches()).builds.front().loads);
}

}  // namespace
}  // namespace pinwheel::compat
