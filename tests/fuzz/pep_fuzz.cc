#include <string>

#include "fuzz/fuzz.h"
#include "pep/cpython_tag.h"
#include "pep/marker.h"
#include "pep/requirement.h"
#include "pep/specifier.h"
#include "pep/tag.h"
#include "pep/version.h"
#include "pep/wheel_name.h"

using namespace pinwheel;

namespace {

/// A parsed value is equal after writing and parsing it again.
template <class Parse>
void check_round(const Parse& parse, std::string_view text) {
  const auto value = parse(text);
  if (!value) return;
  const auto again = parse(to_string(*value));
  must(again.has_value());
  must(to_string(*again) == to_string(*value));
}

}  // namespace

// The names, versions and requirements of wheels and indexes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  check_round(pep::parse_version, text);
  check_round(pep::parse_specifiers, text);
  check_round(pep::parse_requirement, text);
  check_round(pep::parse_tags, text);
  check_round(pep::parse_wheel_name, text);
  check_round(pep::parse_sdist_name, text);
  check_round(pep::parse_linux_policy, text);
  static_cast<void>(pep::parse_cpython_tag(text));
  if (const auto build = pep::parse_build_number(text)) must(std::to_string(*build) == text);
  static_cast<void>(pep::evaluate_marker(text, {}));
  return 0;
}
