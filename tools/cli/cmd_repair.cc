#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "host/system/scratch_directory.h"
#include "host/wheels/repair.h"
#include "inspect/needed_library.h"
#include "prepare/host.h"
#include "prepare/stoppable.h"
#include "prepare/workplace.h"
#include "report/repair_json.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// The report of a repaired wheel.
struct RepairReport {
  std::string text;  ///< for people, or JSON
  std::vector<Error> warnings = {};
};

Result<RepairReport> repair_one(const prepare::Host& host, const host::EnvMachine& machine,
                                const std::string& wheel, const fs::path& output,
                                const RepairOptions& options) {
  TRY(const host::ScratchDirectory scratch,
      host::ScratchDirectory::make(machine.files,
                                   prepare::unnamed_files_directory(machine.variables) /
                                       fmt::format("pinwheel-repair-{}", ::getpid())));
  const host::LibraryPlace place{
      machine,
      scratch.path(),
      host::loader_directories(value_at(machine.variables, "LD_LIBRARY_PATH"), host.directory),
      {}};
  const host::RepairRequest request{wheel, options.platform, options.exclude};
  TRY(const host::PlannedRepair planned, host::plan_wheel_repair(place, request));
  std::optional<plan::Output> written;
  if (!options.dry_run) {
    TRY(written, host::repair_wheel(place, request, planned, output, options.epoch));
  }
  RepairReport repaired{options.json ? report::repair_json(planned.outcome, written)
                                     : repair::to_text(planned.outcome),
                        inspect::unmatched_patterns("--exclude", options.exclude, planned.needed)};
  if (written && !options.json) {
    repaired.text += fmt::format("{} sha256={}\n", written->path, written->sha256);
  }
  return repaired;
}

}  // namespace

Result<int> cmd_repair(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const RepairOptions& options, Streams& streams) {
  TRY(const fs::path cache, prepare::cache_directory(host));
  const fs::path output = options.out.empty() ? global.output_dir : options.out;
  std::vector<std::string> objects;
  for (const std::string& wheel : options.wheels) {
    TRY(RepairReport repaired, prepare::stoppable<RepairReport>([&](std::stop_token stop) {
          host::Workplace place = prepare::outside_run(host, ports::no_log());
          place.cache = cache;
          place.state = host.directory / global.state_dir;
          place.stop = std::move(stop);
          return repair_one(host, *host.machine(place), wheel, output, options);
        }));
    for (const Error& warning : repaired.warnings) streams.warn(warning);
    if (options.json) {
      objects.push_back(std::move(repaired.text));
    } else {
      streams.data(repaired.text);
    }
  }
  if (options.json) {
    streams.json(objects.size() == 1 ? objects[0] : "[" + join(objects, ",") + "]\n");
  }
  return 0;
}

}  // namespace pinwheel::cli
