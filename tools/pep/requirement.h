#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pep/specifier.h"

namespace pinwheel::pep {

/// A dependency (PEP 508): `name[extras] specifiers ; marker` or `name[extras] @ url ; marker`.
struct Requirement {
  std::string name;                 ///< as written
  std::vector<std::string> extras;  ///< as written, in order
  SpecifierSet specifiers;
  std::string url;     ///< empty when there is none
  std::string marker;  ///< text after the `;`, empty when there is none; see `evaluate_marker`
};

/// Parses a requirement; specifiers may be in parentheses. `config` when it or its marker is
/// malformed.
Result<Requirement> parse_requirement(std::string_view text);

/// As METADATA writes it: `torch[opt]>=2.10,<3; python_version < "3.14"`.
std::string to_string(const Requirement& requirement);

}  // namespace pinwheel::pep
