#include "pep/license.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace pinwheel::pep {
namespace {

/// The next word, in lower case: an id, an operator or a parenthesis; empty at the end.
std::string next_word(std::string_view& rest) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  size_t length = std::min(rest.find_first_of(" \t\r\n\f\v()"), rest.size());
  if (length == 0) length = std::min<size_t>(1, rest.size());
  std::string word = to_lower(rest.substr(0, length));
  rest.remove_prefix(length);
  return word;
}

bool is_among(std::span<const std::string_view> ids, std::string_view id) {
  return std::binary_search(ids.begin(), ids.end(), id);
}

tl::unexpected<Error> unknown_id(std::string_view what, const std::string& id,
                                 std::span<const std::string_view> known) {
  const std::vector<std::string> ids(known.begin(), known.end());
  const auto near = nearest(id, ids);
  return fail(ErrorKind::check, fmt::format("SPDX has no {} {}", what, quoted(id)),
              near ? fmt::format("did you mean {}?", quoted(*near))
                   : "use an id of https://spdx.org/licenses, or `LicenseRef-...`");
}

bool is_license_ref(std::string_view id) {
  constexpr std::string_view kPrefix = "licenseref-";
  return id.starts_with(kPrefix) && std::all_of(id.begin(), id.end(), [](char c) {
           return is_alphanumeric(c) || c == '.' || c == '-';
         });
}

Done check_id(std::string_view id) {
  if (id.ends_with('+')) id.remove_suffix(1);
  if (is_license_ref(id) || is_among(spdx_licenses(), id)) return {};
  return unknown_id("license", std::string(id), spdx_licenses());
}

bool is_operator(std::string_view word) {
  return word == "and" || word == "or" || word == "with";
}

tl::unexpected<Error> no_expression(std::string_view text) {
  return fail(ErrorKind::check, fmt::format("{} is not a license expression", quoted(text)),
              "write it like `MIT`, `Apache-2.0 OR MIT` or `GPL-3.0-only WITH ...`");
}

}  // namespace

Done check_license_expression(std::string_view text) {
  std::string_view rest = text;
  size_t open = 0;
  bool after_operand = false;
  std::string before;
  std::vector<std::string> ids;
  std::vector<std::string> exceptions;
  for (std::string word = next_word(rest); !word.empty(); word = next_word(rest)) {
    if (word == ")" || is_operator(word)) {
      if (!after_operand || (word == ")" && open == 0)) return no_expression(text);
      open -= word == ")" ? 1 : 0;
      after_operand = word == ")";
    } else if (after_operand) {
      return no_expression(text);
    } else if (word == "(") {
      ++open;
    } else {
      (before == "with" ? exceptions : ids).push_back(word);
      after_operand = true;
    }
    before = word;
  }
  if (!after_operand || open > 0) return no_expression(text);
  for (const std::string& id : ids) TRY_DONE(check_id(id));
  for (const std::string& id : exceptions) {
    if (!is_among(spdx_exceptions(), id)) return unknown_id("exception", id, spdx_exceptions());
  }
  return {};
}

}  // namespace pinwheel::pep
