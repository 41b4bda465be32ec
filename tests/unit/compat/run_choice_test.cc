#include "compat/run_choice.h"

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

TorchVerdicts verdicts_of(const Texts& symbols, const exports::Table& table = torches()) {
  return evaluate(wheel_wanting(symbols), table);
}

/// "2.13.0 of /site asked".
Texts chosen_runs(const TorchVerdicts& torch, const RunWish& wish) {
  Texts out;
  for (const RunTarget& target : choose_runs(torch, wish)) {
    out.push_back(torch.builds[target.build].build.version +
                  (target.site_packages.empty() ? "" : " of " + target.site_packages) +
                  (target.demand == Demand::asked ? " asked" : ""));
  }
  return out;
}

TEST_CASE("without a word the newest release that loads by its symbols is run") {
  CHECK(chosen_runs(verdicts_of({kNew}), {}) == Texts{"2.13.1"});
  CHECK(chosen_runs(verdicts_of({kOld}), {}) == Texts{"2.12.0"});
  CHECK(chosen_runs(verdicts_of({"_ZN2at5neverEv"}), {}).empty());
}

TEST_CASE("a required range limits the choice, and its failure counts") {
  const RunWish wish{{}, {}, *pep::parse_specifiers(">=2.11,<2.13.1")};
  CHECK(chosen_runs(verdicts_of({kNew}), wish) == Texts{"2.13.0 asked"});
}

TEST_CASE("a word selects one build, whatever its verdict by symbols") {
  CHECK(chosen_runs(verdicts_of({kNew}), {{"2.13", "2.11", "2.13.1"}}) ==
        Texts{"2.11.0 asked", "2.13.1 asked"});
  const exports::Table labeled =
      table_of({torch_build("2.13.0", {kNew}), torch_build("2.13.0+cpu", {kNew}),
                torch_build("2.12.0+cpu", {kNew})});
  const TorchVerdicts torch = verdicts_of({kNew}, labeled);
  CHECK(chosen_runs(torch, {{"2.13"}}) == Texts{"2.13.0 asked"});
  CHECK(chosen_runs(torch, {{"2.13.0+cpu"}}) == Texts{"2.13.0+cpu asked"});
  CHECK(chosen_runs(torch, {{"2.12"}}) == Texts{"2.12.0+cpu asked"});
  CHECK(chosen_runs(torch, {}) == Texts{"2.13.0"});
}

TEST_CASE("an installed torch is run instead of being downloaded") {
  const std::vector<InstalledTorch> installed = {{{"2.12.0", "x86_64"}, "/site"}};
  const TorchVerdicts torch = verdicts_of({kNew});
  CHECK(chosen_runs(torch, {{}, installed}) == Texts{"2.12.0 of /site asked"});
  CHECK(chosen_runs(torch, {{"2.12", "2.13.0"}, installed}) ==
        Texts{"2.12.0 of /site asked", "2.13.0 asked"});
  const RunWish elsewhere{{}, installed, *pep::parse_specifiers(">=2.13")};
  CHECK(chosen_runs(torch, elsewhere).empty());
}

TEST_CASE("Pythons are tried newest first, free-threaded ones last") {
  exports::Snapshot build = torch_build("2.13.0", {kShim});
  build.libraries.push_back(exports::made_library("libtorch_python.so", {}, "cp313t"));
  const TorchVerdicts torch =
      evaluate(wheel_wanting({kShim}, "py3-none-linux_x86_64"), table_of({build}));
  REQUIRE(choose_runs(torch, {}).size() == 1);
  CHECK(choose_runs(torch, {})[0].pythons == Texts{"3.12", "3.11", "3.13t"});
}

}  // namespace
}  // namespace pinwheel::compat
