#include "prepare/frozen_outline.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "matrix/status_name.h"

namespace pinwheel::prepare {
namespace {

using Ids = std::unordered_set<std::string_view>;

/// A plan promises all of its variants: without one of them it is not the same release.
Done check_has_all(const Loaded& loaded, const plan::FrozenPlan& frozen) {
  Ids known;
  for (const matrix::Variant& variant : loaded.expansion.variants) known.insert(variant.id);
  for (const std::string& id : frozen.variants) {
    if (known.contains(id)) continue;
    return fail(ErrorKind::drift,
                fmt::format("the plan has the variant {}, which {} lacks", quoted(id),
                            quoted(loaded.matrix.file)),
                "check out the commit of the plan, or freeze a new one");
  }
  return {};
}

std::vector<matrix::Variant> variants_of_plan(const std::vector<matrix::Variant>& selected,
                                              const plan::FrozenPlan& frozen) {
  const Ids ids(frozen.variants.begin(), frozen.variants.end());
  std::vector<matrix::Variant> kept;
  for (const matrix::Variant& variant : selected) {
    if (ids.contains(variant.id)) kept.push_back(variant);
  }
  return kept;
}

}  // namespace

Result<plan::Outline> frozen_outline(const Loaded& loaded, const SelectionOptions& selection,
                                     const std::vector<std::string>& globs,
                                     const plan::FrozenPlan& frozen) {
  TRY_DONE(check_has_all(loaded, frozen));
  SelectionOptions wide = selection;
  if (wide.status.empty()) wide.status = matrix::status_names();
  // A shard is one of the plan, not of the matrix.
  wide.shard.clear();
  TRY(const plan::Outline selected, select_outline(loaded, wide, globs, ""));
  std::vector<matrix::Variant> kept = variants_of_plan(selected.variants, frozen);
  if (kept.empty() && !frozen.variants.empty() && !selection.allow_empty) {
    return fail(ErrorKind::nothing_selected, "no variant is selected: the plan has none of them",
                "`pinwheel plan --plan FILE --format ids` lists the variants of a plan");
  }
  return shard_of(plan::make_outline(loaded.classes, kept), selection);
}

}  // namespace pinwheel::prepare
