#include "prepare/built_variants.h"

#include "matrix/variant_index.h"

namespace pinwheel::prepare {

Result<std::vector<const matrix::Variant*>> built_variants(const Loaded& loaded,
                                                           const plan::Outline& outline) {
  const matrix::VariantIndex variants(loaded.expansion.variants);
  std::vector<const matrix::Variant*> built;
  built.reserve(outline.builds.size());
  for (const plan::BuildGroup& group : outline.builds) {
    TRY(const matrix::Variant* const variant, variants.find(group.cls.representative));
    built.push_back(variant);
  }
  return built;
}

}  // namespace pinwheel::prepare
