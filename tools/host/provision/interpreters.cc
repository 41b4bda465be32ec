#include "host/provision/interpreters.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "env/commands.h"
#include "env/newer_name.h"
#include "host/provision/pyenv_shim.h"
#include "host/provision/remembered_interpreter.h"

namespace pinwheel::host {
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

/// bin/python of every installation in `root` whose directory name may match the requested version:
/// pyenv's are like "3.11.7", "3.13.0t", uv's like "cpython-3.11.7-linux-x86_64-gnu".
std::vector<std::string> installed_under(ports::Files& files, const std::string& root,
                                         const std::string& wanted) {
  std::vector<std::string> names = files.list(root).value_or(std::vector<std::string>{});
  std::sort(names.begin(), names.end(), env::is_newer_name);
  const std::string version = wanted.ends_with('t') ? wanted.substr(0, wanted.size() - 1) : wanted;
  std::vector<std::string> programs;
  for (const std::string& name : names) {
    if (name.find(version) == std::string::npos) continue;
    const std::string program = root + "/" + name + "/bin/python";
    if (exists(files, program)) programs.push_back(program);
  }
  return programs;
}

std::vector<std::string> candidates(ports::Files& files, const Variables& variables,
                                    const std::string& wanted) {
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
  const std::string home = get(variables, "HOME", "");
  const std::string pyenv = get(variables, "PYENV_ROOT", home.empty() ? "" : home + "/.pyenv");
  const std::string data =
      get(variables, "XDG_DATA_HOME", home.empty() ? "" : home + "/.local/share");
  const std::string uv =
      get(variables, "UV_PYTHON_INSTALL_DIR", data.empty() ? "" : data + "/uv/python");
  for (const std::string& root : {pyenv.empty() ? "" : pyenv + "/versions", uv}) {
    if (root.empty()) continue;
    const std::vector<std::string> more = installed_under(files, root, wanted);
    programs.insert(programs.end(), more.begin(), more.end());
  }
  return programs;
}

/// The inputs of probing.
struct Machine {
  ports::Files& files;
  ports::Process& process;
  const Variables& variables;
  std::filesystem::path remembered = {};
};

/// The program's description of itself, probed now or remembered.
std::optional<env::Interpreter> describe(const Machine& machine, const std::string& program,
                                         const Variables& seen) {
  if (auto known = recall_interpreter(machine.files, machine.remembered, program)) return known;
  const Result<ports::Captured> ran =
      machine.process.capture(env::probe_interpreter(program, seen));
  // A broken link is not an interpreter; others may follow.
  if (!ran || !ran->exit.ok()) return std::nullopt;
  const Result<env::Interpreter> interpreter = env::parse_interpreter(ran->out);
  if (!interpreter) return std::nullopt;
  // If the cache cannot be written, the next run only takes a little longer.
  static_cast<void>(remember_interpreter(machine.files, machine.remembered, program, ran->out));
  return *interpreter;
}

enum class Stop { at_first_fit, never };

std::vector<env::Interpreter> probe(const Machine& machine, const std::string& wanted, Stop stop) {
  const Variables seen = env::pip_variables(machine.variables);
  std::vector<env::Interpreter> found;
  for (const std::string& program : candidates(machine.files, machine.variables, wanted)) {
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
                                                const std::string& wanted) {
  return probe({files, process, variables}, wanted, Stop::never);
}

Result<env::Interpreter> find_interpreter(ports::Files& files, ports::Process& process,
                                          const Variables& variables, const std::string& wanted,
                                          const std::filesystem::path& remembered) {
  const std::vector<env::Interpreter> found =
      probe({files, process, variables, remembered}, wanted, Stop::at_first_fit);
  for (const env::Interpreter& interpreter : found) {
    if (env::fits(interpreter, wanted) && interpreter.makes_environments) return interpreter;
  }
  std::vector<env::Interpreter> all = found;
  // The message lists every Python, not only those with the names that were tried.
  for (env::Interpreter& other : probe({files, process, variables, remembered}, {}, Stop::never)) {
    if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(std::move(other));
  }
  return fail(env::no_interpreter(wanted, all));
}

}  // namespace pinwheel::host
