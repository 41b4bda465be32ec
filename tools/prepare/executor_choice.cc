#include "prepare/executor_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/text.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProjectSettings = ".pinwheel.yaml";

fs::path user_settings(const Host& host) {
  const auto xdg = host.variables.find("XDG_CONFIG_HOME");
  const auto home = host.variables.find("HOME");
  if (xdg != host.variables.end() && !xdg->second.empty()) {
    return fs::path(xdg->second) / "pinwheel" / "config.yaml";
  }
  if (home == host.variables.end() || home->second.empty()) return {};
  return fs::path(home->second) / ".config" / "pinwheel" / "config.yaml";
}

bool is_shared(const store::PlaceDescription& place) {
  const bool remote = place.kind == store::PlaceKind::directory ||
                      place.kind == store::PlaceKind::http || place.kind == store::PlaceKind::s3;
  return remote && place.access == store::PlaceAccess::read_write;
}

}  // namespace

Result<slurm::ExecutorSettings> read_executor_settings(const Host& host) {
  std::vector<slurm::ConfigurationText> files;
  for (const fs::path& path : {user_settings(host), host.at(kProjectSettings)}) {
    if (path.empty() || host.files.resolved_type(path) != ports::FileType::regular) continue;
    TRY(std::string text, host.files.read(path));
    files.push_back({path.string(), std::move(text)});
  }
  return slurm::read_settings(files);
}

Result<ExecutorKind> choose_executor(const RunOptions& options,
                                     const slurm::ExecutorSettings& settings) {
  const std::string& name = options.executor.empty() ? settings.use : options.executor;
  if (name.empty() || name == "local") return ExecutorKind::local;
  if (name == "slurm") return ExecutorKind::slurm;
  return fail(ErrorKind::usage, fmt::format("{} is not an executor", quoted(name)),
              "use `local` or `slurm`");
}

Done check_remote_run(const RunOptions& options,
                      const std::vector<store::PlaceDescription>& places) {
  const auto excluded = [](const char* option) {
    return fail(ErrorKind::usage,
                fmt::format("{} and `--executor slurm` exclude each other", quoted(option)),
                "use `--executor local`");
  };
  if (options.reuse_only) return excluded("--reuse-only");
  if (options.levels.profile) return excluded("--profile");
  if (options.levels.keep_failed) return excluded("--keep-failed");
  if (std::ranges::any_of(places, is_shared)) return {};
  return fail(ErrorKind::usage,
              "`--executor slurm` needs a store that all nodes share, and the run has none",
              "`--store dir:PATH` on a shared file system, or `--store s3://BUCKET/PREFIX`");
}

}  // namespace pinwheel::prepare
