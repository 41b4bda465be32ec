#include "plan/outline.h"

#include <fmt/format.h>

#include <unordered_set>

#include "base/text.h"
#include "plan/step_id.h"

namespace pinwheel::plan {

Outline make_outline(const std::vector<matrix::AbiClass>& classes,
                     const std::vector<matrix::Variant>& selected) {
  std::unordered_set<std::string_view> wanted;
  for (const matrix::Variant& variant : selected) wanted.insert(variant.id);
  Outline outline{selected, {}};
  for (const matrix::AbiClass& cls : classes) {
    BuildGroup group{cls, {}};
    for (const std::string& member : cls.members) {
      if (wanted.contains(member)) group.tests.push_back(member);
    }
    if (!group.tests.empty()) outline.builds.push_back(std::move(group));
  }
  return outline;
}

std::unordered_map<std::string, std::string> builds_by_variant(const Outline& outline) {
  std::unordered_map<std::string, std::string> build_of;
  for (const BuildGroup& group : outline.builds) {
    for (const std::string& test : group.tests) build_of[test] = build_id(group.cls.id);
  }
  return build_of;
}

std::string summary_line(const Outline& outline) {
  return fmt::format("{}, {}, {}", plural(outline.variants.size(), "variant"),
                     plural(outline.builds.size(), "build"),
                     plural(outline.variants.size(), "test"));
}

}  // namespace pinwheel::plan
