#include "host/python_environments.h"

#include <fmt/format.h>

#include <memory>
#include <system_error>

#include "base/text.h"
#include "env/commands.h"
#include "env/environment_marker.h"
#include "host/env_pip.h"
#include "host/interpreters.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kMarker = "pinwheel-complete.json";

fs::path root_of(const EnvMachine& machine) {
  return machine.cache / "environments";
}

Result<bool> is_complete(const EnvMachine& machine, const fs::path& directory) {
  TRY(const ports::FileStatus status, machine.files.status(directory / kMarker));
  return status.type == ports::FileType::regular;
}

Result<uint64_t> bytes_under(ports::Files& files, const fs::path& path) {
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type != ports::FileType::directory) return status.size;
  uint64_t sum = 0;
  TRY(const std::vector<std::string> names, files.list(path));
  for (const std::string& name : names) {
    TRY(const uint64_t bytes, bytes_under(files, path / name));
    sum += bytes;
  }
  return sum;
}

Done check_space(const EnvMachine& machine, const env::Resolution& resolution) {
  TRY(const uint64_t free, machine.files.free_bytes(root_of(machine)));
  const uint64_t need = env::bytes_needed(resolution);
  if (free >= need) return {};
  return fail(
      ErrorKind::environment,
      fmt::format("{} has {} free, the environment needs {}",
                  pinwheel::quoted(root_of(machine).string()), format_bytes(free),
                  format_bytes(need)),
      "free disk space with `pinwheel env rm`, or move the cache with `PINWHEEL_CACHE_DIR`");
}

Done install(const EnvMachine& machine, const env::Pip& pip, const BaseEnvironment& base) {
  const auto part = [&](env::TorchPart which, const std::string& index) -> Done {
    const std::string text = env::requirements_text(base.resolution, which);
    if (text.empty()) return {};
    const fs::path file = base.directory / "pinwheel-requirements.txt";
    TRY_DONE(machine.files.write(file, text));
    return run_pip(machine, env::install_exact(pip, base.python, file.string(), index),
                   "installing the environment");
  };
  // The extra index is for torch alone: every other name asked of it could be taken by a stranger.
  TRY_DONE(part(env::TorchPart::only, base.resolution.torch_index));
  return part(env::TorchPart::without, {});
}

Done make(const EnvMachine& machine, const BaseEnvironment& base) {
  TRY_DONE(machine.files.remove_all(base.directory));
  TRY_DONE(check_space(machine, base.resolution));
  TRY(const env::Pip pip, own_pip(machine, base.interpreter));
  // pip is in it because builds call it; its version is the interpreter's, so the key covers it.
  TRY_DONE(run_venv(machine,
                    env::make_venv(base.interpreter, base.directory.string(), env::WithPip::bundled,
                                   pip.variables),
                    base.directory.string()));
  TRY_DONE(install(machine, pip, base));
  TRY(const uint64_t bytes, bytes_under(machine.files, base.directory));
  const env::EnvironmentMarker marker{
      base.interpreter.path, base.resolution, bytes,
      std::chrono::floor<std::chrono::seconds>(machine.clock.now())};
  return machine.files.write(base.directory / kMarker, env::to_json(marker));
}

Result<EnvironmentEntry> entry(const EnvMachine& machine, const std::string& id) {
  EnvironmentEntry row{.id = id};
  const fs::path directory = root_of(machine) / id;
  TRY(const bool complete, is_complete(machine, directory));
  if (!complete) return row;
  TRY(const std::string text, machine.files.read(directory / kMarker));
  const Result<env::EnvironmentMarker> marker = env::parse_environment_marker(text);
  if (!marker) return row;
  row.completeness = Completeness::complete;
  row.python = marker->resolution.python;
  if (const env::Package* torch = marker->resolution.find("torch")) row.torch = torch->version;
  row.bytes = marker->bytes;
  row.made = marker->made;
  return row;
}

}  // namespace

Result<BaseEnvironment> create_environment(const EnvMachine& machine, const env::Request& request,
                                           const env::Resolution& resolution) {
  BaseEnvironment base;
  TRY(base.interpreter, find_interpreter(machine.files, machine.process, machine.variables,
                                         request.python, machine.cache / "interpreters"));
  if (env::full_version(base.interpreter) != resolution.python) {
    return fail(ErrorKind::environment,
                fmt::format("the packages were resolved for Python {}, this machine has {}",
                            resolution.python, env::full_version(base.interpreter)),
                "install that Python, or resolve again with `--refresh`");
  }
  base.resolution = resolution;
  base.id = env::environment_id(resolution, base.interpreter);
  base.directory = root_of(machine) / base.id;
  base.python = env::venv_python(base.directory.string());
  base.site_packages = env::site_packages(base.directory.string(), base.interpreter);
  TRY(const bool ready, is_complete(machine, base.directory));
  if (ready) return base;
  TRY_DONE(machine.files.make_directories(root_of(machine)));
  TRY(const std::unique_ptr<ports::FileLock> lock,
      machine.files.lock(base.directory.string() + ".lock", ports::IfLocked::wait));
  TRY(const bool made_meanwhile, is_complete(machine, base.directory));
  if (!made_meanwhile) TRY_DONE(make(machine, base));
  return base;
}

Result<std::vector<EnvironmentEntry>> list_environments(const EnvMachine& machine) {
  std::vector<EnvironmentEntry> rows;
  TRY(const ports::FileStatus root, machine.files.status(root_of(machine)));
  if (root.type == ports::FileType::missing) return rows;
  TRY(const std::vector<std::string> names, machine.files.list(root_of(machine)));
  for (const std::string& name : names) {
    if (name.ends_with(".lock")) continue;
    TRY(EnvironmentEntry row, entry(machine, name));
    rows.push_back(std::move(row));
  }
  return rows;
}

Done remove_environment(const EnvMachine& machine, const std::string& id) {
  TRY(const std::vector<EnvironmentEntry> rows, list_environments(machine));
  std::vector<std::string> all;
  std::vector<std::string> matching;
  for (const EnvironmentEntry& row : rows) {
    all.push_back(row.id);
    if (!id.empty() && row.id.starts_with(id)) matching.push_back(row.id);
  }
  if (matching.size() != 1) {
    return fail(ErrorKind::usage,
                fmt::format("{} environments have an id that begins with {}", matching.size(),
                            pinwheel::quoted(id)),
                matching.empty() ? suggest(id, all) : "give more of the id");
  }
  const fs::path directory = root_of(machine) / matching.front();
  TRY(const std::unique_ptr<ports::FileLock> lock,
      machine.files.lock(directory.string() + ".lock", ports::IfLocked::fail));
  // The marker goes first: half of an environment must never count.
  TRY_DONE(machine.files.remove_all(directory / kMarker));
  return machine.files.remove_all(directory);
}

}  // namespace pinwheel::host
