#include "report/comparison_report.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

namespace pinwheel::report {
namespace {

using namespace std::chrono_literals;

RunDifference slower_and_red() {
  RunDifference out{"main.json", "pull.json", {}};
  out.runs.shared = 3;
  out.runs.timed = 1;
  out.runs.newly_red = {{"test:a", plan::StepState::done, plan::StepState::failed, 0ms, 0ms,
                         plan::Evidence::ran, plan::Evidence::none, "a <b>bold</b> reason"}};
  out.runs.slower = {{"build:a", plan::StepState::done, plan::StepState::done, 100s, 150s}};
  out.runs.slower[0].usual = analysis::UsualDuration{7, 95s, 100s, 110s};
  out.runs.with_usual = 1;
  out.runs.within_usual = 2;
  ComparedWheel wheel{{"build:a", plan::Output{"x/demo-1.whl", "aa", 1000},
                       plan::Output{"x/demo-2.whl", "bb", 1500}}};
  inspect::WheelDifference difference;
  difference.requirements.gained = {"Requires-Dist: numpy>=2"};
  difference.operators.lost = {"scale(Tensor x) -> Tensor"};
  binary::CubinKernel kernel;
  kernel.name = "_Z5scalePffi";
  binary::CubinKernel larger = kernel;
  larger.registers = 64;
  difference.kernels.changed = {{"demo/_C.so", "sm_90a", kernel, larger}};
  difference.unread = {{inspect::Side::new_wheel, "demo/_C.so", "a cubin is damaged"}};
  difference.sizes = {{inspect::SizeChange::Part::architecture, "sm_100", 0, 400}};
  wheel.difference = difference;
  out.wheels = {wheel, {{"build:b", plan::Output{"b.whl", "cc", 1}, std::nullopt}}};
  return out;
}

TEST_CASE("a comparison of runs has a text, Markdown and JSON") {
  const RunDifference difference = slower_and_red();
  const std::string text = comparison_text(difference);
  for (const char* const line :
       {"newly red\n  test:a: done -> failed: a <b>bold</b> reason\n",
        "slower\n  build:a: 1m40s -> 2m30s (+50%), usually 1m35s to 1m50s in 7 runs\n",
        "for 1 step with earlier runs only if it is also unusual in them; usual differences not "
        "shown: 2\n",
        "  `demo/_C.so` of the new wheel cannot be read in full, so device code or operators may "
        "be missing here: a "
        "cubin is damaged\n",
        "demo-2.whl: 1.0 KB -> 1.5 KB (+500 B, +50.0%)\n",
        "  + requirement Requires-Dist: numpy>=2\n", "  - operator scale(Tensor x) -> Tensor\n",
        "  kernel scale(float*, float, int) for sm_90a: registers 0 -> 64\n",
        "  architecture sm_100: 0 B -> 400 B (+400 B)\n", "build:b: b.whl is gone\n"}) {
    CAPTURE(text, line);
    CHECK(text.find(line) != std::string::npos);
  }
  const std::string markdown = comparison_markdown(difference);
  CAPTURE(markdown);
  CHECK(markdown.find("**newly red**") < markdown.find("**slower**"));
  // Text from outside is code, so that nothing in it is Markdown or HTML.
  CHECK(markdown.find("- `test:a: done -> failed: a <b>bold</b> reason`\n") != std::string::npos);
  CHECK(markdown.find("- `+ requirement Requires-Dist: numpy>=2`\n") != std::string::npos);
  CHECK(markdown.find("<details><summary>") != std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(comparison_json(difference));
  CHECK(json["schema"] == "pinwheel-comparison/1");
  CHECK(json["slower"][0]["after"]["elapsed_ms"] == 150000);
  CHECK(json["wheels"][0]["kernels"]["changed"][0]["after"]["registers"] == 64);
  CHECK(json["slower"][0]["usual"]["p90_ms"] == 110000);
  CHECK(json["newly_red"][0]["usual"].is_null());
  CHECK(json["wheels"][0]["unread"].is_null());
  CHECK(
      json["wheels"][0]["unread_parts"] ==
      nlohmann::json{{{"side", "new"}, {"file", "demo/_C.so"}, {"message", "a cubin is damaged"}}});
  CHECK(json["wheels"][1]["kernels"].is_null());
  CHECK(json["wheels"][1]["unread_parts"].is_null());
}

TEST_CASE("what was stopped, and what shows too little, has sections of its own") {
  RunDifference difference{"main.json", "pull.json", {}};
  difference.runs.shared = 2;
  difference.runs.stopped = {{"build:a", plan::StepState::done, plan::StepState::interrupted, 0ms,
                              0ms, plan::Evidence::none, plan::Evidence::none,
                              "its run was killed"}};
  difference.runs.too_little_evidence = {{"test:b", plan::StepState::done, plan::StepState::done,
                                          0ms, 0ms, plan::Evidence::ran, plan::Evidence::loaded,
                                          "`test:b` has evidence `loaded`, `ran` is required"}};
  const std::string text = comparison_text(difference);
  CAPTURE(text);
  CHECK(text.find("2 steps in both, 1 stopped, 1 with too little evidence\n") != std::string::npos);
  CHECK(text.find("stopped before their end\n  build:a: interrupted: its run was killed\n") !=
        std::string::npos);
  CHECK(text.find("with less evidence than their publication requires\n"
                  "  `test:b` has evidence `loaded`, `ran` is required\n") != std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(comparison_json(difference));
  CHECK(json["stopped"][0]["after"]["state"] == "interrupted");
  CHECK(json["too_little_evidence"][0]["id"] == "test:b");
}

TEST_CASE("the Markdown of a comparison fits a comment") {
  RunDifference difference = slower_and_red();
  const ComparedWheel wheel = difference.wheels[0];
  difference.wheels.resize(1000, wheel);
  const std::string markdown = comparison_markdown(difference);
  CHECK(markdown.size() < 65'536);
  CHECK(markdown.find("more changed files") != std::string::npos);
  difference.runs.gained.assign(100, std::string(5000, 'x'));
  CHECK(comparison_markdown(difference).size() < 65'536);
}

}  // namespace
}  // namespace pinwheel::report
