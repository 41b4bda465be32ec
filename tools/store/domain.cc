#include "store/domain.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace pinwheel::store {
namespace {

constexpr std::array kDomains = {Domain::pull_request, Domain::branch, Domain::release};

using Variables = std::map<std::string, std::string>;

bool is_pull_request(const Variables& variables) {
  // A number or a URL where there is a request, nothing or "false" where there is none.
  for (const char* name : {"CI_MERGE_REQUEST_IID", "BUILDKITE_PULL_REQUEST", "CIRCLE_PULL_REQUEST",
                           "CHANGE_ID", "TRAVIS_PULL_REQUEST"}) {
    const std::string value = value_at(variables, name);
    if (!value.empty() && value != "false") return true;
  }
  // Also `pull_request_target` and reviews, which run with the rights of the base.
  return value_at(variables, "GITHUB_EVENT_NAME").starts_with("pull_request") ||
         value_at(variables, "CI_PIPELINE_SOURCE") == "merge_request_event" ||
         value_at(variables, "BUILD_REASON") == "PullRequest";
}

bool is_release(const Variables& variables) {
  if (value_at(variables, "GITHUB_EVENT_NAME") == "release") return true;
  const bool tag_pushed = value_at(variables, "GITHUB_EVENT_NAME") == "push" &&
                          value_at(variables, "GITHUB_REF_TYPE") == "tag";
  return tag_pushed || !value_at(variables, "CI_COMMIT_TAG").empty();
}

Domain domain_of(CiEvent event) {
  switch (event) {
    case CiEvent::pull_request:
      return Domain::pull_request;
    case CiEvent::release:
      return Domain::release;
    case CiEvent::other:
      break;
  }
  return Domain::branch;
}

}  // namespace

std::string_view to_string(Domain domain) {
  switch (domain) {
    case Domain::pull_request:
      return "pull-request";
    case Domain::branch:
      return "branch";
    case Domain::release:
      return "release";
  }
  return {};
}

std::optional<Domain> parse_domain(std::string_view name) {
  for (const Domain domain : kDomains) {
    if (to_string(domain) == name) return domain;
  }
  return std::nullopt;
}

bool may_read(Domain own, Domain written) {
  return written >= own;
}

std::vector<Domain> readable_from(Domain own) {
  std::vector<Domain> out;
  for (const Domain domain : kDomains) {
    if (may_read(own, domain)) out.push_back(domain);
  }
  return out;
}

CiEvent event_of(const Variables& environment) {
  if (is_pull_request(environment)) return CiEvent::pull_request;
  return is_release(environment) ? CiEvent::release : CiEvent::other;
}

Result<Domain> choose_domain(std::string_view asked, const Variables& environment) {
  const CiEvent event = event_of(environment);
  const std::string variable = value_at(environment, "PINWHEEL_STORE_DOMAIN");
  const bool given = !asked.empty();
  const std::string name = given ? std::string(asked) : variable;
  if (name.empty()) return domain_of(event);
  const std::string source = given ? "--store-domain" : "PINWHEEL_STORE_DOMAIN";
  const std::optional<Domain> domain = parse_domain(name);
  if (!domain) {
    return fail(ErrorKind::usage, fmt::format("{}: {} is not a domain", source, quoted(name)),
                suggest(name, {"pull-request", "branch", "release"}));
  }
  if (event == CiEvent::pull_request && *domain != Domain::pull_request) {
    return fail(
        ErrorKind::usage,
        fmt::format("{}: {} is not allowed in the event of a pull request", source, quoted(name)),
        "a pull request reads and writes `pull-request` and what is above it; leave the "
        "domain out");
  }
  return *domain;
}

}  // namespace pinwheel::store
