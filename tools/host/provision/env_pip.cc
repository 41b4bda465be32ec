#include "host/provision/env_pip.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "env/classify.h"
#include "host/machine/install_time.h"
#include "host/system/log_tail.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

struct Space {
  fs::path directory;
  uint64_t free = 0;
};

std::optional<Space> least_space(const EnvMachine& machine) {
  const std::string named = value_at(machine.variables, "TMPDIR");
  const fs::path temporary = named.empty() ? fs::path("/tmp") : fs::path(named);
  std::optional<Space> least;
  for (const fs::path& directory : {machine.cache, machine.state, temporary}) {
    const Result<uint64_t> free = host_of(machine).files.free_bytes(directory);
    if (free && (!least || *free < least->free)) least = Space{directory, *free};
  }
  return least;
}

}  // namespace

env::Diagnosis name_full_disk(const EnvMachine& machine, env::Diagnosis diagnosis,
                              uint64_t needed) {
  if (diagnosis.lack == env::Lack::nothing && needed == 0) return diagnosis;
  const std::optional<Space> space = least_space(machine);
  const bool full = space && (diagnosis.lack != env::Lack::nothing || space->free < needed);
  if (!full) return diagnosis;
  diagnosis.lack = env::Lack::disk_space;
  diagnosis.hint = env::kFreeSpace;
  diagnosis.line +=
      fmt::format(" (the disk of {} has {} free)", pinwheel::quoted(space->directory.string()),
                  format_bytes(space->free));
  return diagnosis;
}

namespace {

/// The bytes that creating a virtual environment with pip takes.
constexpr uint64_t kVirtualEnvironment = 32 << 20;

std::string last_line(std::string_view text) {
  text = trim(text);
  const size_t at = text.rfind('\n');
  return std::string(at == std::string_view::npos ? text : text.substr(at + 1));
}

/// Whether the pip is new enough after an upgrade: `pip --python` was added in 22.3. If an index
/// does not respond, or has no pip, the bundled one stays, and pip reports success.
Done check_version(const EnvMachine& machine, const env::Pip& pip,
                   const env::Interpreter& interpreter, const ports::Captured& upgraded) {
  TRY(const ports::Captured asked,
      machine.process.capture({env::pip_argv(pip.python, {"--python", pip.python, "--version"}),
                               {},
                               pip.variables,
                               {}}));
  if (asked.exit.ok()) return {};
  const env::Diagnosis diagnosis =
      env::classify_pip(upgraded.exit, upgraded.out + "\n" + upgraded.err);
  if (!upgraded.exit.ok() || diagnosis.kind != ErrorKind::step) {
    return fail(
        to_error(diagnosis, "upgrading a pip that is too old (22.3 is needed)", upgraded.exit));
  }
  return fail(ErrorKind::environment,
              fmt::format("the pip that comes with Python {} at {} is too old (22.3 is needed), "
                          "and it finds no newer one",
                          env::full_version(interpreter), pinwheel::quoted(interpreter.path)),
              "add an index that has pip to its configuration (`pip config list`), or put a newer "
              "Python on PATH");
}

/// Whether a pip can report downloads in lines of numbers (24.1 and newer), by the name of its
/// metadata next to its interpreter.
bool reports_downloads(const fs::path& python) {
  constexpr std::string_view kName = "pip-";
  std::error_code missing;
  for (const fs::directory_entry& lib :
       fs::directory_iterator(python.parent_path().parent_path() / "lib", missing)) {
    for (const fs::directory_entry& each :
         fs::directory_iterator(lib.path() / "site-packages", missing)) {
      const std::string name = each.path().filename().string();
      if (!name.starts_with(kName) || !name.ends_with(".dist-info")) continue;
      const std::vector<std::string> parts =
          split(std::string_view(name).substr(kName.size()), '.');
      const int major = parse_integer(parts[0]).value_or(0);
      const int minor = parts.size() > 1 ? parse_integer(parts[1]).value_or(0) : 0;
      return major > 24 || (major == 24 && minor >= 1);
    }
  }
  return false;
}

/// Runs a command that appends its output to the machine's output file, from which it is read.
Result<ports::Captured> run_shown(const EnvMachine& machine, const ports::Command& command) {
  if (machine.output.empty()) return machine.process.capture(command);
  constexpr uint64_t kMostOutput = 4 << 20;
  std::error_code missing;
  const uintmax_t before = fs::file_size(machine.output, missing);
  ports::Command shown = command;
  if (reports_downloads(command.argv.front())) shown.environment["PIP_PROGRESS_BAR"] = "raw";
  shown.environment["PYTHONUNBUFFERED"] = "1";
  TRY(const ports::Exit exit, machine.process.log(shown, machine.output));
  const uintmax_t after = fs::file_size(machine.output, missing);
  const uint64_t added = after - (before > after ? 0 : before);
  return ports::Captured{exit, {}, log_tail(machine.output, std::min(added, kMostOutput))};
}

}  // namespace

