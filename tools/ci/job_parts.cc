#include "ci/job_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kCheckout = R"(
- uses: @CHECKOUT@
  with:
    @REF@
    fetch-depth: 0
    persist-credentials: false
)";

constexpr std::string_view kTakePlan = R"(
- name: Take the plan
  uses: @DOWNLOAD@
  with:
    name: plan
)";

constexpr std::string_view kTakeResults = R"(
- name: Take the results
  uses: @DOWNLOAD@
  with:
    pattern: result-*
    path: in
    merge-multiple: true
)";

}  // namespace

std::string checkout(WorkflowSet set) {
  const bool chosen = set == WorkflowSet::release;
  return filled(kCheckout, {{"CHECKOUT", pinned("actions/checkout")},
                            {"REF", chosen ? "ref: ${{ inputs.tag || github.ref }}" : ""}});
}

std::string take_plan() {
  return filled(kTakePlan, {{"DOWNLOAD", pinned("actions/download-artifact")}});
}

std::string take_results() {
  return filled(kTakeResults, {{"DOWNLOAD", pinned("actions/download-artifact")}});
}

std::string keep(std::string_view name) {
  return fmt::format("# pinwheel: keep {}\n# pinwheel: end\n", name);
}

std::string secrets_of(const WorkflowFacts& facts) {
  if (facts.secrets.empty()) return {};
  std::string text = "env:\n";
  for (const std::string& name : facts.secrets) {
    text += fmt::format("  {0}: ${{{{ secrets.{0} }}}}\n", name);
  }
  return text;
}

std::string stores_of(const WorkflowFacts& facts, WorkflowSet set, Results results) {
  std::string text = "--store dir:in,ro";
  if (results == Results::take_and_leave) text += " --store dir:out";
  if (facts.settings.store.empty()) return text;
  text += " --store " + shell_quote(facts.settings.store);
  if (set == WorkflowSet::ci) {
    text += "${{ github.event.pull_request.head.repo.fork == true && ',ro' || '' }}";
  }
  return text;
}

std::string retention_of(const WorkflowFacts& facts, WorkflowSet set) {
  if (set == WorkflowSet::release) return {};
  const auto days = std::chrono::ceil<std::chrono::days>(facts.settings.retention).count();
  return fmt::format("retention-days: {}\n", std::max<std::int64_t>(1, days));
}

std::string minutes_of(const WorkflowFacts& facts) {
  return std::to_string(std::max<std::int64_t>(
      1, std::chrono::ceil<std::chrono::minutes>(facts.settings.timeout).count()));
}

}  // namespace pinwheel::ci
