#include "ci/job.h"

#include <fmt/format.h>

#include "base/text.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kJob = R"(
  @ID@:
    name: @NAME@
    @NEEDS@
    @IF@
    runs-on: @RUNNER@
    @CONTAINER@
    timeout-minutes: @LIMIT@
    @OUTPUTS@
    @ENVIRONMENT@
    @PERMISSIONS@
    @CONCURRENCY@
    @ROWS@
    steps:
      @STEPS@
)";

constexpr std::string_view kIdentityPermissions = R"(
permissions:
  contents: read
  id-token: write # the index gives a token for it
)";

constexpr std::string_view kSigningPermissions = R"(
permissions:
  contents: read
  id-token: write # attestations are signed with it
)";

constexpr std::string_view kContentsPermissions = R"(
permissions:
  contents: write # for the tag and the release
)";

constexpr std::string_view kSignedContentsPermissions = R"(
permissions:
  contents: write # for the tag and the release
  id-token: write # attestations are signed with it
)";

constexpr std::string_view kResultsPermissions = R"(
permissions:
  contents: read
  actions: read # for the results of another run
)";

constexpr std::string_view kCommentPermissions = R"(
permissions:
  contents: read
  actions: read # for the results of another run
  pull-requests: write # for one comment
)";

// Without `queue`, a job that waits is canceled when the next arrives.
constexpr std::string_view kJobConcurrency = R"(
concurrency:
  group: @GROUP@
  cancel-in-progress: false
  queue: max
)";

constexpr std::string_view kJobStrategy = R"(
strategy:
  fail-fast: false
  matrix:
    include: ${{ fromJSON(@ROWS@).include }}
)";

/// The matrix decides whether the image follows a tag.
std::string container_line(const std::string& image) {
  if (image.empty()) return {};
  const bool pinned = image.find("@sha256:") != std::string::npos;
  return fmt::format("container: {}{}", yaml_string(image),
                     pinned ? "" : " # zizmor: ignore[unpinned-images]");
}

std::string outputs_lines(const Job& job) {
  if (job.outputs.empty()) return {};
  std::string text = "outputs:\n";
  for (const auto& [name, expression] : job.outputs) {
    text += fmt::format("  {}: ${{{{ {} }}}}\n", name, expression);
  }
  return text;
}

std::string permission_lines(JobPermission permission) {
  switch (permission) {
    case JobPermission::usual:
      break;
    case JobPermission::identity:
      return filled(kIdentityPermissions, {});
    case JobPermission::signing:
      return filled(kSigningPermissions, {});
    case JobPermission::contents:
      return filled(kContentsPermissions, {});
    case JobPermission::signed_contents:
      return filled(kSignedContentsPermissions, {});
    case JobPermission::results:
      return filled(kResultsPermissions, {});
    case JobPermission::comment:
      return filled(kCommentPermissions, {});
  }
  return {};
}

std::string line_of(std::string_view key, const std::string& value) {
  return value.empty() ? std::string() : fmt::format("{}: {}", key, value);
}

}  // namespace

std::vector<std::string> ids_of(const std::vector<Job>& jobs) {
  std::vector<std::string> ids;
  ids.reserve(jobs.size());
  for (const Job& job : jobs) ids.push_back(job.id);
  return ids;
}

std::string yaml_of(const Job& job) {
  const bool rows = job.runner != JobRunner::hosted;
  const std::string limit = std::to_string(job.limit);
  return filled(
      kJob,
      {{"ID", job.id},
       {"NAME", rows ? "${{ matrix.name }}" : job.name},
       {"NEEDS", job.needs.empty() ? std::string() : "needs: [" + join(job.needs, ", ") + "]"},
       {"IF", line_of("if", job.condition)},
       {"RUNNER", rows ? "${{ matrix.runner }}" : kHostedRunner},
       {"CONTAINER", container_line(job.container)},
       {"LIMIT", rows ? fmt::format("${{{{ matrix.limit || {} }}}}", limit) : limit},
       {"OUTPUTS", outputs_lines(job)},
       {"ENVIRONMENT",
        line_of("environment", job.environment.empty() ? "" : yaml_string(job.environment))},
       {"PERMISSIONS", permission_lines(job.permission)},
       {"CONCURRENCY",
        job.group.empty() ? std::string() : filled(kJobConcurrency, {{"GROUP", job.group}})},
       {"ROWS", rows ? filled(kJobStrategy, {{"ROWS", job.rows}}) : std::string()},
       {"STEPS", job.steps}});
}

}  // namespace pinwheel::ci
