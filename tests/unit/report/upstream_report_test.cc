#include "report/upstream_report.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

using namespace pinwheel;

namespace {

exports::Upstream two_changes() {
  const Location torch{"m.yaml", 6, 3, {}};
  return {
      {{exports::UpstreamEvent::appeared, "torch", "2.14", "cpu; Python 3.12", torch},
       {exports::UpstreamEvent::vanished, "torch", "2.9", "no build of torch is for it", torch}},
      {{torch, "torch: [\"2.14\"]"}, {{"m.yaml", 0, 0, {}}, "rules: - {when: {}}"}}};
}

}  // namespace

TEST_CASE("upstream changes are a table with the lines to write") {
  CHECK(report::upstream_text({}) == "the axes are up to date\n");
  CHECK(report::upstream_text(two_changes()) ==
        "change    axis   value  detail\n"
        "appeared  torch  2.14   cpu; Python 3.12\n"
        "vanished  torch  2.9    no build of torch is for it\n"
        "\nlines to change:\n"
        "  m.yaml:6: torch: [\"2.14\"]\n"
        "  m.yaml: rules: - {when: {}}\n");
}

TEST_CASE("upstream changes are JSON") {
  const auto json = nlohmann::json::parse(report::upstream_json(two_changes()));
  CHECK(json["schema"] == "pinwheel-upstream/1");
  CHECK(json["changes"].size() == 2);
  CHECK(json["changes"][0]["event"] == "appeared");
  CHECK(json["changes"][0]["at"] == nlohmann::json({{"file", "m.yaml"}, {"line", 6}}));
  CHECK(json["lines"][1] ==
        nlohmann::json({{"at", {{"file", "m.yaml"}}}, {"text", "rules: - {when: {}}"}}));
}

TEST_CASE("a notice of GitHub is at the axis, once, with its line") {
  const std::vector<report::Annotation> notices = report::upstream_notices(two_changes());
  REQUIRE(notices.size() == 1);
  CHECK(report::github_annotation(notices[0]) ==
        "::notice file=m.yaml,line=6,col=3,title=upstream%3A torch::appeared `2.14`: cpu; Python "
        "3.12%0Avanished `2.9`: no build of torch is for it%0Awrite `torch: [\"2.14\"]`\n");
}