Done run_pip(const EnvMachine& machine, const ports::Command& command, const std::string& what,
             Classify classify) {
  TRY(ports::Captured ran, run_shown(machine, command));
  if (!ran.exit.ok() && ran.err.find("(from versions: none)") != std::string::npos) {
    // pip distinguishes a missing project from an index that responded with 500 or 401 only with
    // more -v options, which would add megabytes of output to every successful run: so it is run
    // again.
    ports::Command louder = command;
    louder.argv.emplace_back("-vv");
    TRY(ran, machine.process.capture(louder));
  }
  if (ran.exit.ok()) return {};
  const env::Diagnosis diagnosis = classify(ran.exit, ran.out + "\n" + ran.err);
  return fail(to_error(name_full_disk(machine, diagnosis), what, ran.exit));
}

Done run_venv(const EnvMachine& machine, const ports::Command& command,
              const std::string& directory) {
  TRY(const ports::Captured ran, machine.process.capture(command));
  if (ran.exit.ok()) return {};
  env::Diagnosis diagnosis = env::diagnose(ran.exit, ran.out + "\n" + ran.err, {});
  if (diagnosis.kind == ErrorKind::step) diagnosis.kind = ErrorKind::environment;
  if (diagnosis.line.empty()) diagnosis.line = last_line(ran.err.empty() ? ran.out : ran.err);
  // venv hides the output of ensurepip.
  if (diagnosis.kind == ErrorKind::environment) {
    diagnosis = name_full_disk(machine, std::move(diagnosis), kVirtualEnvironment);
  }
  return fail(to_error(
      diagnosis, fmt::format("making the virtual environment {}", pinwheel::quoted(directory)),
      ran.exit));
}

Result<env::Pip> own_pip(const EnvMachine& machine, const env::Interpreter& interpreter) {
  const std::string id = sha256_hex(interpreter.path + "\n" + env::full_version(interpreter));
  const fs::path directory = machine.cache / "tools" / ("pip-" + id.substr(0, 12));
  const fs::path marker = directory / "complete";
  const env::Pip pip{env::venv_python(directory.string()), env::pip_variables(machine.variables)};
  TRY_DONE(machine.files.make_directories(directory.parent_path()));
  TRY(const std::unique_ptr<ports::FileLock> lock,
      machine.files.lock(directory.string() + ".lock", ports::IfLocked::wait));
  TRY(const ports::FileStatus done, machine.files.status(marker));
  if (done.type != ports::FileType::missing) return pip;
  const InstallTime measured(machine);
  TRY_DONE(machine.files.remove_all(directory));
  TRY_DONE(run_venv(
      machine,
      env::make_venv(interpreter, directory.string(), env::WithPip::bundled, pip.variables),
      directory.string()));
  // Without an index the bundled pip is used, unless it is too old to install for another Python.
  TRY(const ports::Captured upgraded, machine.process.capture(env::upgrade_pip(pip)));
  if (upgraded.exit.canceled) {
    return fail(ErrorKind::interrupted, "making a pip for the environments was interrupted");
  }
  TRY_DONE(check_version(machine, pip, interpreter, upgraded));
  TRY_DONE(machine.files.write(marker, interpreter.path + "\n"));
  return pip;
}

}  // namespace pinwheel::host
