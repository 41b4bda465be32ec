#include "host/dry_script.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "env/commands.h"
#include "env/pypi_toolkit.h"
#include "host/build_command.h"
#include "host/mount_namespace.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

// The script's scratch directory is made when it runs; in quoted words it stands as this marker,
// which becomes "$scratch" outside the quotes.
constexpr const char* kScratchMarker = "@pinwheel-scratch@";

std::string shell_word(const std::string& argument) {
  std::string word = shell_quote(argument);
  if (word.find(kScratchMarker) == std::string::npos) return word;
  if (!word.starts_with('\'')) word = "'" + word + "'";
  return replace_all(std::move(word), kScratchMarker, "'\"$scratch\"'");
}

fs::path scratch(const std::string& name) {
  return fs::path(kScratchMarker) / name;
}

std::string heredoc(const std::string& file, const std::string& text) {
  return fmt::format("cat > {} <<'PINWHEEL_END'\n{}PINWHEEL_END\n", shell_word(file), text);
}

/// The environment's own pip installs it: the script needs nothing of pinwheel's cache.
std::string install_part(const DryEnvironment& environment, const Workplace& workplace,
                         env::TorchPart part, const std::string& index) {
  const std::string text = env::requirements_text(environment.resolution, part);
  if (text.empty()) return {};
  const std::string directory = scratch("env-" + environment.id).string();
  const std::string python = env::venv_python(directory);
  const std::string file = directory + "/requirements.txt";
  const env::Pip pip{python, env::pip_variables(workplace.variables)};
  return heredoc(file, text) + script_line(env::install_exact(pip, python, file, index));
}

std::vector<Mount> mounts_of(const DryEnvironment& environment) {
  std::vector<Mount> mounts = {{scratch("env-" + environment.id), kEnvironmentName}};
  if (!environment.conda.empty()) mounts.push_back({environment.conda, kCondaName});
  return mounts;
}

/// What `make_pypi_toolkit` does; the environment's own pip installs it.
std::string toolkit_lines(const DryToolkit& toolkit, const DryEnvironment& environment,
                          const Workplace& workplace) {
  const fs::path prefix = toolkit.toolkit.prefix;
  const fs::path target = prefix.parent_path().parent_path();
  const std::string file = target.string() + ".txt";
  const env::Pip pip{env::venv_python(scratch("env-" + environment.id).string()),
                     env::pip_variables(workplace.variables)};
  return fmt::format("if [ ! -e {} ]; then\n", shell_word(target.string())) +
         heredoc(file, env::requirements_text(*toolkit.packages, env::TorchPart::with)) +
         script_line(env::install_prefix(pip, file, target.string())) +
         fmt::format(
             "(cd {} && ln -s lib lib64 && cd lib && for file in lib*.so.*; do "
             "[ -e \"${{file%%.so.*}}.so\" ] || ln -s \"$file\" \"${{file%%.so.*}}.so\"; "
             "done)\nfi\n",
             shell_word(prefix.string()));
}

/// The snapshot that `export_source` makes: git's files, modes 0644 and 0755, one time.
std::string export_lines(const plan::Source& source, const std::string& root, int64_t epoch) {
  if (source.directory.empty()) {
    return fmt::format("python3 -m pip download --no-deps --no-binary :all: --dest {} {}\n",
                       shell_word(root + "/sdist"), shell_quote(source.requirement)) +
           fmt::format("tar -xzf {}/*.tar.gz -C {} --strip-components=1\n",
                       shell_word(root + "/sdist"), shell_word(root + "/src"));
  }
  const std::string destination = shell_word(root + "/src");
  return fmt::format(
             "(cd {} && git ls-files -z --cached --others --exclude-standard -- . | "
             "xargs -0 cp --parents --no-dereference --target-directory={})\n",
             shell_quote(source.directory), destination) +
         fmt::format(
             "find {0} -type f -perm /100 -exec chmod 0755 {{}} + -o -type f -exec chmod 0644 {{}} "
             "+\n",
             destination) +
         fmt::format("find {} -exec touch --no-dereference --date=@{} {{}} +\n", destination,
                     epoch);
}

std::string make_space(const std::string& root) {
  std::string out = "mkdir -p";
  for (const char* const name : {kSourceName, kDistName, "home", "tmp", kEnvironmentName,
                                 kToolkitName, kCondaName, "sdist"}) {
    out += " " + shell_word(root + "/" + name);
  }
  return out + fmt::format(" {}\n", shell_quote(kFixedPath));
}

