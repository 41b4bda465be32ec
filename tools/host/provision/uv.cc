#include "host/provision/uv.h"

#include <filesystem>
#include <memory>

#include "env/classify.h"
#include "host/machine/install_time.h"
#include "host/provision/env_pip.h"
#include "host/system/program.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

Done install_uv(const EnvMachine& machine, const env::Interpreter& interpreter,
                const fs::path& directory) {
  TRY(const env::Pip pip, own_pip(machine, interpreter));
  TRY_DONE(run_venv(
      machine, env::make_venv(interpreter, directory.string(), env::WithPip::none, pip.variables),
      directory.string()));
  return run_pip(machine, env::install_uv(pip, env::venv_python(directory.string())),
                 "installing uv");
}

}  // namespace

Result<std::string> uv_program(const EnvMachine& machine, const env::Interpreter& interpreter) {
  if (machine.host == nullptr) {
    const Result<std::string> found = find_program("uv", machine.variables);
    if (found) return *found;
  }
  const fs::path directory = machine.cache / "tools" / "uv";
  const fs::path marker = directory / "complete";
  TRY_DONE(machine.files.make_directories(directory.parent_path()));
  TRY(const std::unique_ptr<ports::FileLock> lock,
      machine.files.lock(directory.string() + ".lock", ports::IfLocked::wait));
  TRY(const ports::FileStatus done, machine.files.status(marker));
  if (done.type == ports::FileType::missing) {
    const InstallTime measured(machine);
    TRY_DONE(machine.files.remove_all(directory));
    TRY_DONE(install_uv(machine, interpreter, directory));
    TRY_DONE(machine.files.write(marker, interpreter.path + "\n"));
  }
  return (directory / "bin" / "uv").string();
}

Done run_uv(const EnvMachine& machine, const ports::Command& command, const std::string& what) {
  TRY(const ports::Captured ran, machine.process.capture(command));
  if (ran.exit.ok()) return {};
  const env::Diagnosis diagnosis = env::classify_uv(ran.exit, ran.out + "\n" + ran.err);
  return fail(to_error(name_full_disk(machine, diagnosis), what, ran.exit));
}

}  // namespace pinwheel::host
