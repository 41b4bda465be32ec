#include "store/domain.h"

#include "unit/catch.h"

namespace pinwheel::store {
namespace {

using Variables = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("a run reads its own domain and those above, never below", "[store]") {
  CHECK(readable_from(Domain::release) == std::vector{Domain::release});
  CHECK(readable_from(Domain::branch) == std::vector{Domain::branch, Domain::release});
  CHECK(readable_from(Domain::pull_request) ==
        std::vector{Domain::pull_request, Domain::branch, Domain::release});
  CHECK_FALSE(may_read(Domain::release, Domain::branch));
  CHECK_FALSE(may_read(Domain::branch, Domain::pull_request));
}

TEST_CASE("the event of CI decides the domain", "[store]") {
  CHECK(choose_domain("", {}) == Domain::branch);
  CHECK(choose_domain("", {{"GITHUB_EVENT_NAME", "pull_request"}}) == Domain::pull_request);
  CHECK(choose_domain("", {{"GITHUB_EVENT_NAME", "pull_request_target"}}) == Domain::pull_request);
  CHECK(choose_domain("", {{"GITHUB_EVENT_NAME", "push"}, {"GITHUB_REF_TYPE", "branch"}}) ==
        Domain::branch);
  CHECK(choose_domain("", {{"GITHUB_EVENT_NAME", "push"}, {"GITHUB_REF_TYPE", "tag"}}) ==
        Domain::release);
  CHECK(choose_domain("", {{"GITHUB_EVENT_NAME", "release"}}) == Domain::release);
  CHECK(choose_domain("", {{"CI_PIPELINE_SOURCE", "merge_request_event"}}) == Domain::pull_request);
  CHECK(choose_domain("", {{"CI_COMMIT_TAG", "v1.0"}}) == Domain::release);
  CHECK(choose_domain("", {{"BUILDKITE_PULL_REQUEST", "false"}}) == Domain::branch);
  CHECK(choose_domain("", {{"BUILDKITE_PULL_REQUEST", "17"}}) == Domain::pull_request);
}

TEST_CASE("a run of an unknown event keeps nothing unless its domain is named", "[store]") {
  const Variables unknown = {{"CI", "true"}};
  CHECK(choose_domain("", unknown) == Domain::pull_request);
  CHECK_FALSE(may_store("", unknown));
  CHECK(may_store("branch", unknown));
  CHECK(choose_domain("branch", unknown) == Domain::branch);
  for (const char* name : {"PINWHEEL_STORE_DOMAIN", "PINWHEEL_DOMAIN"}) {
    const Variables named = {{"CI", "true"}, {name, "release"}};
    CHECK(may_store("", named));
    CHECK(choose_domain("", named) == Domain::release);
  }
  CHECK(may_store("", {}));
  CHECK(may_store("", {{"CIRRUS_CI", "true"}, {"CIRRUS_PR", "7"}}));
}

TEST_CASE("the option wins over the variable", "[store]") {
  const Variables variable = {{"PINWHEEL_STORE_DOMAIN", "release"}};
  CHECK(choose_domain("", variable) == Domain::release);
  CHECK(choose_domain("branch", variable) == Domain::branch);
}

TEST_CASE("in the event of a pull request no other domain is accepted", "[store]") {
  const Variables event = {{"GITHUB_EVENT_NAME", "pull_request"}};
  CHECK(choose_domain("pull-request", event) == Domain::pull_request);
  const Result<Domain> option = choose_domain("release", event);
  REQUIRE_FALSE(option);
  CHECK(option.error().kind == ErrorKind::usage);
  CHECK(option.error().message ==
        "--store-domain: `release` is not allowed in the event of a pull request");
  Variables both = event;
  both["PINWHEEL_STORE_DOMAIN"] = "branch";
  REQUIRE_FALSE(choose_domain("", both));
  CHECK(choose_domain("", both).error().message.starts_with("PINWHEEL_STORE_DOMAIN: `branch`"));
}

TEST_CASE("an unknown domain is refused with the nearest", "[store]") {
  const Result<Domain> domain = choose_domain("realease", {});
  REQUIRE_FALSE(domain);
  CHECK(domain.error().message == "--store-domain: `realease` is not a domain");
  CHECK(domain.error().hint == "did you mean `release`?");
}

}  // namespace pinwheel::store
