#include "prepare/one_variant.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "plan/step_id.h"
#include "prepare/host.h"
#include "prepare/prepare_run.h"

namespace pinwheel::prepare {
namespace {

/// The variant of a step id; any other id is returned unchanged.
std::string meant_variant(const Loaded& loaded, const std::string& id) {
  for (const matrix::AbiClass& cls : loaded.classes) {
    if (id == plan::build_id(cls.id)) return cls.representative;
  }
  return plan::variant_of(id);
}

}  // namespace

Result<plan::Outline> outline_of(const Loaded& loaded, const std::string& id) {
  const std::string wanted = meant_variant(loaded, id);
  std::vector<std::string> ids;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    if (variant.id == wanted) return plan::make_outline(loaded.classes, {variant});
    ids.push_back(variant.id);
  }
  for (const matrix::AbiClass& cls : loaded.classes) ids.push_back(plan::build_id(cls.id));
  const std::string nearest = suggest(id, ids);
  return fail(ErrorKind::usage,
              fmt::format("{} has no variant or build {}", quoted(loaded.matrix.file), quoted(id)),
              nearest.empty() ? "`pinwheel plan --format ids` lists them" : nearest);
}

Result<PreparedRun> prepare_variant(const Host& host, const GlobalOptions& global,
                                    const OneVariantRequest& request, ports::Notices& notices) {
  TRY(const MatrixChoice choice, choose_matrix(host, request.arguments));
  if (choice.globs.size() != 1) {
    return fail(ErrorKind::usage, fmt::format("{} takes one id", quoted(request.command)),
                "`pinwheel plan --format ids` lists them");
  }
  TRY(const Loaded loaded, load_matrix(host.files, choice.path, notices, Warnings::tell));
  TRY(const plan::Outline outline, outline_of(loaded, choice.globs[0]));
  TRY(VersionFacts version, gather_version_facts(host, loaded, {}, {}, notices.log()));
  // Nothing is published, and targets would affect the names of wheels.
  version.targets.clear();
  TRY(const RunScope scope,
      up_to(request.stage, {global, loaded, outline, request.levels, std::move(version)}));
  return prepare_run(host, scope, request.packages, notices);
}

}  // namespace pinwheel::prepare
