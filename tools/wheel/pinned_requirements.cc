#include "wheel/pinned_requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "pep/specifier.h"
#include "pep/version.h"

namespace pinwheel::wheel {
namespace {

Error not_exact(const std::string& text) {
  return Error{ErrorKind::usage, fmt::format("{} is not an exact requirement", quoted(text))}
      .with_hint("write `NAME==VERSION`, such as `my-core==1.2.0`");
}

/// `NAME==VERSION`, without extras, marker or wildcard.
Result<pep::Requirement> exact_pin(const std::string& text) {
  Result<pep::Requirement> parsed = pep::parse_requirement(text);
  const bool exact = parsed && parsed->specifiers.size() == 1 && parsed->extras.empty() &&
                     parsed->marker.empty() && parsed->url.empty() &&
                     parsed->specifiers.front().comparison == pep::Comparison::equal &&
                     !parsed->specifiers.front().wildcard;
  if (exact) return parsed;
  return fail(not_exact(text));
}

/// A pin, and the project that METADATA names.
struct ParsedPin {
  std::string project;  ///< normalized
  pep::Requirement exact;
};

Result<std::vector<ParsedPin>> parsed_pins(const Pins& pins) {
  std::vector<ParsedPin> out;
  for (const auto& [project, text] : pins) {
    TRY(pep::Requirement exact, exact_pin(text));
    out.push_back({pep::normalize_name(project), std::move(exact)});
  }
  return out;
}

/// The pin of a project; the name in METADATA takes precedence over that on the index.
const ParsedPin* pin_of(const std::vector<ParsedPin>& pins, const std::string& project) {
  const auto named = std::ranges::find(pins, project, &ParsedPin::project);
  if (named != pins.end()) return &*named;
  const auto renamed = std::ranges::find_if(pins, [&project](const ParsedPin& pin) {
    return pep::normalize_name(pin.exact.name) == project;
  });
  return renamed == pins.end() ? nullptr : &*renamed;
}

/// Whether the clauses admit the pinned version. One build has several names, so its METADATA may
/// state the local version of another target.
bool admits(pep::SpecifierSet clauses, const pep::Version& pinned) {
  if (pinned.local.empty()) {
    for (pep::Specifier& clause : clauses) clause.version = pep::public_part(clause.version);
  }
  return pep::satisfies(pinned, clauses);
}

/// The requirement on a pinned project with the exact version.
Result<std::string> pinned_line(const std::string& line, const ParsedPin& pin) {
  Result<pep::Requirement> parsed = pep::parse_requirement(line);
  if (!parsed) {
    return fail(Error{ErrorKind::check, fmt::format("METADATA has the malformed requirement {}, "
                                                    "which cannot be pinned",
                                                    quoted(line))}
                    .with_cause(parsed.error()));
  }
  pep::Requirement requirement = *std::move(parsed);
  const pep::Version& version = pin.exact.specifiers.front().version;
  if (!admits(requirement.specifiers, version)) {
    return fail(ErrorKind::check,
                fmt::format("METADATA requires {}, which excludes the pinned {}", quoted(line),
                            quoted(pep::to_string(pin.exact))),
                "correct the requirement in the project's files");
  }
  requirement.name = pin.exact.name;
  requirement.specifiers = pin.exact.specifiers;
  requirement.url.clear();
  return pep::to_string(requirement);
}

}  // namespace

Result<Pins> parse_pins(const std::vector<std::string>& texts) {
  Pins pins;
  for (const std::string& text : texts) {
    const size_t sign = text.find('=');
    const bool renames =
        sign != std::string::npos && sign + 1 < text.size() && text[sign + 1] != '=';
    const std::string exact = renames ? text.substr(sign + 1) : text;
    const Result<pep::Requirement> parsed = exact_pin(exact);
    const std::string project = renames ? text.substr(0, sign) : parsed ? parsed->name : "";
    if (!parsed || !pep::is_valid_name(project)) return fail(not_exact(text));
    const auto [known, fresh] = pins.try_emplace(pep::normalize_name(project), exact);
    if (fresh || known->second == exact) continue;
    return fail(ErrorKind::usage,
                fmt::format("{} is pinned to {} and to {}", quoted(known->first),
                            quoted(known->second), quoted(exact)),
                "a wheel requires one version of a project");
  }
  return pins;
}

std::vector<std::string> to_texts(const Pins& pins) {
  std::vector<std::string> texts;
  for (const auto& [project, exact] : pins) {
    const bool renames = requirement_project(exact) != pep::normalize_name(project);
    texts.push_back(renames ? fmt::format("{}={}", project, exact) : exact);
  }
  return texts;
}

Result<PinnedRequirements> pinned_requirements(const std::vector<std::string>& requirements,
                                               const Pins& pins) {
  TRY(const std::vector<ParsedPin> parsed, parsed_pins(pins));
  PinnedRequirements out;
  std::set<std::string> named;
  for (const std::string& line : requirements) {
    const ParsedPin* const pin = pin_of(parsed, requirement_project(line));
    if (pin == nullptr) continue;
    named.insert(pin->project);
    TRY(std::string exact, pinned_line(line, *pin));
    if (exact != line) out.changed[line] = std::move(exact);
  }
  for (const ParsedPin& pin : parsed) {
    if (!named.contains(pin.project)) out.added.push_back(pep::to_string(pin.exact));
  }
  return out;
}

Done pin_requirements(Metadata& metadata, const Pins& pins) {
  TRY(const PinnedRequirements pinned, pinned_requirements(metadata.requires_dist(), pins));
  std::set<std::string> written;
  for (const auto& [before, after] : pinned.changed) written.insert(after);
  std::set<std::string> there;
  std::vector<Header> headers;
  std::optional<size_t> place;
  for (Header& header : metadata.block.headers) {
    if (to_lower(header.name) == "requires-dist") {
      const auto changed = pinned.changed.find(header.value);
      if (changed != pinned.changed.end()) header.value = changed->second;
      const bool repeated = written.contains(header.value) && !there.insert(header.value).second;
      if (repeated) continue;
      place = headers.size() + 1;
    }
    headers.push_back(std::move(header));
  }
  size_t next = place.value_or(headers.size());
  for (const std::string& line : pinned.added) {
    headers.insert(headers.begin() + static_cast<std::ptrdiff_t>(next++), {"Requires-Dist", line});
  }
  metadata.block.headers = std::move(headers);
  return {};
}

std::vector<std::string> unpinned_requirements(const std::vector<std::string>& requirements,
                                               const Pins& pins) {
  std::set<std::string> pinned;
  for (const auto& [project, exact] : pins) {
    pinned.insert(pep::normalize_name(project));
    pinned.insert(requirement_project(exact));
  }
  std::vector<std::string> others;
  for (const std::string& line : requirements) {
    if (is_of_extra(line) || pinned.contains(requirement_project(line))) continue;
    others.push_back(line);
  }
  return others;
}

}  // namespace pinwheel::wheel
