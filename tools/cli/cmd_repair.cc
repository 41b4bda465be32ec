#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/stoppable.h"
#include "cli/workplace.h"
#include "host/machine/local_machine.h"
#include "host/steps/repair.h"
#include "host/system/scratch_directory.h"
#include "report/repair_json.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> library_directories(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> directories = split(value_at(variables, "LD_LIBRARY_PATH"), ':');
  std::erase(directories, "");
  return directories;
}

Result<std::string> repair_one(const host::EnvMachine& machine, const std::string& wheel,
                               const fs::path& output, const RepairOptions& options) {
  TRY(const host::ScratchDirectory scratch,
      host::ScratchDirectory::make(machine.files,
                                   unnamed_files_directory(machine.variables) /
                                       fmt::format("pinwheel-repair-{}", ::getpid())));
  const host::LibraryPlace place{
      machine, scratch.path(), library_directories(machine.variables), {}};
  const host::RepairRequest request{wheel, options.platform, options.exclude};
  TRY(const host::PlannedRepair planned, host::plan_wheel_repair(place, request));
  std::optional<plan::Output> written;
  if (!options.dry_run) {
    TRY(written, host::repair_wheel(place, request, planned, output, options.epoch));
  }
  if (options.json) return report::repair_json(planned.outcome, written);
  std::string text = repair::to_text(planned.outcome);
  if (written) text += fmt::format("{} sha256={}\n", written->path, written->sha256);
  return text;
}

}  // namespace

Result<int> cmd_repair(const GlobalOptions& global, const RepairOptions& options,
                       Streams& streams) {
  const std::map<std::string, std::string> variables = user_variables();
  TRY(const fs::path cache, cache_directory(variables));
  const fs::path output = options.out.empty() ? global.output_dir : options.out;
  std::vector<std::string> objects;
  for (const std::string& wheel : options.wheels) {
    TRY(std::string told, stoppable<std::string>([&](std::stop_token stop) {
          const host::LocalMachine local(variables, cache, fs::absolute(global.state_dir),
                                         std::move(stop));
          return repair_one(local.machine, wheel, output, options);
        }));
    if (options.json) {
      objects.push_back(std::move(told));
    } else {
      streams.data(told);
    }
  }
  if (options.json) {
    streams.json(objects.size() == 1 ? objects[0] : "[" + join(objects, ",") + "]\n");
  }
  return 0;
}

}  // namespace pinwheel::cli
