#include "host/provision/interpreters.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "env/commands.h"
#include "host/provision/interpreter_places.h"
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

/// The inputs of probing.
struct Machine {
  ports::Files& files;
  ports::Process& process;
  const Variables& variables;
  std::filesystem::path cache = {};

  /// Where results are remembered; empty: nowhere.
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

/// The program's description of itself, probed now or remembered.
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

}  // namespace pinwheel::host