std::string finish_line(const plan::BuildWheel& action, const wheel::Naming& naming,
                        const std::string& root, const fs::path& output) {
  const std::string record = root + "/pinwheel.json";
  std::string line = fmt::format(
      "\"$pinwheel\" finish {}/*.whl --distribution {} --wheel-version {} --epoch {} --record {} "
      "--output-dir {}",
      shell_word(root + "/" + kDistName), shell_quote(naming.distribution),
      shell_quote(naming.version), action.source_date_epoch, shell_word(record),
      shell_quote(output.string()));
  if (!action.requires_torch.empty()) line += " --requires " + shell_quote(action.requires_torch);
  return heredoc(record, action.record_json) + line + "\n";
}

/// An index or proxy URL may hold a password: the script takes it from the environment it is run
/// in.
bool may_hold_password(std::string_view name) {
  return (name.starts_with("PIP_") && name.ends_with("_URL")) || name.ends_with("_proxy") ||
         name.ends_with("_PROXY");
}

}  // namespace

std::string script_line(const ports::Command& command) {
  std::string line = "(";
  if (!command.directory.empty()) {
    line += fmt::format("cd {} && ", shell_word(command.directory.string()));
  }
  line += "env -i";
  for (const auto& [name, value] : command.environment) {
    line += may_hold_password(name)
                ? fmt::format(" {0}=\"${{{0}-}}\"", name)
                : fmt::format(" {}", shell_word(fmt::format("{}={}", name, value)));
  }
  for (const std::string& argument : command.argv) line += " " + shell_word(argument);
  return line + ")\n";
}

std::string script_head(const fs::path& program) {
  return fmt::format(
      "#!/usr/bin/env bash\nset -euo pipefail\npinwheel={}\nscratch=$(mktemp -d)\n"
      "trap 'rm -rf \"$scratch\"' EXIT\n",
      shell_quote(program.string()));
}

std::string script_of_environment(const DryEnvironment& environment, const Workplace& workplace) {
  const env::Variables variables = env::pip_variables(workplace.variables);
  const std::string directory = scratch("env-" + environment.id).string();
  std::string out = script_line(
      env::make_venv(environment.interpreter, directory, env::WithPip::bundled, variables));
  out += script_line(env::upgrade_pip({env::venv_python(directory), variables}));
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
  std::vector<Mount> mounts = mounts_of(environment);
  const bool made = toolkit && toolkit->packages;
  const std::string cache = workplace.cache.string() + "/";
  if (made || (toolkit && toolkit->toolkit.prefix.starts_with(cache))) mounts.push_back({toolkit->toolkit.prefix, kToolkitName});
  const BuildSpace space(scratch("build-" + action.class_id), workplace.paths, std::move(mounts));
  std::map<std::string, std::string> variables;
  if (toolkit) variables = seen_variables(toolkit->toolkit, space);
  if (!environment.conda.empty()) add_conda_path(space, variables);
  std::string out = made ? toolkit_lines(*toolkit, environment, workplace) : std::string();
  out += make_space(root);
  out += export_lines(action.source, root, action.source_date_epoch);
  out += script_line(in_mount_namespace(
      space.wrap(build_command(action, {space, workplace.variables, variables, cores}))));
  for (const wheel::Naming& naming : action.namings) {
    out += finish_line(action, naming, root, workplace.output);
  }
  return out;
}

std::string script_of_sdist(const plan::BuildSdist& action, const DryEnvironment& environment,
                            const Workplace& workplace) {
  const std::string root = scratch("sdist").string();
  const BuildSpace space(scratch("sdist"), workplace.paths, mounts_of(environment));
  std::map<std::string, std::string> variables;
  if (!environment.conda.empty()) add_conda_path(space, variables);
  std::string out = make_space(root);
  out += export_lines(action.source, root, action.source_date_epoch);
  out += script_line(in_mount_namespace(
      space.wrap(sdist_command(action, {space, workplace.variables, variables, 1}))));
  return out + fmt::format("\"$pinwheel\" finish {}/*.tar.gz --epoch {} --output-dir {}\n",
                           shell_word(root + "/" + kDistName), action.source_date_epoch,
                           shell_quote(workplace.output.string()));
}

}  // namespace pinwheel::host
