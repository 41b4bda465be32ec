#include "store/ci_event.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace pinwheel::store {
namespace {

using Variables = std::map<std::string, std::string>;

/// How to read the value of a variable.
enum class Compare {
  present,  ///< it has a value, and not "false", "0" or "null"
  is,       ///< it has that value
  begins,   ///< its value begins with that
};

/// A variable that identifies the kind of an event. Its own name identifies the service, or the
/// variable `of`, which that service always sets.
struct Sign {
  std::string_view of;
  std::string_view variable;
  Compare compare = Compare::present;
  std::string_view value = {};
};

constexpr std::array kOfPullRequests = {
    // Includes `pull_request_target` and reviews, which run with the permissions of the base
    // branch.
    Sign{"", "GITHUB_EVENT_NAME", Compare::begins, "pull_request"},
    Sign{"", "CI_MERGE_REQUEST_ID"},
    Sign{"", "CI_MERGE_REQUEST_IID"},
    Sign{"", "CI_EXTERNAL_PULL_REQUEST_IID"},
    Sign{"", "CI_PIPELINE_SOURCE", Compare::is, "merge_request_event"},
    Sign{"", "CI_PIPELINE_SOURCE", Compare::is, "external_pull_request_event"},
    Sign{"", "BUILD_REASON", Compare::is, "PullRequest"},
    Sign{"", "SYSTEM_PULLREQUEST_PULLREQUESTID"},
    // A run that a person starts for a pull request.
    Sign{"TF_BUILD", "BUILD_SOURCEBRANCH", Compare::begins, "refs/pull/"},
    Sign{"", "BUILDKITE_PULL_REQUEST"},
    Sign{"", "CIRCLE_PULL_REQUEST"},
    Sign{"", "CIRCLE_PULL_REQUESTS"},
    Sign{"", "CIRCLE_PR_NUMBER"},
    Sign{"", "CHANGE_ID"},
    Sign{"", "ghprbPullId"},
    // Plugins of Jenkins for GitLab, Bitbucket and Gerrit. Gerrit's is also set after a merge.
    Sign{"", "gitlabMergeRequestIid"},
    Sign{"", "gitlabMergeRequestId"},
    Sign{"", "BITBUCKET_PULL_REQUEST_ID"},
    Sign{"", "GERRIT_CHANGE_NUMBER"},
    Sign{"", "TRAVIS_PULL_REQUEST"},
    Sign{"", "DRONE_BUILD_EVENT", Compare::begins, "pull_request"},
    Sign{"", "DRONE_PULL_REQUEST"},
    Sign{"", "CI_PIPELINE_EVENT", Compare::begins, "pull_request"},
    Sign{"", "CI_BUILD_EVENT", Compare::begins, "pull_request"},
    Sign{"", "CI_COMMIT_PULL_REQUEST"},
    Sign{"", "APPVEYOR_PULL_REQUEST_NUMBER"},
    Sign{"", "BITBUCKET_PR_ID"},
    Sign{"", "CIRRUS_PR"},
    Sign{"", "SEMAPHORE_GIT_PR_NUMBER"},
    Sign{"", "SEMAPHORE_GIT_REF_TYPE", Compare::is, "pull-request"},
    Sign{"SEMAPHORE", "PULL_REQUEST_NUMBER"},
    Sign{"", "CODEBUILD_WEBHOOK_EVENT", Compare::begins, "PULL_REQUEST"},
    Sign{"", "CODEBUILD_WEBHOOK_TRIGGER", Compare::begins, "pr/"},
    Sign{"", "CODEBUILD_SOURCE_VERSION", Compare::begins, "pr/"},
    Sign{"", "CODEBUILD_SOURCE_VERSION", Compare::begins, "refs/pull/"},
    Sign{"PROW_JOB_ID", "JOB_TYPE", Compare::is, "presubmit"},
    Sign{"PROW_JOB_ID", "JOB_TYPE", Compare::is, "batch"},
    Sign{"PROW_JOB_ID", "PULL_NUMBER"},
    Sign{"", "bamboo_repository_pr_key"},
    Sign{"", "BITRISE_PULL_REQUEST"},
    Sign{"", "BUDDY_EXECUTION_PULL_REQUEST_ID"},
    Sign{"", "BUDDY_EXECUTION_PULL_REQUEST_NO"},
    Sign{"CF_BUILD_ID", "CF_PULL_REQUEST_ID"},
    Sign{"CF_BUILD_ID", "CF_PULL_REQUEST_NUMBER"},
    Sign{"CM_BUILD_ID", "CM_PULL_REQUEST"},
    Sign{"", "SD_PULL_REQUEST"},
    Sign{"VELA", "VELA_PULL_REQUEST"},
    Sign{"VELA", "VELA_BUILD_EVENT", Compare::begins, "pull_request"},
};

constexpr std::array kOfReleases = {
    Sign{"", "GITHUB_EVENT_NAME", Compare::is, "release"},
    Sign{"", "CI_COMMIT_TAG"},
    Sign{"TF_BUILD", "BUILD_SOURCEBRANCH", Compare::begins, "refs/tags/"},
    Sign{"", "BUILDKITE_TAG"},
    Sign{"", "CIRCLE_TAG"},
    Sign{"JENKINS_URL", "TAG_NAME"},
    Sign{"", "TRAVIS_TAG"},
    Sign{"", "DRONE_TAG"},
    Sign{"APPVEYOR", "APPVEYOR_REPO_TAG"},
    Sign{"", "BITBUCKET_TAG"},
    Sign{"", "CIRRUS_TAG"},
    Sign{"", "SEMAPHORE_GIT_TAG_NAME"},
    Sign{"", "CODEBUILD_WEBHOOK_TRIGGER", Compare::begins, "tag/"},
    Sign{"", "BITRISE_GIT_TAG"},
    Sign{"", "BUDDY_EXECUTION_TAG"},
    Sign{"CM_BUILD_ID", "CM_TAG"},
    Sign{"VELA", "VELA_BUILD_TAG"},
};

/// A service that sets one of these reports which events are pull requests.
constexpr std::array<std::string_view, 27> kReporting = {"GITHUB_ACTIONS",
                                                         "GITHUB_EVENT_NAME",
                                                         "GITLAB_CI",
                                                         "CI_PIPELINE_SOURCE",
                                                         "TF_BUILD",
                                                         "BUILD_REASON",
                                                         "BUILDKITE",
                                                         "BUILDKITE_PULL_REQUEST",
                                                         "CIRCLECI",
                                                         "JENKINS_URL",
                                                         "TRAVIS",
                                                         "TRAVIS_PULL_REQUEST",
                                                         "DRONE",
                                                         "DRONE_BUILD_EVENT",
                                                         "APPVEYOR",
                                                         "BITBUCKET_COMMIT",
                                                         "CIRRUS_CI",
                                                         "SEMAPHORE",
                                                         "CI_PIPELINE_EVENT",
                                                         "CODEBUILD_BUILD_ID",
                                                         "PROW_JOB_ID",
                                                         "bamboo_planKey",
                                                         "BITRISE_IO",
                                                         "BUDDY_WORKSPACE_ID",
                                                         "CF_BUILD_ID",
                                                         "CM_BUILD_ID",
                                                         "SCREWDRIVER"};

/// If one of these is set, the run is in CI, on any service.
constexpr std::array<std::string_view, 12> kOfServices = {"CI",
                                                          "CONTINUOUS_INTEGRATION",
                                                          "CI_NAME",
                                                          "BUILD_NUMBER",
                                                          "TEAMCITY_VERSION",
                                                          "GO_PIPELINE_LABEL",
                                                          "HUDSON_URL",
                                                          "VELA",
                                                          "HARNESS_BUILD_ID",
                                                          "BUILDER_OUTPUT",
                                                          "TASKCLUSTER_ROOT_URL",
                                                          "AGOLA_GIT_REF"};

bool is_present(const Variables& variables, std::string_view name) {
  const std::string value = to_lower(value_at(variables, std::string(name)));
  return !value.empty() && value != "false" && value != "0" && value != "null";
}

bool matches(const Variables& variables, const Sign& sign) {
  if (!sign.of.empty() && !is_present(variables, sign.of)) return false;
  const std::string value = value_at(variables, std::string(sign.variable));
  switch (sign.compare) {
    case Compare::present:
      return is_present(variables, sign.variable);
    case Compare::is:
      return value == sign.value;
    case Compare::begins:
      return value.starts_with(sign.value);
  }
  return false;
}

bool is_pushed_tag_of_github(const Variables& variables) {
  return value_at(variables, "GITHUB_EVENT_NAME") == "push" &&
         value_at(variables, "GITHUB_REF_TYPE") == "tag";
}

}  // namespace

CiEvent event_of(const Variables& environment) {
  const auto is_match = [&](const Sign& sign) { return matches(environment, sign); };
  const auto present = [&](std::string_view name) { return is_present(environment, name); };
  if (std::ranges::any_of(kOfPullRequests, is_match)) return CiEvent::pull_request;
  if (is_pushed_tag_of_github(environment) || std::ranges::any_of(kOfReleases, is_match)) {
    return CiEvent::release;
  }
  if (std::ranges::any_of(kReporting, present)) return CiEvent::other;
  return std::ranges::any_of(kOfServices, present) ? CiEvent::unknown : CiEvent::other;
}

}  // namespace pinwheel::store
