#include "compat/run_result.h"

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

RunSeen seen_with(std::vector<OpenedMember> opened, std::vector<Ended> commands = {}) {
  return {"2.13.0+cpu", "3.11.7", Gpu::as_is, std::move(opened), std::move(commands)};
}

BuildVerdict predicted_with(Texts failing, bool loads = true) {
  BuildVerdict out{{"2.13.0+cpu", "x86_64"}, {"cp311"}, loads};
  out.failing = std::move(failing);
  return out;
}

const Ended kImported{"importing `demo`"};

TEST_CASE("libraries that open and modules that import are loaded, with the torch that was used") {
  const RunResult found = judge_run(seen_with({{"demo/_C.so"}}, {kImported}), predicted_with({}));
  CHECK(found.state == RunState::loaded);
  CHECK(found.torch == "2.13.0+cpu");
  CHECK(found.python == "3.11.7");
  CHECK(found.evidence == "1 library loads with RTLD_NOW; importing `demo` succeeded");
  CHECK(found.disagreements.empty());
}

TEST_CASE("the state is ran when the smoke command succeeded") {
  RunSeen seen = seen_with({}, {kImported, {"`python -c 1`"}});
  seen.smoke = true;
  CHECK(judge_run(seen, std::nullopt).state == RunState::ran);
  seen.commands.back().failure = "exit code 3";
  CHECK(judge_run(seen, std::nullopt).state == RunState::failed);
}

TEST_CASE("stub libraries are reported") {
  RunSeen seen = seen_with({{"a.so"}, {"b.so"}});
  seen.gpu = Gpu::stubs;
  const RunResult found = judge_run(seen, predicted_with({}));
  CHECK(found.state == RunState::loaded);
  CHECK(found.evidence ==
        "2 libraries load with RTLD_NOW; no GPU here: on the CPU, with stub CUDA libraries");
}

TEST_CASE("a failed command is reported with its exit and its last lines") {
  const Ended smoke{"`python smoke.py`", "exit code 3", "first\nwrong sum: 7\n"};
  RunSeen seen = seen_with({{"a.so"}}, {kImported, smoke});
  seen.smoke = true;
  const RunResult found = judge_run(seen, predicted_with({}));
  CHECK(found.state == RunState::failed);
  CHECK(found.evidence == "`python smoke.py` failed: exit code 3\n  first\n  wrong sum: 7");
}

TEST_CASE("the linker's result counts, and a disagreement is reported") {
  const RunResult worse =
      judge_run(seen_with({{"a.so", "undefined symbol: f"}}), predicted_with({}));
  CHECK(worse.state == RunState::failed);
  CHECK(worse.evidence ==
        "`a.so` does not load: undefined symbol: f\n"
        "by its symbols `a.so` should load, but the dynamic linker reports: undefined symbol: f");
  REQUIRE(worse.disagreements.size() == 1);
  const RunResult better = judge_run(seen_with({{"a.so"}}), predicted_with({"a.so"}, false));
  CHECK(better.state == RunState::loaded);
  CHECK(better.disagreements[0].error.empty());
  CHECK(better.evidence.ends_with("by its symbols `a.so` should not load, but it does"));
}

TEST_CASE("a predicted missing library without a provider does not fail a run") {
  const std::vector<OpenedMember> opened = {{"a.so"}, {"b.so", "libavcodec.so.61: cannot open"}};
  const RunResult found = judge_run(seen_with(opened, {kImported}), predicted_with({"b.so"}));
  CHECK(found.state == RunState::loaded);
  CHECK(found.disagreements.empty());
  CHECK(judge_run(seen_with(opened), predicted_with({"b.so"}, false)).state == RunState::failed);
}

TEST_CASE("many broken libraries are counted") {
  std::vector<OpenedMember> opened;
  Texts failing;
  for (const char* const name : {"a", "b", "c", "d", "e", "f", "g"}) {
    opened.push_back({name, "undefined symbol"});
    failing.emplace_back(name);
  }
  const RunResult found = judge_run(seen_with(opened), predicted_with(failing, false));
  CHECK(found.evidence.ends_with("`e` does not load: undefined symbol\nand 2 more"));
}

}  // namespace
}  // namespace pinwheel::compat
