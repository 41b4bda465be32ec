#include "host/dry_run/dry_script.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "env/commands.h"
#include "env/pypi_toolkit.h"
#include "host/dry_run/script_line.h"
#include "host/steps/build_command.h"
#include "host/system/mount_namespace.h"
#include "plan/key.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

fs::path scratch(const std::string& name) {
  return fs::path(script_variable("scratch")) / name;
}

/// The script takes secrets from its own environment, and stops where one is missing.
std::map<std::string, Secret> secret_variables(const std::vector<std::string>& names) {
  std::map<std::string, Secret> values;
  for (const std::string& name : names) values.emplace(name, Secret(script_variable(name)));
  return values;
}

/// The user's variables, as seen by the environment's commands.
const std::map<std::string, std::string>& variables_of(const DryEnvironment& environment,
                                                       const Workplace& workplace) {
  return environment.container ? environment.variables : workplace.variables;
}

/// A command of the environment, on the host or in its container.
std::string line_in(const DryEnvironment& environment, const ports::Command& command) {
  if (!environment.container) return script_line(in_mount_namespace(command));
  return script_line(in_dry_container(*environment.container, command));
}

std::string heredoc(const std::string& file, const std::string& text) {
  return fmt::format("cat > {} <<'PINWHEEL_END'\n{}PINWHEEL_END\n", script_word(file), text);
}

/// Installed by the environment's own pip: the script does not depend on pinwheel's cache.
std::string install_part(const DryEnvironment& environment, const Workplace& workplace,
                         env::TorchPart part, const std::string& index) {
  const std::string text = env::requirements_text(environment.resolution, part);
  if (text.empty()) return {};
  const std::string directory = scratch("env-" + environment.id).string();
  const std::string python = env::venv_python(directory);
  const std::string file = directory + "/requirements.txt";
  const env::Pip pip{python, env::pip_variables(variables_of(environment, workplace))};
  return heredoc(file, text) + line_in(environment, env::install_exact(pip, python, file, index));
}

std::vector<BuildMount> mounts_of(const DryEnvironment& environment) {
  std::vector<BuildMount> mounts = {{scratch("env-" + environment.id), kEnvironmentName}};
  if (!environment.conda.empty()) mounts.push_back({environment.conda, kCondaName});
  return mounts;
}

/// The same as `complete_toolkit`, in the toolkit's own prefix: the script uses it for one
/// environment.
std::string torchs_packages_lines(const fs::path& prefix, const DryEnvironment& environment) {
  if (environment.resolution.find("torch") == nullptr) return {};
  return fmt::format(
      "for part in include lib; do for from in {}/lib/python*/site-packages/nvidia/*/$part; do "
      "[ ! -d \"$from\" ] || cp -Rs --no-clobber \"$from/.\" {}/$part/ || true; done; done\n",
      script_word(scratch("env-" + environment.id).string()), script_word(prefix.string()));
}

/// The same as `make_pypi_toolkit`, with the environment's own pip.
std::string toolkit_lines(const DryToolkit& toolkit, const DryEnvironment& environment,
                          const Workplace& workplace) {
  const fs::path prefix = toolkit.toolkit.prefix;
  const fs::path target = prefix.parent_path().parent_path();
  const std::string file = target.string() + ".txt";
  const env::Pip pip{env::venv_python(scratch("env-" + environment.id).string()),
                     env::pip_variables(variables_of(environment, workplace))};
  return fmt::format("if [ ! -e {} ]; then\n", script_word(target.string())) +
         heredoc(file, env::requirements_text(*toolkit.packages, env::TorchPart::with)) +
         line_in(environment, env::install_prefix(pip, file, target.string())) +
         torchs_packages_lines(prefix, environment) +
         fmt::format(
             "(cd {} && ln -s lib lib64 && cd lib && for file in lib*.so.*; do "
             "[ -e \"${{file%%.so.*}}.so\" ] || ln -s \"$file\" \"${{file%%.so.*}}.so\"; "
             "done)\nfi\n",
             script_word(prefix.string()));
}

/// Unpacks the contents of the sdist's top-level directory.
std::string unpack_line(const plan::Source& source, const std::string& root,
                        const std::string& archive) {
  const std::string target = script_word(root + "/src");
  if (!source.url.ends_with(".zip")) {
    return fmt::format("tar -xf {} -C {} --strip-components=1\n", archive, target);
  }
  const std::string whole = script_word(root + "/sdist/whole");
  return fmt::format("python3 -m zipfile -e {0} {1}\ncp -a {1}/*/. {2}\n", archive, whole, target);
}

