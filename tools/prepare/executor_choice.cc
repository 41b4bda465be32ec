#include "prepare/executor_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "slurm/allocation.h"

namespace pinwheel::prepare {
namespace {

bool is_shared(const store::PlaceDescription& place) {
  const bool remote = place.kind == store::PlaceKind::directory ||
                      place.kind == store::PlaceKind::http || place.kind == store::PlaceKind::s3;
  return remote && place.access == store::PlaceAccess::read_write;
}

/// The option that jobs on other machines cannot follow; empty: there is none.
std::string local_option(const RunOptions& options) {
  if (options.reuse_only) return "--reuse-only";
  if (options.levels.profile) return "--profile";
  return options.levels.keep_failed ? "--keep-failed" : "";
}

}  // namespace

Result<ExecutorKind> choose_executor(const RunOptions& options,
                                     const slurm::ExecutorSettings& settings) {
  if (options.executor.empty() && !local_option(options).empty()) return ExecutorKind::local;
  const std::string& name = options.executor.empty() ? settings.use : options.executor;
  if (name.empty() || name == "local") return ExecutorKind::local;
  if (name == "slurm") return ExecutorKind::slurm;
  return fail(ErrorKind::usage, fmt::format("{} is not an executor", quoted(name)),
              "use `local` or `slurm`");
}

Done check_remote_run(const RunOptions& options,
                      const std::vector<store::PlaceDescription>& places) {
  if (const std::string option = local_option(options); !option.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("{} and `--executor slurm` exclude each other", quoted(option)),
                "use `--executor local`");
  }
  if (std::ranges::any_of(places, is_shared)) return {};
  return fail(ErrorKind::usage,
              "`--executor slurm` needs a store that all nodes share, and the run has none",
              "use `--store dir:PATH` on a shared file system, or `--store s3://BUCKET/PREFIX`");
}

Done check_caller(const std::map<std::string, std::string>& variables) {
  if (!slurm::is_in_step(variables)) return {};
  return fail(ErrorKind::usage,
              "pinwheel runs inside a step of srun, and the steps that it starts would wait for "
              "that step to end",
              "run pinwheel in a script of `sbatch` or a shell of `salloc`; in a step of `srun "
              "--overlap`, unset `SLURM_STEP_ID`");
}

}  // namespace pinwheel::prepare
