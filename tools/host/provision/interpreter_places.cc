#include "host/provision/interpreter_places.h"

#include <algorithm>

#include "base/text.h"
#include "env/newer_name.h"
#include "host/provision/complete_directory.h"

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

/// "3.13" of "3.13t": directories are named differently after that.
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

/// bin/python of the Pythons that GitHub's runners bring, "3.11.9/x64" and, free-threaded,
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

/// bin/python of a conda environment, if conda's records say that it has that Python.
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

}  // namespace pinwheel::host
