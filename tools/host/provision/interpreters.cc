#include "host/provision/interpreters.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "env/commands.h"
#include "env/interpreter.h"
#include "host/provision/complete_directory.h"
#include "host/provision/remembered_interpreter.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;
using UserVariables = std::map<std::string, std::string>;

bool is_program(ports::Files& files, const fs::path& path) {
  const Result<ports::FileStatus> status = files.status(path);
  return status && status->type != ports::FileType::missing &&
         status->type != ports::FileType::directory;
}

/// "3.13" for "3.13t": directories are named differently after that.
std::string number_of(const std::string& wanted) {
  return wanted.ends_with('t') ? wanted.substr(0, wanted.size() - 1) : wanted;
}

/// bin/python of every installation in `root` whose directory name may match the requested version:
/// pyenv's are like "3.11.7", "3.13.0t", uv's like "cpython-3.11.7-linux-x86_64-gnu" and
/// "cpython-3.13.9+freethreaded-linux-x86_64-gnu".
void add_installed(ports::Files& files, const fs::path& root, const std::string& wanted,
                   Names& programs) {
  Names names = files.list(root).value_or(Names());
  std::sort(names.begin(), names.end(), env::is_newer_name);
  for (const std::string& name : names) {
    if (name.find(number_of(wanted)) == std::string::npos) continue;
    const fs::path program = root / name / "bin" / "python";
    if (is_program(files, program)) programs.push_back(program.string());
  }
}

/// bin/python of the Pythons on GitHub's runners, "3.11.9/x64" and, free-threaded,
/// "3.13.9/x64-freethreaded".
void add_tool_cache(ports::Files& files, const fs::path& root, const std::string& wanted,
                    Names& programs) {
  Names versions = files.list(root).value_or(Names());
  std::sort(versions.begin(), versions.end(), env::is_newer_name);
  for (const std::string& version : versions) {
    if (!version.starts_with(number_of(wanted))) continue;
    for (const std::string& build : files.list(root / version).value_or(Names())) {
      const fs::path program = root / version / build / "bin" / "python";
      if (is_program(files, program)) programs.push_back(program.string());
    }
  }
}

/// bin/python of a conda environment, if conda's records list that Python.
void add_conda(ports::Files& files, const fs::path& prefix, const std::string& wanted,
               Names& programs) {
  const Names records = files.list(prefix / "conda-meta").value_or(Names());
  const std::string number = number_of(wanted);
  const std::string start = "python-" + number + (number.empty() ? "" : ".");
  const bool has = std::any_of(records.begin(), records.end(), [&](const std::string& record) {
    return record.starts_with(start) && record.size() > start.size() &&
           is_digit(record[start.size()]);
  });
  if (has) programs.push_back((prefix / "bin" / "python").string());
}

void add_if_named(const std::string& prefix, std::vector<fs::path>& prefixes) {
  if (!prefix.empty()) prefixes.emplace_back(prefix);
}

/// A root of conda, and the environments in it.
void add_root(ports::Files& files, const fs::path& root, std::vector<fs::path>& prefixes) {
  if (root.empty()) return;
  prefixes.push_back(root);
  for (const std::string& name : files.list(root / "envs").value_or(Names())) {
    prefixes.push_back(root / "envs" / name);
  }
}

std::vector<fs::path> conda_prefixes(ports::Files& files, const UserVariables& variables) {
  std::vector<fs::path> prefixes;
  add_if_named(value_at(variables, "CONDA_PREFIX"), prefixes);
  add_root(files, value_at(variables, "MAMBA_ROOT_PREFIX"), prefixes);
  const fs::path program = value_at(variables, "CONDA_EXE");
  if (!program.empty()) add_root(files, program.parent_path().parent_path(), prefixes);
  const std::string home = value_at(variables, "HOME");
  if (home.empty()) return prefixes;
  // conda, mamba and micromamba note every environment that they make.
  const std::string list =
      files.read(fs::path(home) / ".conda" / "environments.txt").value_or(std::string());
  for (const std::string& line : split(list, '\n')) {
    add_if_named(std::string(trim(line)), prefixes);
  }
  return prefixes;
}

void add_fetched(ports::Files& files, const fs::path& cache, const std::string& wanted,
                 Names& programs) {
  if (cache.empty()) return;
  add_installed(files, fetched_by_uv(cache), wanted, programs);
  const fs::path root = cache / kFetchedPlace;
  for (const std::string& name : files.list(root).value_or(Names())) {
    if (!is_program(files, root / name / kCompleteMarker)) continue;
    add_conda(files, root / name, wanted, programs);
  }
}

}  // namespace

