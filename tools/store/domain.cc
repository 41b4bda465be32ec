#include "store/domain.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace pinwheel::store {
namespace {

constexpr std::array kDomains = {Domain::pull_request, Domain::branch, Domain::release};

using Variables = std::map<std::string, std::string>;

Domain domain_of(CiEvent event) {
  switch (event) {
    case CiEvent::pull_request:
    // It reads as a pull request does, because one may have started it.
    case CiEvent::unknown:
      return Domain::pull_request;
    case CiEvent::release:
      return Domain::release;
    case CiEvent::other:
      break;
  }
  return Domain::branch;
}

std::string named_domain(std::string_view asked, const Variables& environment) {
  if (!asked.empty()) return std::string(asked);
  const std::string variable = value_at(environment, "PINWHEEL_STORE_DOMAIN");
  return variable.empty() ? value_at(environment, "PINWHEEL_DOMAIN") : variable;
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

bool may_store(std::string_view asked, const Variables& environment) {
  return event_of(environment) != CiEvent::unknown || !named_domain(asked, environment).empty();
}

Result<Domain> choose_domain(std::string_view asked, const Variables& environment) {
  const CiEvent event = event_of(environment);
  const std::string name = named_domain(asked, environment);
  if (name.empty()) return domain_of(event);
  std::string source = "--store-domain";
  if (asked.empty()) {
    const bool whole = !value_at(environment, "PINWHEEL_STORE_DOMAIN").empty();
    source = whole ? "PINWHEEL_STORE_DOMAIN" : "PINWHEEL_DOMAIN";
  }
  const std::optional<Domain> domain = parse_domain(name);
  if (!domain) {
    return fail(ErrorKind::usage, fmt::format("{}: {} is not a domain", source, quoted(name)),
                suggest(name, {"pull-request", "branch", "release"}));
  }
  if (event == CiEvent::pull_request && *domain != Domain::pull_request) {
    return fail(
        ErrorKind::usage,
        fmt::format("{}: {} is not allowed in the event of a pull request", source, quoted(name)),
        "a pull request reads `pull-request` and the domains above it, and writes `pull-request`; "
        "omit the domain");
  }
  return *domain;
}

}  // namespace pinwheel::store
