#include "host/provision/toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "env/made_toolkit.h"
#include "env/pass_list.h"
#include "env/pypi_toolkit.h"
#include "host/machine/ask_program.h"
#include "host/provision/conda_toolkit.h"
#include "host/provision/pypi_toolkit.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The candidates for the compiler: in the directory named by a variable, then on PATH, then in the
/// usual place.
std::vector<fs::path> programs(const EnvMachine& machine, const std::vector<std::string>& homes,
                               const std::string& name, const std::string& usual) {
  std::vector<fs::path> found;
  const auto add = [&](const fs::path& path) {
    // A container's files cannot be checked from here; a missing program simply does not run.
    if (machine.host != nullptr) return found.push_back(path);
    const Result<ports::FileStatus> status = machine.files.status(path);
    if (status && status->type != ports::FileType::missing) found.push_back(path);
  };
  for (const std::string& home : homes) {
    const auto it = machine.variables.find(home);
    if (it != machine.variables.end()) add(fs::path(it->second) / "bin" / name);
  }
  const auto path = machine.variables.find("PATH");
  if (machine.host != nullptr) {
    found.emplace_back(name);
  } else if (path != machine.variables.end()) {
    for (const std::string& directory : split(path->second, ':')) add(fs::path(directory) / name);
  }
  add(fs::path(usual) / "bin" / name);
  return found;
}

std::string without_trailing_slashes(const fs::path& path) {
  std::string text = path.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

/// The prefix that nvcc itself uses: a wrapper on PATH (a script, ccache) may be elsewhere. Empty
/// if nvcc does not print it and only its name is known.
std::string nvcc_prefix(const EnvMachine& machine, const fs::path& nvcc) {
  ports::Command command;
  command.argv = {nvcc.string(), "--dryrun", "-x", "cu", "-c", "/dev/null"};
  command.environment = env::variables_for(env::Helper::compiler, machine.variables);
  command.timeout = std::chrono::seconds(30);
  const Result<ports::Captured> ran = machine.process.capture(command);
  if (ran) {
    for (const std::string& line : split(ran->err, '\n')) {
      constexpr std::string_view kMark = "#$ TOP=";
      if (!line.starts_with(kMark)) continue;
      return without_trailing_slashes(fs::path(trim(std::string_view(line).substr(kMark.size()))));
    }
  }
  return nvcc.parent_path().parent_path().string();
}

std::vector<env::Toolkit> machine_cuda(const EnvMachine& machine) {
  std::vector<env::Toolkit> found;
  for (const fs::path& nvcc :
       programs(machine, {"CUDA_HOME", "CUDA_PATH"}, "nvcc", "/usr/local/cuda")) {
    const std::optional<std::string> output = ask_program(machine, {nvcc.string(), "--version"});
    const std::optional<std::string> release =
        output ? env::parse_nvcc_release(*output) : std::nullopt;
    if (!release) continue;
    const std::string prefix = nvcc_prefix(machine, nvcc);
    if (!prefix.empty()) found.push_back(env::cuda_toolkit(prefix, *release));
  }
  return found;
}

/// The image's toolkits are on its PATH or in the usual places; the user's variables refer to the
/// host.
EnvMachine without_homes(const EnvMachine& machine) {
  EnvMachine image = machine;
  for (const char* const home : {"CUDA_HOME", "CUDA_PATH", "ROCM_PATH"}) {
    image.variables.erase(home);
  }
  return image;
}

/// The prefix that hipcc itself uses, from the hipconfig beside it: hipcc on PATH may be a link,
/// and in a container only its name is known. Empty if neither prints it.
std::string hip_prefix(const EnvMachine& machine, const fs::path& hipcc) {
  const fs::path hipconfig = hipcc.parent_path() / "hipconfig";
  const std::optional<std::string> told = ask_program(
      without_homes(machine), {hipconfig.string(), "--rocmpath"}, {{"HIP_PLATFORM", "amd"}});
  if (told && told->starts_with('/')) return without_trailing_slashes(fs::path(*told));
  return hipcc.parent_path().parent_path().string();
}

std::vector<env::Toolkit> machine_rocm(const EnvMachine& machine) {
  std::vector<env::Toolkit> found;
  for (const fs::path& hipcc : programs(machine, {"ROCM_PATH"}, "hipcc", "/opt/rocm")) {
    const std::optional<std::string> output =
        ask_program(machine, {hipcc.string(), "--version"}, {{"HIP_PLATFORM", "amd"}});
    const std::optional<std::string> release =
        output ? env::parse_hip_release(*output) : std::nullopt;
    if (!release) continue;
    const std::string prefix = hip_prefix(machine, hipcc);
    if (prefix.empty()) continue;
    const fs::path compiler = hipcc.has_parent_path() ? hipcc : fs::path(prefix) / "bin" / "hipcc";
    found.push_back(env::rocm_toolkit(prefix, compiler.string(), *release));
  }
  return found;
}

/// Each toolkit once, however many programs lead to it.
std::vector<env::Toolkit> without_duplicates(std::vector<env::Toolkit> all) {
  std::vector<env::Toolkit> once;
  for (env::Toolkit& toolkit : all) {
    const bool known = std::any_of(once.begin(), once.end(), [&toolkit](const env::Toolkit& other) {
      return other.prefix == toolkit.prefix && other.name == toolkit.name;
    });
    // /bin and /usr/bin are one directory on merged systems.
    if (!known && toolkit.prefix != "/") once.push_back(std::move(toolkit));
  }
  return once;
}

std::string names_of(const std::vector<env::Toolkit>& toolkits) {
  std::vector<std::string> names;
  names.reserve(toolkits.size());
  for (const env::Toolkit& toolkit : toolkits) {
    names.push_back(fmt::format("{} in {}", quoted(toolkit.name), quoted(toolkit.prefix)));
  }
  return names.empty() ? "none" : join(names, ", ");
}

}  // namespace