/// The same snapshot as `export_source`: git's files, modes 0644 and 0755, one time.
std::string export_lines(const plan::Source& source, const std::string& root, int64_t epoch) {
  if (!source.requirement.empty()) {
    const std::string archive = script_word(root + "/sdist/archive");
    return fmt::format("curl --fail --location --output {} {}\n", archive,
                       shell_quote(source.url)) +
           fmt::format("echo {} {} | sha256sum --check\n", source.archive_sha256, archive) +
           unpack_line(source, root, archive);
  }
  const std::string destination = script_word(root + "/src");
  std::string list = "git ls-files -z --cached -- .";
  if (source.files != nullptr && !source.files->untracked.empty()) {
    std::vector<std::string> print = {"printf", "%s\\0"};
    print.insert(print.end(), source.files->untracked.begin(), source.files->untracked.end());
    list = fmt::format("{{ {}; {}; }}", list, shell_join(print));
  }
  return fmt::format(
             "(cd {} && {} | "
             "xargs -0 cp --parents --no-dereference --target-directory={})\n",
             shell_quote(source.directory), list, destination) +
         fmt::format(
             "find {0} -type f -perm /100 -exec chmod 0755 {{}} + -o -type f -exec chmod 0644 {{}} "
             "+\n",
             destination) +
         fmt::format("find {} -exec touch --no-dereference --date=@{} {{}} +\n", destination,
                     epoch);
}

std::string make_space(const std::string& root, const DryEnvironment& environment) {
  std::string out = "mkdir -p";
  for (const char* const name : {kSourceName, kDistName, "home", "tmp", kEnvironmentName,
                                 kToolkitName, kCondaName, "sdist"}) {
    out += " " + script_word(root + "/" + name);
  }
  // A container engine creates mount points; on the host they must exist.
  if (!environment.container) out += " " + shell_quote(kFixedPath);
  return out + "\n";
}

/// Repairs the wheel of `kDistName` as `build` does. Libraries of an image cannot be looked up from
/// outside: its containers have no pinwheel.
std::string repair_lines(const plan::BuildWheel& action, const DryEnvironment& environment,
                         const BuildSetting& setting, const std::string& root) {
  const std::string made =
      fmt::format("wheel=$(basename {}/*.whl)\nmkdir -p {}\n", script_word(root + "/" + kDistName),
                  script_word(root + "/" + kRepairedName));
  const std::string wheel = script_variable("wheel");
  switch (action.settings.build.repair.mode) {
    case matrix::RepairMode::none:
      return {};
    case matrix::RepairMode::command:
      return made +
             line_in(environment, setting.space.wrap(repair_command(action, setting, wheel)));
    case matrix::RepairMode::automatic:
      break;
  }
  if (environment.container) return "# `build` puts libraries of the image into the wheel here\n";
  ports::Command command{
      {script_variable("pinwheel"), "repair", (setting.space.seen(kDistName) / wheel).string(),
       "--out", setting.space.seen(kRepairedName).string(), "--epoch",
       std::to_string(action.source_date_epoch)},
      setting.space.seen(kSourceName),
      env::pip_variables(setting.user),
      {}};
  for (const std::string& glob : action.settings.build.external) {
    command.argv.insert(command.argv.end(), {"--exclude", glob});
  }
  const std::string searched =
      value_at(build_command(action, setting).environment, "LD_LIBRARY_PATH");
  if (!searched.empty()) command.environment["LD_LIBRARY_PATH"] = searched;
  return made + line_in(environment, setting.space.wrap(std::move(command)));
}

/// The directory of the wheel to finish.
const char* last_directory(const plan::BuildWheel& action, const DryEnvironment& environment) {
  const matrix::RepairMode mode = action.settings.build.repair.mode;
  const bool as_built = mode == matrix::RepairMode::none ||
                        (mode == matrix::RepairMode::automatic && environment.container);
  return as_built ? kDistName : kRepairedName;
}

