#include "cli/matrix_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "matrix/settings.h"
#include "matrix/variant_index.h"
#include "prepare/read_scope.h"

namespace pinwheel::cli {
namespace {

/// The first variant in the wheel's record that is in the matrix.
Result<std::string> served_variant(const prepare::Loaded& loaded,
                                   const inspect::WheelFacts& facts) {
  const std::vector<std::string>& served = facts.claim.variants;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    if (std::find(served.begin(), served.end(), variant.id) != served.end()) return variant.id;
  }
  return fail(ErrorKind::usage,
              served.empty()
                  ? fmt::format("{} has no record of the variants of {} that it serves",
                                quoted(facts.file_name), quoted(loaded.matrix.file))
                  : fmt::format("{} serves {}, which is not in {}", quoted(facts.file_name),
                                quoted(served.front()), quoted(loaded.matrix.file)),
              "pass one with `--variant`; `pinwheel plan --format ids` lists them");
}

}  // namespace

Result<MatrixPolicy> matrix_policy(const prepare::Loaded& loaded, const std::string& id,
                                   const inspect::WheelFacts& facts) {
  std::string wanted = id;
  if (wanted.empty()) {
    TRY(wanted, served_variant(loaded, facts));
  }
  TRY(const plan::Outline outline, prepare::outline_of(loaded, wanted));
  // The representative of the class, as for `build`.
  const std::string& representative = outline.builds.front().cls.representative;
  const matrix::VariantIndex variants(loaded.expansion.variants);
  TRY(const matrix::Variant* const variant, variants.find(representative));
  TRY(const matrix::Settings settings, matrix::settings_for(loaded.matrix, *variant));
  MatrixPolicy policy;
  TRY(policy.wheel, compat::wheel_policy(settings, variant->get("compute")));
  policy.torch = compat::declared_torch(loaded.matrix.abi, variant->get("torch"));
  return policy;
}

}  // namespace pinwheel::cli
