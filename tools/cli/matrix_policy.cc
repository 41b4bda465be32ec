#include "cli/matrix_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/one_variant.h"
#include "matrix/settings.h"
#include "plan/environments.h"

namespace pinwheel::cli {
namespace {

/// The first of the variants that the wheel says it serves and the matrix has.
Result<std::string> served_variant(const Loaded& loaded, const inspect::WheelFacts& facts) {
  const std::vector<std::string>& served = facts.claim.variants;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    if (std::find(served.begin(), served.end(), variant.id) != served.end()) return variant.id;
  }
  return fail(ErrorKind::usage,
              served.empty() ? fmt::format("`{}` does not say which variants of `{}` it serves",
                                           facts.file_name, loaded.matrix.file)
                             : fmt::format("`{}` serves `{}`, which `{}` has not", facts.file_name,
                                           served.front(), loaded.matrix.file),
              "name one with `--variant`; `pinwheel plan --format ids` lists them");
}

}  // namespace

Result<MatrixPolicy> matrix_policy(const Loaded& loaded, const std::string& id,
                                   const inspect::WheelFacts& facts) {
  std::string wanted = id;
  if (wanted.empty()) {
    TRY(wanted, served_variant(loaded, facts));
  }
  TRY(const plan::Outline outline, outline_of(loaded, wanted));
  // As `build` does, the variant that stands for its class.
  const std::string& representative = outline.builds.front().cls.representative;
  TRY(const matrix::Variant* const variant, plan::find_variant(loaded.expansion, representative));
  TRY(const matrix::Settings settings, matrix::settings_for(loaded.matrix, *variant));
  MatrixPolicy policy;
  TRY(policy.wheel, compat::wheel_policy(settings));
  policy.torch = compat::declared_torch(loaded.matrix.abi, variant->get("torch"));
  return policy;
}

}  // namespace pinwheel::cli