Result<Resolved> resolve_toolkit(const EnvMachine& machine, const env::Request& request,
                                 env::ToolkitSource source, Refresh refresh) {
  TRY(const env::Request packages, env::toolkit_packages(request, source));
  return resolve(machine, packages, refresh);
}

std::vector<env::Toolkit> list_toolkits(const EnvMachine& machine, const env::Request& request) {
  const bool image = request.toolkit_from == matrix::ToolkitFrom::container;
  return list_toolkits(image ? without_homes(machine) : machine);
}

std::vector<env::Toolkit> list_toolkits(const EnvMachine& machine) {
  std::vector<env::Toolkit> all = machine_cuda(machine);
  const std::vector<env::Toolkit> rocm = machine_rocm(machine);
  all.insert(all.end(), rocm.begin(), rocm.end());
  return without_duplicates(std::move(all));
}

Result<env::Toolkit> find_toolkit(const EnvMachine& machine, const env::Request& request) {
  if (request.toolkit_from == matrix::ToolkitFrom::conda) {
    return make_conda_toolkit(machine, request);
  }
  const bool cuda = request.toolkit.starts_with("cuda/");
  const bool image = request.toolkit_from == matrix::ToolkitFrom::container;
  const EnvMachine where = image ? without_homes(machine) : machine;
  const std::vector<env::Toolkit> found =
      without_duplicates(cuda ? machine_cuda(where) : machine_rocm(where));
  if (env::comes_from_pypi(request, found)) return make_pypi_toolkit(machine, request);
  if (request.toolkit_from == matrix::ToolkitFrom::pypi) {
    return fail(env::pypi_toolkit_request(request).error());
  }
  for (const env::Toolkit& toolkit : found) {
    if (toolkit.name == env::toolkit_name(request.toolkit)) return toolkit;
  }
  if (image) {
    return fail(
        ErrorKind::environment,
        fmt::format("no {} toolkit in the image {}; found {}", pinwheel::quoted(request.toolkit),
                    quoted(request.container.base), names_of(found)),
        "choose an image that has it with `--base-image`, or `toolkit: pypi` in the "
        "matrix");
  }
  return fail(ErrorKind::environment,
              fmt::format("no {} toolkit on this machine; found {}",
                          pinwheel::quoted(request.toolkit), names_of(found)),
              cuda ? "set CUDA_HOME, or `toolkit: pypi` in the matrix"
                   : "install it and set ROCM_PATH; Debian's is `apt-get install hipcc`");
}

}  // namespace pinwheel::host