fs::path fetched_by_uv(const fs::path& cache) {
  return cache / kFetchedPlace / "uv";
}

namespace {

/// Programs of Pythons that need not be on PATH and may be of the version `wanted` (any if empty):
/// pyenv's (PYENV_ROOT, ~/.pyenv), uv's (UV_PYTHON_INSTALL_DIR, ~/.local/share/uv/python), those of
/// a runner of GitHub's (RUNNER_TOOL_CACHE), those of conda environments
/// (~/.conda/environments.txt, CONDA_PREFIX, MAMBA_ROOT_PREFIX, the root of CONDA_EXE) and those
/// that pinwheel fetched into its cache. Newest first for pyenv, uv and a runner.
Names installed_pythons(ports::Files& files, const UserVariables& variables, const fs::path& cache,
                        const std::string& wanted) {
  const auto named = [&variables](const std::string& name, const fs::path& otherwise) {
    const std::string value = value_at(variables, name);
    return value.empty() ? otherwise : fs::path(value);
  };
  const fs::path home = value_at(variables, "HOME");
  const fs::path own = home.empty() ? fs::path() : home / ".local" / "share";
  const fs::path data = named("XDG_DATA_HOME", own);
  const fs::path pyenv = named("PYENV_ROOT", home.empty() ? fs::path() : home / ".pyenv");
  const fs::path uv =
      named("UV_PYTHON_INSTALL_DIR", data.empty() ? fs::path() : data / "uv" / "python");
  Names programs;
  if (!pyenv.empty()) add_installed(files, pyenv / "versions", wanted, programs);
  if (!uv.empty()) add_installed(files, uv, wanted, programs);
  if (const fs::path tools = value_at(variables, "RUNNER_TOOL_CACHE"); !tools.empty()) {
    add_tool_cache(files, tools / "Python", wanted, programs);
  }
  for (const fs::path& prefix : conda_prefixes(files, variables)) {
    add_conda(files, prefix, wanted, programs);
  }
  add_fetched(files, cache, wanted, programs);
  return programs;
}

/// Includes links to directories.
bool is_directory(ports::Files& files, const fs::path& path) {
  const Result<ports::FileStatus> status = files.status(path / ".");
  return status && status->type == ports::FileType::directory;
}

bool is_file(ports::Files& files, const fs::path& path) {
  const Result<ports::FileStatus> status = files.status(path);
  return status && status->type != ports::FileType::missing &&
         status->type != ports::FileType::directory;
}

/// The first word of each line that is not a comment.
std::vector<std::string> versions_in(ports::Files& files, const fs::path& file) {
  std::vector<std::string> versions;
  if (!is_file(files, file)) return versions;
  std::istringstream lines(files.read(file).value_or(std::string()));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string version;
    if (words >> version && !version.starts_with('#')) versions.push_back(version);
  }
  return versions;
}

/// The versions in the first `.python-version` in the directory or above it.
std::vector<std::string> local_versions(ports::Files& files, fs::path directory) {
  for (;; directory = directory.parent_path()) {
    const fs::path file = directory / ".python-version";
    if (is_file(files, file)) return versions_in(files, file);
    if (!directory.has_relative_path()) return {};
  }
}

std::vector<std::string> selected_versions(ports::Files& files,
                                           const std::map<std::string, std::string>& variables,
                                           const fs::path& root, const fs::path& directory) {
  const std::string named = value_at(variables, "PYENV_VERSION");
  if (!named.empty()) return split(named, ':');
  const std::string own = value_at(variables, "PYENV_DIR");
  std::vector<std::string> versions;
  if (!own.empty()) versions = local_versions(files, own);
  if (versions.empty()) versions = local_versions(files, directory);
  return versions.empty() ? versions_in(files, root / "version") : versions;
}

/// Whether `name` is a release of the version "3.11", "3.13t" for a free-threaded one.
bool is_release_of(std::string_view name, std::string_view version) {
  const bool free_threaded = version.ends_with('t');
  if (free_threaded != name.ends_with('t')) return false;
  if (free_threaded) {
    version.remove_suffix(1);
    name.remove_suffix(1);
  }
  if (!name.starts_with(version) || !name.substr(version.size()).starts_with('.')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_digit(c) || c == '.'; });
}

