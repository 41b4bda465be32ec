#include "pep/requirement.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "pep/marker.h"
#include "pep/name.h"

namespace pinwheel::pep {
namespace {

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-' || c == '_';
}

tl::unexpected<Error> malformed(std::string_view text) {
  return fail(ErrorKind::config, quoted(text) + " is not a requirement",
              "use the syntax of PEP 508, e.g. torch>=2.10");
}

std::string_view take_name(std::string_view& rest) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_character);
  const std::string_view name = rest.substr(0, static_cast<size_t>(end - rest.begin()));
  rest = trim(rest.substr(name.size()));
  return name;
}

/// "[a, b]" from the front; false when it is malformed.
bool take_extras(std::string_view& rest, std::vector<std::string>& extras) {
  if (!rest.starts_with('[')) return true;
  const size_t end = rest.find(']');
  if (end == std::string_view::npos) return false;
  const std::string_view inside = trim(rest.substr(1, end - 1));
  rest = trim(rest.substr(end + 1));
  if (inside.empty()) return true;
  for (const std::string& part : split(inside, ',')) {
    extras.emplace_back(trim(part));
    if (!is_valid_name(extras.back())) return false;
  }
  return true;
}

/// The marker of a URL follows white space, because a URL may contain `;`.
std::pair<std::string_view, std::string_view> split_url(std::string_view rest) {
  const size_t space = rest.find_first_of(" \t");
  if (space == std::string_view::npos) return {rest, {}};
  return {rest.substr(0, space), trim(rest.substr(space))};
}

}  // namespace

Result<Requirement> parse_requirement(std::string_view text) {
  std::string_view rest = trim(text);
  Requirement requirement;
  requirement.name = take_name(rest);
  if (!is_valid_name(requirement.name) || !take_extras(rest, requirement.extras)) {
    return malformed(text);
  }
  std::string_view marker;
  if (rest.starts_with('@')) {
    const auto [url, after] = split_url(trim(rest.substr(1)));
    if (url.empty() || (!after.empty() && !after.starts_with(';'))) return malformed(text);
    requirement.url = url;
    marker = after;
  } else {
    const size_t semicolon = std::min(rest.find(';'), rest.size());
    std::string_view clauses = trim(rest.substr(0, semicolon));
    marker = rest.substr(semicolon);
    const bool opens = clauses.starts_with('(');
    if (opens != clauses.ends_with(')')) return malformed(text);
    if (opens) clauses = clauses.substr(1, clauses.size() - 2);
    Result<SpecifierSet> specifiers = parse_specifiers(clauses);
    if (!specifiers) return malformed(text);
    requirement.specifiers = *std::move(specifiers);
  }
  if (marker.empty()) return requirement;
  requirement.marker = trim(marker.substr(1));
  TRY([[maybe_unused]] const bool any, evaluate_marker(requirement.marker, {}));
  return requirement;
}

std::string to_string(const Requirement& requirement) {
  std::string text = requirement.name;
  if (!requirement.extras.empty()) text += "[" + join(requirement.extras, ",") + "]";
  if (!requirement.url.empty()) text += " @ " + requirement.url;
  text += to_string(requirement.specifiers);
  if (requirement.marker.empty()) return text;
  return text + (requirement.url.empty() ? "; " : " ; ") + requirement.marker;
}

}  // namespace pinwheel::pep
