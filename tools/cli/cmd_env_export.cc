#include <fmt/format.h>

#include <filesystem>
#include <variant>

#include "base/text.h"
#include "cli/commands.h"
#include "env/export.h"
#include "host/provision/env_resolve.h"
#include "prepare/host.h"
#include "prepare/locks.h"
#include "prepare/one_variant.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// The build of the variant.
Result<const plan::BuildWheel*> build_of(const plan::Plan& plan) {
  for (const plan::Step& step : plan.steps) {
    if (const auto* const build = std::get_if<plan::BuildWheel>(&step.action)) {
      return build;
    }
  }
  return fail(ErrorKind::internal, "the plan builds nothing");
}

/// Replaces an earlier export; a directory with anything else is not touched.
Done make_room(ports::Files& files, const fs::path& out) {
  TRY(const ports::FileStatus status, files.status(out));
  if (status.type == ports::FileType::missing) return {};
  TRY(const std::vector<std::string> names, files.list(out));
  TRY(const ports::FileStatus script, files.status(out / env::kExportDirectory / "create.sh"));
  if (!names.empty() && script.type == ports::FileType::missing) {
    return fail(ErrorKind::usage,
                fmt::format("{} is not empty and contains no earlier export", quoted(out.string())),
                "choose a directory that does not exist yet");
  }
  return files.remove_all(out);
}

/// The project's Dockerfile may copy files beside it.
Done copy_context(ports::Files& files, const fs::path& dockerfile, const fs::path& out) {
  const fs::path context = dockerfile.parent_path();
  std::error_code failed;
  for (fs::recursive_directory_iterator at(context, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || at->path() == dockerfile) continue;
    TRY(std::string text, files.read(at->path()));
    const fs::path name = at->path().lexically_relative(context);
    if (name == ".dockerignore") text += fmt::format("\n!{}\n", env::kExportDirectory);
    const fs::perms mode = at->status(ignored).permissions();
    const bool program = (mode & fs::perms::owner_exec) != fs::perms::none;
    TRY_DONE(files.write(out / name, text, program ? 0755 : 0644));
  }
  if (!failed) return {};
  return fail(ErrorKind::environment,
              fmt::format("{} cannot be read: {}", quoted(context.string()), failed.message()));
}

/// The base of the export: the image that was used, else the public one with the same Python.
Done add_image(ports::Files& files, const prepare::GatheredRun& run, const env::Request& request,
               const fs::path& out, env::EnvironmentExport& what) {
  if (request.container.base.empty()) {
    what.base = "python:" + what.lock.resolution.python;
    return {};
  }
  const auto image = run.images.find(env::digest(request.container));
  if (image == run.images.end()) {
    return fail(ErrorKind::internal,
                fmt::format("{} has no image", quoted(request.container.base)));
  }
  const auto& [name, used] = image->second;
  what.base = used.base_digests.empty() ? name : used.base_digests.front();
  what.lock.image = prepare::locked_image(used);
  if (request.container.dockerfile.empty()) return {};
  const fs::path dockerfile =
      (run.workplace.matrix_directory / request.container.dockerfile).lexically_normal();
  TRY(const std::string text, files.read(dockerfile));
  what.dockerfile = env::with_arguments(text, request.container.arguments);
  what.stage = request.container.target;
  return copy_context(files, dockerfile, out);
}

Result<env::EnvironmentExport> gather_export(const prepare::Host& host,
                                             const prepare::PreparedRun& prepared,
                                             const fs::path& out) {
  const prepare::GatheredRun& run = prepared.gathered;
  const std::string& variant = run.scope.outline.variants.front().id;
  TRY(const plan::BuildWheel* const build, build_of(prepared.plan));
  const env::Request& request = build->environment;
  const prepare::OpenMachine local = host.machine(run.workplace);
  TRY(env::Resolution resolution, host::load_resolution(*local, env::digest(request)));
  env::EnvironmentExport what{variant,
                              env::make_lock(request, std::move(resolution), run.facts.machine)};
  what.lock.variants = {variant};
  what.secrets = build->secrets;
  if (!request.toolkit.empty()) {
    what.lock.toolkits = {{request.toolkit, prepare::found_release(*local, run.facts, request)}};
  }
  TRY_DONE(add_image(host.files, run, request, out, what));
  return what;
}

}  // namespace

Result<int> cmd_env_export(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const EnvExportOptions& options, Streams& streams) {
  const fs::path out = host.at(options.out);
  const prepare::UseLocks locks = options.no_lock ? prepare::UseLocks::no : prepare::UseLocks::yes;
  TRY(const prepare::PreparedRun run,
      prepare::prepare_variant(host, global,
                               {"env export", options.arguments, options.levels, plan::Stage::build,
                                prepare::locks_or_indexes(locks)},
                               streams));
  TRY_DONE(make_room(host.files, out));
  TRY(const env::EnvironmentExport what, gather_export(host, run, out));
  for (const env::ExportedFile& file : env::export_files(what)) {
    TRY_DONE(host.files.write(out / file.path, file.text, file.mode));
  }
  const std::string place = shell_quote(options.out);
  streams.note(fmt::format("wrote {}: {}, or {}/{}/create.sh DIRECTORY\n", what.id,
                           quoted("docker build " + place), place, env::kExportDirectory));
  return 0;
}

}  // namespace pinwheel::cli