/// The directory of a version; empty if it is not installed, and for `system`.
fs::path prefix_of(ports::Files& files, const fs::path& root, std::string version) {
  // A version that leaves the directory is ignored, as pyenv does since CVE-2022-35861.
  if (version.empty() || version == ".." || version.find('/') != std::string::npos) return {};
  const fs::path all = root / "versions";
  if (is_directory(files, all / version)) return all / version;
  if (version.starts_with("python-")) version.erase(0, std::string_view("python-").size());
  if (is_directory(files, all / version)) return all / version;
  std::vector<std::string> names = files.list(all).value_or(std::vector<std::string>());
  std::erase_if(names, [&](const std::string& name) { return !is_release_of(name, version); });
  if (names.empty()) return {};
  return all / *std::min_element(names.begin(), names.end(), env::is_newer_name);
}

}  // namespace

bool has_pyenv_shims(ports::Files& files, const fs::path& directory) {
  return directory.filename() == "shims" &&
         is_directory(files, directory.parent_path() / "versions");
}

std::optional<fs::path> behind_pyenv_shim(ports::Files& files,
                                          const std::map<std::string, std::string>& variables,
                                          const fs::path& shim, const fs::path& directory) {
  const fs::path root = shim.parent_path().parent_path();
  for (const std::string& version : selected_versions(files, variables, root, directory)) {
    const fs::path prefix = prefix_of(files, root, version);
    if (prefix.empty()) continue;
    const fs::path program = prefix / "bin" / shim.filename();
    if (is_file(files, program)) return program;
  }
  return std::nullopt;
}

namespace {

using Variables = std::map<std::string, std::string>;

std::string get(const Variables& variables, const std::string& name, const std::string& otherwise) {
  const auto it = variables.find(name);
  return it == variables.end() || it->second.empty() ? otherwise : it->second;
}

std::vector<std::string> names_for(const std::string& wanted) {
  if (!wanted.empty()) return env::program_names(wanted);
  std::vector<std::string> names;
  for (int minor = 15; minor >= 8; --minor) {
    names.push_back(fmt::format("python3.{}", minor));
    if (minor >= 13) names.push_back(fmt::format("python3.{}t", minor));
  }
  names.emplace_back("python3");
  names.emplace_back("python");
  return names;
}

bool exists(ports::Files& files, const std::string& path) {
  const Result<ports::FileStatus> status = files.status(path);
  return status && status->type != ports::FileType::missing &&
         status->type != ports::FileType::directory;
}

/// The inputs of probing.
struct Machine {
  ports::Files& files;
  ports::Process& process;
  const Variables& variables;
  std::filesystem::path cache = {};

  /// The directory of cached results; empty: none.
  std::filesystem::path remembered() const {
    return cache.empty() ? std::filesystem::path() : cache / "interpreters";
  }
};

std::vector<std::string> candidates(const Machine& machine, const std::string& wanted) {
  ports::Files& files = machine.files;
  const Variables& variables = machine.variables;
  std::vector<std::string> programs;
  std::error_code unknown;
  const std::filesystem::path here = std::filesystem::current_path(unknown);
  const std::vector<std::string> path = split(get(variables, "PATH", "/usr/bin:/bin"), ':');
  for (const std::string& name : names_for(wanted)) {
    for (const std::string& directory : path) {
      const std::string program = directory + "/" + name;
      if (directory.empty() || !exists(files, program)) continue;
      if (!has_pyenv_shims(files, directory)) {
        programs.push_back(program);
      } else if (const auto real = behind_pyenv_shim(files, variables, program, here)) {
        programs.push_back(real->string());
      }
    }
  }
  const std::vector<std::string> installed =
      installed_pythons(files, variables, machine.cache, wanted);
  programs.insert(programs.end(), installed.begin(), installed.end());
  return programs;
}

/// The program's description of itself, probed now or cached.
std::optional<env::Interpreter> describe(const Machine& machine, const std::string& program,
                                         const Variables& seen) {
  if (auto known = recall_interpreter(machine.files, machine.remembered(), program)) return known;
  const Result<ports::Captured> ran =
      machine.process.capture(env::probe_interpreter(program, seen));
  // A broken link is not an interpreter; others may follow.
  if (!ran || !ran->exit.ok()) return std::nullopt;
  const Result<env::Interpreter> interpreter = env::parse_interpreter(ran->out);
  if (!interpreter) return std::nullopt;
  // If the cache cannot be written, the next run only takes a little longer.
  static_cast<void>(remember_interpreter(machine.files, machine.remembered(), program, ran->out));
  return *interpreter;
}

enum class Stop { at_first_fit, never };

std::vector<env::Interpreter> probe(const Machine& machine, const std::string& wanted, Stop stop) {
  const Variables seen = env::pip_variables(machine.variables);
  std::vector<env::Interpreter> found;
  for (const std::string& program : candidates(machine, wanted)) {
    const std::optional<env::Interpreter> interpreter = describe(machine, program, seen);
    if (!interpreter) continue;
    const bool known = std::any_of(
        found.begin(), found.end(),
        [&interpreter](const env::Interpreter& other) { return other.path == interpreter->path; });
    if (!known) found.push_back(*interpreter);
    if (stop == Stop::at_first_fit && env::fits(*interpreter, wanted) &&
        interpreter->makes_environments) {
      break;
    }
  }
  return found;
}

}  // namespace

