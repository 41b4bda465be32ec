#include "cli/torch_range.h"

#include <fmt/format.h>

#include "base/text.h"
#include "pep/requirement.h"

namespace pinwheel::cli {

Result<pep::SpecifierSet> parse_torch_range(const std::string& option, const std::string& text) {
  const Result<pep::Requirement> requirement = pep::parse_requirement(text);
  if (requirement && requirement->name == "torch") return requirement->specifiers;
  Result<pep::SpecifierSet> clauses = pep::parse_specifiers(text);
  if (clauses) return clauses;
  return fail(ErrorKind::usage, fmt::format("{} cannot be {}", quoted(option), quoted(text)),
              "use a range of torch releases, `torch>=2.10,<2.14`");
}

}  // namespace pinwheel::cli
