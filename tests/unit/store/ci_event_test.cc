#include "store/ci_event.h"

#include "unit/catch.h"

namespace pinwheel::store {
namespace {

using Variables = std::map<std::string, std::string>;

/// The variables of a service: always set, added for a pull request, and for a tag.
struct Service {
  const char* name;
  Variables always;
  std::vector<Variables> pull_requests;
  std::vector<Variables> tags = {};
};

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

const std::vector<Service>& services() {
  static const std::vector<Service> kServices = {
      {"GitHub",
       {{"CI", "true"}, {"GITHUB_ACTIONS", "true"}, {"GITHUB_EVENT_NAME", "push"}},
       {{{"GITHUB_EVENT_NAME", "pull_request"}}, {{"GITHUB_EVENT_NAME", "pull_request_target"}}},
       {{{"GITHUB_REF_TYPE", "tag"}}, {{"GITHUB_EVENT_NAME", "release"}}}},
      {"GitLab",
       {{"CI", "true"}, {"GITLAB_CI", "true"}, {"CI_PIPELINE_SOURCE", "push"}},
       {{{"CI_PIPELINE_SOURCE", "merge_request_event"}},
        {{"CI_MERGE_REQUEST_IID", "7"}},
        {{"CI_PIPELINE_SOURCE", "external_pull_request_event"}}},
       {{{"CI_COMMIT_TAG", "v1.0"}}}},
      {"Azure",
       {{"TF_BUILD", "True"}, {"BUILD_REASON", "IndividualCI"}},
       {{{"BUILD_REASON", "PullRequest"}},
        {{"SYSTEM_PULLREQUEST_PULLREQUESTID", "7"}},
        {{"BUILD_SOURCEBRANCH", "refs/pull/7/merge"}}},
       {{{"BUILD_SOURCEBRANCH", "refs/tags/v1.0"}}}},
      {"Buildkite",
       {{"CI", "true"}, {"BUILDKITE", "true"}, {"BUILDKITE_PULL_REQUEST", "false"}},
       {{{"BUILDKITE_PULL_REQUEST", "7"}}},
       {{{"BUILDKITE_TAG", "v1.0"}}}},
      {"CircleCI",
       {{"CI", "true"}, {"CIRCLECI", "true"}},
       {{{"CIRCLE_PULL_REQUEST", "https://example.org/pull/7"}}, {{"CIRCLE_PR_NUMBER", "7"}}},
       {{{"CIRCLE_TAG", "v1.0"}}}},
      {"Jenkins",
       {{"JENKINS_URL", "https://example.org"}, {"BUILD_NUMBER", "3"}},
       {{{"CHANGE_ID", "7"}},
        {{"ghprbPullId", "7"}},
        {{"gitlabMergeRequestIid", "7"}},
        {{"BITBUCKET_PULL_REQUEST_ID", "7"}},
        {{"GERRIT_CHANGE_NUMBER", "7"}}},
       {{{"TAG_NAME", "v1.0"}}}},
      {"Travis",
       {{"CI", "true"}, {"TRAVIS", "true"}, {"TRAVIS_PULL_REQUEST", "false"}},
       {{{"TRAVIS_PULL_REQUEST", "7"}}},
       {{{"TRAVIS_TAG", "v1.0"}}}},
      {"Drone",
       {{"CI", "true"}, {"DRONE", "true"}, {"DRONE_BUILD_EVENT", "push"}},
       {{{"DRONE_BUILD_EVENT", "pull_request"}}, {{"DRONE_PULL_REQUEST", "7"}}},
       {{{"DRONE_TAG", "v1.0"}}}},
      {"AppVeyor",
       {{"CI", "True"}, {"APPVEYOR", "True"}, {"APPVEYOR_REPO_TAG", "false"}},
       {{{"APPVEYOR_PULL_REQUEST_NUMBER", "7"}}},
       {{{"APPVEYOR_REPO_TAG", "true"}}}},
      {"Bitbucket",
       {{"CI", "true"}, {"BITBUCKET_COMMIT", "abc"}},
       {{{"BITBUCKET_PR_ID", "7"}}},
       {{{"BITBUCKET_TAG", "v1.0"}}}},
      {"Cirrus",
       {{"CI", "true"}, {"CIRRUS_CI", "true"}},
       {{{"CIRRUS_PR", "7"}}},
       {{{"CIRRUS_TAG", "v1.0"}}}},
      {"Semaphore",
       {{"CI", "true"}, {"SEMAPHORE", "true"}, {"SEMAPHORE_GIT_REF_TYPE", "branch"}},
       {{{"SEMAPHORE_GIT_REF_TYPE", "pull-request"}},
        {{"SEMAPHORE_GIT_PR_NUMBER", "7"}},
        {{"PULL_REQUEST_NUMBER", "7"}}},
       {{{"SEMAPHORE_GIT_TAG_NAME", "v1.0"}}}},
      {"Woodpecker",
       {{"CI", "woodpecker"}, {"CI_PIPELINE_EVENT", "push"}},
       {{{"CI_PIPELINE_EVENT", "pull_request"}},
        {{"CI_PIPELINE_EVENT", "pull_request_closed"}},
        {{"CI_COMMIT_PULL_REQUEST", "7"}}},
       {{{"CI_COMMIT_TAG", "v1.0"}}}},
      {"CodeBuild",
       {{"CODEBUILD_BUILD_ID", "demo:1"}, {"CODEBUILD_WEBHOOK_EVENT", "PUSH"}},
       {{{"CODEBUILD_WEBHOOK_EVENT", "PULL_REQUEST_UPDATED"}},
        {{"CODEBUILD_WEBHOOK_TRIGGER", "pr/7"}},
        {{"CODEBUILD_SOURCE_VERSION", "pr/7"}},
        {{"CODEBUILD_SOURCE_VERSION", "refs/pull/7/head"}}},
       {{{"CODEBUILD_WEBHOOK_TRIGGER", "tag/v1.0"}}}},
      {"Prow",
       {{"CI", "true"}, {"PROW_JOB_ID", "abc"}, {"JOB_TYPE", "postsubmit"}},
       {{{"JOB_TYPE", "presubmit"}}, {{"JOB_TYPE", "batch"}}, {{"PULL_NUMBER", "7"}}}},
      {"Bamboo", {{"bamboo_planKey", "A-B"}}, {{{"bamboo_repository_pr_key", "7"}}}},
      {"Bitrise",
       {{"CI", "true"}, {"BITRISE_IO", "true"}},
       {{{"BITRISE_PULL_REQUEST", "7"}}},
       {{{"BITRISE_GIT_TAG", "v1.0"}}}},
      {"Buddy",
       {{"BUDDY_WORKSPACE_ID", "1"}},
       {{{"BUDDY_EXECUTION_PULL_REQUEST_ID", "pull/7"}}},
       {{{"BUDDY_EXECUTION_TAG", "v1.0"}}}},
      {"Codefresh", {{"CF_BUILD_ID", "1"}}, {{{"CF_PULL_REQUEST_NUMBER", "7"}}}},
      {"Codemagic",
       {{"CI", "true"}, {"CM_BUILD_ID", "1"}, {"CM_PULL_REQUEST", "false"}},
       {{{"CM_PULL_REQUEST", "true"}}},
       {{{"CM_TAG", "v1.0"}}}},
      {"Screwdriver", {{"CI", "true"}, {"SCREWDRIVER", "true"}}, {{{"SD_PULL_REQUEST", "7"}}}},
  };
  return kServices;
}

}  // namespace

TEST_CASE("each CI service is understood by its own variables", "[store]") {
  for (const Service& service : services()) {
    INFO(service.name);
    CHECK(event_of(service.always) == CiEvent::other);
    for (const Variables& request : service.pull_requests) {
      CHECK(event_of(with(service.always, request)) == CiEvent::pull_request);
      for (const Variables& tag : service.tags) {
        if (tag.begin()->first == request.begin()->first) continue;
        CHECK(event_of(with(with(service.always, request), tag)) == CiEvent::pull_request);
      }
    }
    for (const Variables& tag : service.tags) {
      CHECK(event_of(with(service.always, tag)) == CiEvent::release);
    }
  }
}

TEST_CASE("a service that does not tell is unknown, and no service is none", "[store]") {
  CHECK(event_of({}) == CiEvent::other);
  CHECK(event_of({{"CI", "false"}}) == CiEvent::other);
  CHECK(event_of({{"CI", "true"}}) == CiEvent::unknown);
  CHECK(event_of({{"CI", "1"}, {"BUILD_ID", "7"}}) == CiEvent::unknown);
  CHECK(event_of({{"TEAMCITY_VERSION", "2024.12"}, {"BUILD_NUMBER", "7"}}) == CiEvent::unknown);
  CHECK(event_of({{"GO_PIPELINE_LABEL", "7"}}) == CiEvent::unknown);
}

TEST_CASE("names that several services use count only where theirs is there", "[store]") {
  CHECK(event_of({{"PULL_REQUEST_NUMBER", "7"}}) == CiEvent::other);
  CHECK(event_of({{"JOB_TYPE", "presubmit"}, {"PULL_NUMBER", "7"}}) == CiEvent::other);
  CHECK(event_of({{"TAG_NAME", "v1.0"}}) == CiEvent::other);
}

}  // namespace pinwheel::store
