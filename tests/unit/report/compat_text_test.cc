#include "report/compat_text.h"

#include <nlohmann/json.hpp>

#include "report/compat_json.h"
#include "unit/compat/demo_wheel.h"

namespace pinwheel::report {
namespace {

using compat::kNew;
using compat::kOld;

compat::Assessment demo(const std::vector<std::string>& symbols) {
  inspect::WheelFacts facts = compat::wheel_wanting(symbols);
  facts.libraries[0].elf.version_needs = {{"libc.so.6", {"GLIBC_2.35"}}};
  return compat::assess(facts, compat::torches());
}

TEST_CASE(
    "the text has the verdict, a line for each build, missing symbols, and the distributions") {
  const std::string text = compat_text(demo({kNew}), TorchRows::all);
  CHECK(text.starts_with("demo_kit-1.0-cp311-cp311-manylinux_2_28_x86_64.whl\n\nIts metadata"));
  for (const char* const line :
       {"torch   python  loads  verdict\n",
        "2.11.0  3.11    no     no               `at::new()` is missing (since 2.12.0)\n",
        "2.12.0  3.11    yes    symbols-resolve\n",
        "missing on torch 2.11.0 for `demo/_C.so`:\n  at::new() (since 2.12.0)\n",
        "Ubuntu 20.04       2.31   no    `demo/_C.so` needs `GLIBC_2.35`\n",
        "Debian 12          2.36   yes\n", "\npython: CPython 3.11\n"}) {
    INFO(text);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("neighbors with the same verdict share a line, with the range of what is missing") {
  compat::Assessment assessment = demo({kNew});
  compat::BuildVerdict older = assessment.torch.builds[0];
  older.build.version = "2.10.0";
  older.missing.push_back(older.missing.front());
  assessment.torch.builds.insert(assessment.torch.builds.begin(), older);
  const std::string text = compat_text(assessment, TorchRows::grouped);
  INFO(text);
  CHECK(text.find("2.10.0 to 2.11.0  3.11    no     no               `at::new()` is missing (since "
                  "2.12.0), and 0 to 1 more\n") != std::string::npos);
  CHECK(text.find("\n2.12.0 to ") != std::string::npos);
  CHECK(text.find("\n2.12.0  ") == std::string::npos);
  // A build that was run has a line of its own.
  assessment.torch.builds[3].run = compat::RunResult{compat::RunState::failed, "why", "", ""};
  const std::string with_run = compat_text(assessment, TorchRows::grouped);
  INFO(with_run);
  CHECK(with_run.find("\n2.12.0  ") != std::string::npos);
  CHECK(with_run.find("\n2.13.0  ") != std::string::npos);
}

TEST_CASE("names from a foreign wheel are harmless for a terminal") {
  const std::string text = compat_text(demo({"_ZN2at3oldEv", "torch_\x1b[31m"}), TorchRows::all);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("torch_\\x1b[31m") != std::string::npos);
}

TEST_CASE("a build that was run has its result next to the verdict, and the evidence below") {
  compat::Assessment assessment = demo({kNew});
  assessment.torch.builds[2].run = compat::RunResult{
      compat::RunState::failed, "`sh` failed: exit code 3\n  sum: 7", "2.13.0+cpu", "3.11.7"};
  const std::string text = compat_text(assessment, TorchRows::all);
  for (const char* const line :
       {"torch   python  loads  verdict          run\n", "2.12.0  3.11    yes    symbols-resolve\n",
        "2.13.0  3.11    yes    symbols-resolve  run failed\n",
        "with torch 2.13.0+cpu on Python 3.11.7: run failed\n  `sh` failed: exit code 3\n    "
        "sum: 7\n"}) {
    INFO(text);
    CHECK(text.find(line) != std::string::npos);
  }
  const nlohmann::json json = nlohmann::json::parse(compat_json(assessment));
  CHECK_FALSE(json.at("torch")[1].contains("run"));
  const nlohmann::json& run = json.at("torch")[2].at("run");
  CHECK(run.at("state") == "failed");
  CHECK(run.at("evidence") == "`sh` failed: exit code 3\n  sum: 7");
  CHECK(run.at("torch") == "2.13.0+cpu");
  CHECK(run.at("disagreements").empty());
}

TEST_CASE("the JSON follows its contract") {
  const nlohmann::json json = nlohmann::json::parse(compat_json(demo({kOld})));
  CHECK(json.at("schema") == 1);
  CHECK(json.at("wheel") == "demo_kit-1.0-cp311-cp311-manylinux_2_28_x86_64.whl");
  CHECK(json.at("abi") == "classic");
  CHECK(json.at("pin") == "torch>=2.11,<2.13");
  CHECK(json.at("minimum_torch").is_null());
  REQUIRE(json.at("torch").size() == 4);
  const nlohmann::json& fails = json.at("torch")[2];
  CHECK(fails.at("version") == "2.13.0");
  CHECK(fails.at("loads") == false);
  CHECK(fails.at("verdict") == "no");
  REQUIRE(fails.at("missing").size() == 1);
  const nlohmann::json& missing = fails.at("missing")[0];
  CHECK(missing.at("symbol") == "_ZN2at3oldEv");
  CHECK(missing.at("name") == "at::old()");
  CHECK(missing.at("needed_by") == nlohmann::json{"demo/_C.so"});
  CHECK(missing.at("history") == "until 2.12.0, gone in 2.13.0");
  CHECK(fails.at("needed_unresolved").empty());
  CHECK(json.at("torch")[0].at("verdict") == "symbols-resolve");
  CHECK(json.at("distributions").size() == 9);
  CHECK(json.at("cuda").at("minimum_driver").is_null());
}

}  // namespace
}  // namespace pinwheel::report
