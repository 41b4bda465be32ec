#include "prepare/executor_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace pinwheel::prepare {
namespace {

bool is_shared(const store::PlaceDescription& place) {
  const bool remote = place.kind == store::PlaceKind::directory ||
                      place.kind == store::PlaceKind::http || place.kind == store::PlaceKind::s3;
  return remote && place.access == store::PlaceAccess::read_write;
}

}  // namespace

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
