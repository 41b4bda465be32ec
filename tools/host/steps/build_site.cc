#include "host/steps/build_site.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/text.h"
#include "env/classify_compiler.h"
#include "env/commands.h"
#include "env/gpu_packages.h"
#include "env/request.h"
#include "host/machine/gpu.h"
#include "host/provision/env_pip.h"
#include "host/provision/env_resolve.h"
#include "host/steps/hidden_toolkits.h"
#include "host/system/log_tail.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

// The part of a log that is classified: the cause is near the end.
/// Concurrent jobs continue after the first error.
constexpr uint64_t kCompilerTail = 4 << 20;

Done make_directories(const StepContext& context) {
  for (const char* const name :
       {kSourceName, kDistName, kEnvironmentName, kToolkitName, kCondaName, "home", "tmp"}) {
    TRY_DONE(context.machine.files.make_directories(context.attempt.scratch / name));
  }
  return {};
}

std::vector<BuildMount> mounts_of(const StepContext& context, const BaseEnvironment& base,
                                  const std::optional<env::Toolkit>& toolkit) {
  std::vector<BuildMount> mounts = {{base.directory, kEnvironmentName}};
  if (toolkit && is_cached(context.workplace, *toolkit))
    mounts.push_back({toolkit->prefix, kToolkitName});
  if (!base.conda.empty()) mounts.push_back({base.conda, kCondaName});
  return mounts;
}

bool leads_outside(const fs::path& relative) {
  return relative.empty() || relative == "." || *relative.begin() == "..";
}

/// The path below the source. A relative path starts at the package's root or at a directory below
/// it, where a build system ran.
fs::path below_source(const BuildSpace& space, const fs::path& file) {
  if (file.is_absolute()) {
    return file.lexically_normal().lexically_relative(space.seen(kSourceName));
  }
  fs::path below = file.lexically_normal();
  while (!below.empty() && *below.begin() == "..") {
    below = below.lexically_relative("..");
  }
  return below;
}

std::optional<Location> place_to_edit(const BuildSite& site, Location named) {
  if (site.checkout.empty()) return std::nullopt;
  return checkout_place(site.space, site.checkout, std::move(named));
}

}  // namespace

BuildSetting BuildSite::setting(const StepContext& context) const {
  BuildSetting setting{space,
                       context.machine.variables,
                       toolkit_variables,
                       context.attempt.cores,
                       context.workplace.secrets,
                       context.attempt.trace};
  if (!path.empty()) setting.user["PATH"] = path;
  return setting;
}

Result<BaseEnvironment> base_environment(const StepContext& context, const env::Request& request) {
  TRY(const env::Resolution resolution, load_resolution(context.machine, env::digest(request)));
  return create_environment(context.machine, request, resolution);
}

bool loads_only(const StepContext& context, const std::string& compute) {
  return compute.starts_with("cuda/") && !has_hardware(context.machine, compute);
}

Result<BaseEnvironment> test_environment(const StepContext& context, const env::Request& request,
                                         const std::string& compute) {
  if (!loads_only(context, compute)) return base_environment(context, request);
  TRY(env::Resolution resolution, load_resolution(context.machine, env::digest(request)));
  return create_environment(context.machine, request,
                            env::without_gpu_packages(std::move(resolution), request));
}

Result<BuildSite> prepare_site(const StepContext& context, const env::Request& request,
                               const plan::Source& source, int64_t epoch,
                               const std::map<std::string, std::string>& chosen) {
  TRY(BaseEnvironment base, base_environment(context, request));
  TRY_DONE(make_directories(context));
  std::optional<env::Toolkit> toolkit;
  if (!request.toolkit.empty()) {
    TRY(toolkit, context.supplier.toolkit(context.machine, request, base,
                                          context.attempt.scratch / kToolkitName));
  }
  TRY_DONE(context.supplier.source(source, context.attempt.scratch / kSourceName, epoch));
  BuildSpace space(context.attempt.scratch, context.workplace.paths,
                   mounts_of(context, base, toolkit));
  std::map<std::string, std::string> variables;
  if (toolkit) variables = seen_variables(*toolkit, space);
  if (!base.conda.empty()) add_conda_path(space, variables);
  std::string path = value_at(context.machine.variables, "PATH");
  if (request.toolkit.empty()) {
    TRY(HiddenToolkits hidden, hide_toolkits(context, space, chosen));
    path = std::move(hidden.path);
    space.cover(std::move(hidden.covers));
    variables.merge(hidden.variables);
  }
  const fs::path checkout = source.requirement.empty() ? source.directory : std::string();
  return BuildSite{std::move(base),      std::move(toolkit), std::move(space),
                   std::move(variables), std::move(path),    checkout};
}

Done run_logged(const StepContext& context, const BuildSite& site, ports::Command command,
                const std::string& what) {
  if (!command.timeout) command.timeout = context.attempt.step->timeout;
  const ports::Network network = command.network;
  append_log(context, fmt::format("$ {}\n", shell_join(command.argv)));
  const uint64_t before = log_size(context.attempt.log);
  TRY(const ports::Exit exit,
      context.machine.process.log(site.space.wrap(std::move(command)), context.attempt.log));
  report_exit(context, exit);
  if (exit.ok()) return {};
  if (exit.timed_out) return fail(past_time_limit(context, what, "build.timeout"));
  env::Diagnosis diagnosis =
      env::classify_compiler(exit, log_since(context.attempt.log, before, kCompilerTail));
  if (network == ports::Network::loopback) diagnosis = env::without_network(std::move(diagnosis));
  if (diagnosis.at) diagnosis.at = place_to_edit(site, *std::move(diagnosis.at));
  return fail(to_error(name_full_disk(context.machine, std::move(diagnosis)), what, exit));
}

std::optional<Location> checkout_place(const BuildSpace& space, const fs::path& package,
                                       Location named) {
  const fs::path below = below_source(space, named.file);
  if (leads_outside(below)) return std::nullopt;
  std::error_code unknown;
  // A failed build may have generated files; only those of the checkout can be edited.
  const fs::path file = (package / below).lexically_normal();
  if (!fs::is_regular_file(file, unknown)) return std::nullopt;
  const fs::path here = file.lexically_relative(fs::current_path(unknown));
  named.file = (leads_outside(here) ? file : here).string();
  return named;
}

Result<fs::path> only_file(const StepContext& context, const fs::path& directory,
                           const std::string& suffix) {
  TRY(const std::vector<std::string> names, context.machine.files.list(directory));
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (name.ends_with(suffix)) found.push_back(name);
  }
  if (found.size() == 1) return directory / found[0];
  if (found.empty()) {
    return fail(ErrorKind::check,
                fmt::format("the build wrote no {} to its output directory",
                            quoted(fmt::format("*{}", suffix))),
                names.empty() ? "make `build.command` write to `{dest_dir}`"
                              : "it wrote " + quoted_list(names));
  }
  return fail(ErrorKind::check, fmt::format("the build wrote {} files instead of one: {}",
                                            found.size(), quoted_list(found)));
}

}  // namespace pinwheel::host