std::vector<env::Interpreter> list_interpreters(ports::Files& files, ports::Process& process,
                                                const Variables& variables,
                                                const std::filesystem::path& cache) {
  return probe({files, process, variables, cache}, {}, Stop::never);
}

Result<env::Interpreter> find_interpreter(ports::Files& files, ports::Process& process,
                                          const Variables& variables, const std::string& wanted,
                                          const std::filesystem::path& cache) {
  const std::vector<env::Interpreter> found =
      probe({files, process, variables, cache}, wanted, Stop::at_first_fit);
  for (const env::Interpreter& interpreter : found) {
    if (env::fits(interpreter, wanted) && interpreter.makes_environments) return interpreter;
  }
  std::vector<env::Interpreter> all = found;
  // The message lists every Python, not only those with the names that were tried.
  for (env::Interpreter& other : probe({files, process, variables, cache}, {}, Stop::never)) {
    if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(std::move(other));
  }
  return fail(env::no_interpreter(wanted, all));
}

namespace {

/// An image does not change, so the result can be cached; `machine.cache` belongs to the image.
Result<env::Interpreter> contained_interpreter(const EnvMachine& machine,
                                               const std::string& wanted) {
  const std::filesystem::path record = machine.cache / "interpreters" / (wanted + ".json");
  if (const Result<std::string> text = machine.files.read(record)) {
    Result<env::Interpreter> known = env::parse_interpreter(*text);
    if (known && env::fits(*known, wanted)) return known;
  }
  const env::Variables variables = env::pip_variables(machine.variables);
  std::vector<env::Interpreter> found;
  for (const std::string& name : env::program_names(wanted)) {
    TRY(const ports::Captured ran,
        machine.process.capture(env::probe_interpreter(name, variables)));
    if (ran.exit.canceled)
      return fail(ErrorKind::interrupted, "the search for Python was interrupted");
    Result<env::Interpreter> interpreter = env::parse_interpreter(ran.out);
    if (!ran.exit.ok() || !interpreter) continue;
    found.push_back(*interpreter);
    if (!env::fits(*interpreter, wanted) || !interpreter->makes_environments) continue;
    TRY_DONE(machine.files.make_directories(record.parent_path()));
    TRY_DONE(machine.files.write(record, ran.out));
    return interpreter;
  }
  Error error = env::no_interpreter(wanted, found);
  error.hint = fmt::format(
      "install Python {} with its venv module in the image, or use `--python conda`", wanted);
  return fail(std::move(error));
}

Result<env::Interpreter> find_for(const EnvMachine& machine, const std::string& wanted) {
  if (machine.host != nullptr) return contained_interpreter(machine, wanted);
  return find_interpreter(machine.files, machine.process, machine.variables, wanted, machine.cache);
}

}  // namespace

Result<env::Interpreter> interpreter_for(const EnvMachine& machine, const std::string& wanted) {
  Result<env::Interpreter> found = find_for(machine, wanted);
  ports::LogEvent event{ports::LogLevel::info, "interpreter", {{"wanted", wanted}}};
  if (found) {
    event.fields.push_back({"path", found->path});
    event.fields.push_back({"version", env::full_version(*found)});
  } else {
    event.fields.push_back({"error", found.error().message});
  }
  machine.log->write(event);
  return found;
}

}  // namespace pinwheel::host
