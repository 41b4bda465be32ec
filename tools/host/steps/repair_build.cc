#include "host/steps/repair_build.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "env/patchelf.h"
#include "host/steps/build_command.h"
#include "host/wheels/inspect_path.h"
#include "host/wheels/repair.h"
#include "inspect/needed_library.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

LibraryPlace place_of(const StepContext& context, const plan::BuildWheel& action,
                      const BuildSite& site) {
  // A relative directory is one of the source, where the build runs.
  return {context.machine, context.attempt.scratch / "repair",
          loader_directories(library_path(context, action, site), site.space.seen(kSourceName)),
          [&site](ports::Command command) { return site.space.wrap(std::move(command)); }};
}

/// The added libraries, for pinwheel.json.
std::string record_of_grafts(const repair::Outcome& outcome) {
  nlohmann::json grafts = nlohmann::json::object();
  for (const repair::Graft& graft : outcome.plan.grafts) grafts[graft.member] = graft.sha256;
  return nlohmann::json{{"patchelf", env::kPatchelfVersion}, {"grafts", grafts}}.dump();
}

Result<RepairedBuild> repair_by_itself(const StepContext& context, const plan::BuildWheel& action,
                                       const BuildSite& site, const fs::path& built) {
  const LibraryPlace place = place_of(context, action, site);
  TRY_DONE(context.machine.files.make_directories(place.scratch));
  const RepairRequest request{built, {}, action.settings.build.external};
  TRY(const PlannedRepair planned, plan_wheel_repair(place, request));
  // Not a finding of the wheel: a pattern may be for another compute of the matrix.
  for (const Error& unmatched :
       inspect::unmatched_patterns("build.external", request.exclude, planned.needed)) {
    append_log(context, render_warning(unmatched));
  }
  // Finishing sets the tag anyway.
  if (!planned.outcome.plan.changes()) return RepairedBuild{built};
  append_log(context, "repair: " + repair::to_text(planned.outcome));
  TRY(const plan::Output output,
      repair_wheel(place, request, planned, context.attempt.scratch / kRepairedName,
                   action.source_date_epoch));
  return RepairedBuild{output.path, record_of_grafts(planned.outcome)};
}

Result<RepairedBuild> repair_by_command(const StepContext& context, const plan::BuildWheel& action,
                                        const BuildSite& site, const fs::path& built) {
  TRY_DONE(run_repair_command(context, action, site, built.filename().string()));
  Result<fs::path> repaired = only_file(context, context.attempt.scratch / kRepairedName, ".whl");
  if (repaired) return RepairedBuild{*std::move(repaired)};
  Error error{ErrorKind::check, "`build.repair` must leave one wheel in `{dest_dir}`"};
  return fail(std::move(error).with_cause(std::move(repaired).error()));
}

}  // namespace

Done run_repair_command(const StepContext& context, const plan::BuildWheel& action,
                        const BuildSite& site, const std::string& wheel) {
  TRY_DONE(context.machine.files.make_directories(context.attempt.scratch / kRepairedName));
  return run_logged(context, site, repair_command(action, site.setting(context), wheel),
                    fmt::format("repairing the wheel of {}", quoted(action.class_id)));
}

std::string library_path(const StepContext& context, const plan::BuildWheel& action,
                         const BuildSite& site) {
  return value_at(build_command(action, site.setting(context)).environment, "LD_LIBRARY_PATH");
}

Result<RepairedBuild> repair_built(const StepContext& context, const plan::BuildWheel& action,
                                   const BuildSite& site, const fs::path& built) {
  switch (action.settings.build.repair.mode) {
    case matrix::RepairMode::none:
      return RepairedBuild{built};
    case matrix::RepairMode::command:
      return repair_by_command(context, action, site, built);
    case matrix::RepairMode::automatic:
      break;
  }
  return repair_by_itself(context, action, site, built);
}

}  // namespace pinwheel::host
