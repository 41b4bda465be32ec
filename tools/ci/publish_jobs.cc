#include <fmt/format.h>

#include "base/text.h"
#include "ci/idle.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"
#include "matrix/target_place.h"
#include "publish/credential_variable.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kPublishJob = R"(
  publish-@TARGET@:
    name: publish to @TARGET@
    needs: [@NEEDS@]
    @AFTER@
    runs-on: ubuntu-24.04
    @CONTAINER@
    timeout-minutes: @MINUTES@
    @ENVIRONMENT@
    @PERMISSIONS@
    concurrency:
      group: @GROUP@
      cancel-in-progress: false
      queue: max
    steps:
      @CHECKOUT@
      @PLAN@
      @RESULTS@
      @KEEP@
      - name: Publish
        uses: @ACTION@
        @TOKEN@
        with:
          @ARGS@
      @INDEX@
)";

constexpr std::string_view kPermissions = R"(
permissions:
  contents: read
  id-token: write # the index gives a token for it
)";

constexpr std::string_view kIndex = R"(
- name: Keep the index
  uses: @UPLOAD@
  with:
    name: index-@TARGET@-${{ github.run_attempt }}
    path: @DIRECTORY@
    if-no-files-found: error
    @RETENTION@
)";

/// Where a job is not trusted by the index itself, the environment's secret authenticates it.
std::string token_of(const PublishJob& job) {
  if (job.auth != PublishAuth::token) return {};
  const std::string name = publish::credential_variable("PINWHEEL_TOKEN_", job.target);
  return fmt::format("env:\n  {0}: ${{{{ secrets.{0} }}}}\n", name);
}

}  // namespace

std::string publish_jobs(const WorkflowFacts& facts, WorkflowSet set) {
  std::string text;
  std::string before = "gate";
  const std::string& name = facts.settings.name;
  for (const PublishJob& job : facts.publish) {
    const std::string index = matrix::place_of(job.kind) == matrix::TargetPlace::directory
                                  ? filled(kIndex, {{"UPLOAD", pinned("actions/upload-artifact")},
                                                    {"TARGET", job.target},
                                                    {"DIRECTORY", yaml_string(job.directory)},
                                                    {"RETENTION", retention_of(facts, set)}})
                                  : std::string();
    text +=
        "\n" +
        filled(kPublishJob,
               {{"TARGET", job.target},
                {"GROUP", name.empty() ? "pinwheel-publish-" + job.target
                                       : fmt::format("pinwheel-{}-publish-{}", name, job.target)},
                {"NEEDS", before},
                {"AFTER", after(before)},
                {"MINUTES", minutes_of(facts)},
                {"ENVIRONMENT", job.environment.empty()
                                    ? std::string()
                                    : "environment: " + yaml_string(job.environment)},
                {"PERMISSIONS",
                 job.auth == PublishAuth::trusted ? filled(kPermissions, {}) : std::string()},
                {"CONTAINER", container_of(facts)},
                {"CHECKOUT", checkout(facts, set)},
                {"PLAN", take_plan()},
                {"RESULTS", take_results()},
                {"KEEP", keep("before-publish-" + job.target)},
                {"ACTION", facts.action},
                {"TOKEN", token_of(job)},
                {"ARGS", args(fmt::format("release --plan {} --reuse-only --target {}",
                                          plan_argument(), job.target),
                              facts, set, Results::take)},
                {"INDEX", index}});
    before = "publish-" + job.target;
  }
  if (set == WorkflowSet::nightly) text += remember_job(facts, before);
  return text;
}

}  // namespace pinwheel::ci