std::string finish_line(const plan::BuildWheel& action, const wheel::Naming& naming,
                        const std::string& root, const std::string& from, const fs::path& output) {
  const std::string record = root + "/pinwheel.json";
  std::string line = fmt::format(
      "\"$pinwheel\" finish {}/*.whl --distribution {} --wheel-version {} --epoch {} --record {} "
      "--output-dir {}",
      script_word(root + "/" + from), shell_quote(naming.distribution), shell_quote(naming.version),
      action.source_date_epoch, script_word(record), shell_quote(output.string()));
  if (!action.requires_torch.empty()) line += " --requires " + shell_quote(action.requires_torch);
  for (const std::string& glob : action.settings.build.external) {
    line += " --external " + shell_quote(glob);
  }
  return heredoc(record, plan::wheel_record(action)) + line + "\n";
}

}  // namespace

std::string script_head(const fs::path& program) {
  return fmt::format(
      "#!/usr/bin/env bash\nset -euo pipefail\npinwheel={}\nscratch=$(mktemp -d)\n"
      "trap 'rm -rf \"$scratch\"' EXIT\n",
      shell_quote(program.string()));
}

std::string script_of_environment(const DryEnvironment& environment, const Workplace& workplace) {
  const env::Variables variables = env::pip_variables(variables_of(environment, workplace));
  const std::string directory = scratch("env-" + environment.id).string();
  std::string out = environment.container ? environment.container->image_lines : std::string();
  out += line_in(environment, env::make_venv(environment.interpreter, directory,
                                             env::WithPip::bundled, variables));
  out += line_in(environment, env::upgrade_pip({env::venv_python(directory), variables}));
  out += install_part(environment, workplace, env::TorchPart::only,
                      environment.resolution.torch_index);
  return out + install_part(environment, workplace, env::TorchPart::without, {});
}

DryToolkit dry_pypi_toolkit(const std::string& name, const env::Resolution& packages) {
  const std::string target = scratch(env::pypi_toolkit_id(name, packages)).string();
  const std::string release = env::pypi_release(packages);
  return {env::cuda_toolkit(env::pypi_prefix(target, release), release), packages};
}

std::string script_of_build(const plan::BuildWheel& action, const DryEnvironment& environment,
                            const std::optional<DryToolkit>& toolkit, const Workplace& workplace,
                            int cores) {
  const std::string root = scratch("build-" + action.class_id).string();
  std::vector<BuildMount> mounts = mounts_of(environment);
  const bool made = toolkit && toolkit->packages;
  const std::string cache = workplace.cache.string() + "/";
  if (made || (toolkit && toolkit->toolkit.prefix.starts_with(cache)))
    mounts.push_back({toolkit->toolkit.prefix, kToolkitName});
  const BuildSpace space(scratch("build-" + action.class_id), workplace.paths, std::move(mounts));
  std::map<std::string, std::string> variables;
  if (toolkit) variables = seen_variables(toolkit->toolkit, space);
  if (!environment.conda.empty()) add_conda_path(space, variables);
  std::string out = made ? toolkit_lines(*toolkit, environment, workplace) : std::string();
  out += make_space(root, environment);
  out += export_lines(action.source, root, action.source_date_epoch);
  const std::map<std::string, std::string>& user = variables_of(environment, workplace);
  const BuildSetting setting{space, user, variables, cores, secret_variables(action.secrets)};
  out += line_in(environment, space.wrap(build_command(action, setting)));
  out += repair_lines(action, environment, setting, root);
  for (const wheel::Naming& naming : action.namings) {
    out += finish_line(action, naming, root, last_directory(action, environment), workplace.output);
  }
  return out;
}

std::string script_of_sdist(const plan::BuildSdist& action, const DryEnvironment& environment,
                            const Workplace& workplace) {
  const std::string root = scratch("sdist").string();
  const BuildSpace space(scratch("sdist"), workplace.paths, mounts_of(environment));
  std::map<std::string, std::string> variables;
  if (!environment.conda.empty()) add_conda_path(space, variables);
  std::string out = make_space(root, environment);
  out += export_lines(action.source, root, action.source_date_epoch);
  const std::map<std::string, std::string>& user = variables_of(environment, workplace);
  const BuildSetting setting{space, user, variables, 1, secret_variables(action.secrets)};
  out += line_in(environment, space.wrap(sdist_command(action, setting)));
  return out + fmt::format("\"$pinwheel\" finish {}/*.tar.gz --epoch {} --output-dir {}\n",
                           script_word(root + "/" + kDistName), action.source_date_epoch,
                           shell_quote(workplace.output.string()));
}

}  // namespace pinwheel::host
