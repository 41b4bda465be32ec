#include "host/provision/toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "env/commands.h"
#include "env/pass_list.h"
#include "host/machine/env_machine.h"
#include "host/machine/machine_name.h"
#include "host/provision/complete_directory.h"
#include "host/provision/conda_prefix.h"
#include "host/provision/env_pip.h"
#include "host/provision/env_resolve.h"
#include "host/provision/interpreters.h"
#include "toolkits/conda_toolkit.h"
#include "toolkits/made_toolkit.h"
#include "toolkits/pypi_toolkit.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The compiler of the prefix must start here, and have the version of the class.
Result<env::Toolkit> ask_compiler(const EnvMachine& machine, const env::Request& request,
                                  const fs::path& prefix) {
  const bool cuda = request.toolkit.starts_with("cuda/");
  const fs::path program = prefix / "bin" / (cuda ? "nvcc" : "hipcc");
  ports::Command command{{program.string(), "--version"},
                         "/",
                         env::variables_for(env::Helper::compiler, machine.variables),
                         {}};
  command.environment["HIP_PLATFORM"] = "amd";
  command.timeout = std::chrono::seconds(30);
  TRY(const ports::Captured ran, machine.process.capture(command));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "querying nvcc was interrupted");
  const std::optional<std::string> release =
      cuda ? env::parse_nvcc_release(ran.out) : env::parse_hip_release(ran.out);
  if (!ran.exit.ok() || !release) {
    return fail(ErrorKind::environment,
                fmt::format("the conda packages of {} contain no compiler that starts here: {}",
                            pinwheel::quoted(request.toolkit), pinwheel::quoted(program.string())),
                std::string(trim(ran.err)));
  }
  env::Toolkit toolkit =
      toolkits::conda_toolkit(request.toolkit, prefix.string(), *release, machine_name());
  if (toolkit.name == env::toolkit_name(request.toolkit)) return toolkit;
  return fail(ErrorKind::environment,
              fmt::format("the conda packages contain {} {}, but the class is built for {}",
                          cuda ? "nvcc" : "hipcc", *release, pinwheel::quoted(request.toolkit)),
              "pin the version in `environment.conda.toolkit`");
}

/// The toolkit of the recorded conda packages, in `<cache>/toolkits/<id>`: created once under a
/// lock by the host's client, with the sha256 of every archive checked. Its compiler is queried for
/// its release where the commands run. Errors: `environment` if nothing is recorded, the packages
/// contain no compiler that starts, or its release differs from the requested one; else those of
/// `install_conda_packages`.
Result<env::Toolkit> make_conda_toolkit(const EnvMachine& machine, const env::Request& request) {
  TRY(const env::Request packages, toolkits::conda_toolkit_request(request));
  const Result<env::Resolution> recorded = load_resolution(machine, env::digest(packages));
  if (!recorded) {
    return fail(ErrorKind::environment,
                fmt::format("the toolkit {} from conda is not resolved", quoted(request.toolkit)),
                recorded.error().message);
  }
  const fs::path directory =
      machine.cache / "toolkits" /
      toolkits::conda_toolkit_id(env::toolkit_name(request.toolkit), *recorded);
  const auto make = [&]() -> Result<env::EnvironmentMarker> {
    TRY(const std::string client, install_conda_packages(machine, recorded->conda, directory));
    TRY(const env::Toolkit made, ask_compiler(machine, request, directory));
    return env::EnvironmentMarker{client, *recorded, 0, {}};
  };
  TRY_DONE(make_once(machine, directory, make));
  return ask_compiler(machine, request, directory);
}

// 305 MB of wheels, unpacked, and pip's copy of them; and as much for each package that the matrix
// adds: cuBLAS is the largest.
constexpr uint64_t kBytesNeeded = 1'500'000'000;

Done link(const fs::path& target, const fs::path& at) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(at, error))) return {};
  fs::create_symlink(target, at, error);
  if (!error) return {};
  return fail(ErrorKind::environment, fmt::format("{} cannot be created: {}",
                                                  pinwheel::quoted(at.string()), error.message()));
}

/// The installed nvcc must have the resolved version, and start here.
Done check_nvcc(const EnvMachine& machine, const env::Toolkit& toolkit) {
  ports::Command command{{toolkit.compiler, "--version"},
                         "/",
                         env::variables_for(env::Helper::compiler, machine.variables),
                         {}};
  command.timeout = std::chrono::seconds(30);
  TRY(const ports::Captured ran, machine.process.capture(command));
  const auto release = env::parse_nvcc_release(ran.out);
  if (ran.exit.ok() && release == toolkit.release) return {};
  return fail(ErrorKind::environment,
              fmt::format("the toolkit in {} has no working nvcc {}",
                          pinwheel::quoted(toolkit.prefix), toolkit.release),
              std::string(trim(ran.err)));
}

Done install(const EnvMachine& machine, const env::Request& request,
             const env::Resolution& resolution, const fs::path& directory) {
  TRY(const env::Interpreter interpreter, interpreter_for(machine, request.python));
  TRY(const env::Pip pip, own_pip(machine, interpreter));
  const fs::path file = directory / "pinwheel-requirements.txt";
  TRY_DONE(machine.files.write(file, env::requirements_text(resolution, env::TorchPart::with)));
  return run_pip(machine, env::install_prefix(pip, file.string(), directory.string()),
                 fmt::format("installing the toolkit {}", quoted(request.toolkit)));
}

/// Packages that are not part of the toolkit itself (`nvidia-cudnn-cu13`) have their own
/// directories next to its prefix; builds need their headers and libraries. File system links,
/// because builds see only the prefix.
Done link_packages(const fs::path& prefix) {
  std::error_code error;
  for (const fs::directory_entry& package : fs::directory_iterator(prefix.parent_path(), error)) {
    if (package.path() == prefix) continue;
    for (const char* const part : {"include", "lib"}) {
      std::error_code absent;
      if (!fs::is_directory(package.path() / part, absent)) continue;
      fs::copy(package.path() / part, prefix / part,
               fs::copy_options::recursive | fs::copy_options::create_hard_links |
                   fs::copy_options::skip_existing,
               error);
      if (!error) continue;
      return fail(ErrorKind::environment,
                  fmt::format("{} cannot be linked into the toolkit: {}",
                              quoted((package.path() / part).string()), error.message()));
    }
  }
  return {};
}

/// Adds the parts of an installed toolkit that the prefix from PyPI lacks: `lib64`, where nvcc,
/// CMake and PyTorch look for libraries, and the unversioned names that linkers look for.
Done link_libraries(const fs::path& prefix) {
  TRY_DONE(link("lib", prefix / "lib64"));
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(prefix / "lib", error)) {
    const std::string name = file.path().filename().string();
    const size_t at = name.find(".so.");
    if (at == std::string::npos) continue;
    TRY_DONE(link(name, prefix / "lib" / name.substr(0, at + 3)));
  }
  return {};
}

/// The toolkit of the recorded resolution, in `<cache>/toolkits/<id>`: created once under a lock
/// from exactly the recorded files, and not modified afterwards. Errors: `environment` if nothing
/// is recorded, the disk is too full or its nvcc does not start; else from `classify_pip`.
Result<env::Toolkit> make_pypi_toolkit(const EnvMachine& machine, const env::Request& request) {
  TRY(const env::Request packages, toolkits::pypi_toolkit_request(request));
  const Result<env::Resolution> recorded = load_resolution(machine, env::digest(packages));
  if (!recorded) {
    return fail(ErrorKind::environment,
                fmt::format("the toolkit {} from PyPI is not resolved", quoted(request.toolkit)),
                recorded.error().message);
  }
  const env::Resolution& resolution = *recorded;
  const std::string release = toolkits::pypi_release(resolution);
  const fs::path directory =
      machine.cache / "toolkits" /
      toolkits::pypi_toolkit_id(env::toolkit_name(request.toolkit), resolution);
  const env::Toolkit toolkit =
      env::cuda_toolkit(toolkits::pypi_prefix(directory.string(), release), release);
  const auto make = [&]() -> Result<env::EnvironmentMarker> {
    TRY_DONE(check_space(machine, directory, kBytesNeeded * (1 + request.toolkit_packages.size()),
                         "a CUDA toolkit"));
    TRY_DONE(install(machine, request, resolution, directory));
    TRY_DONE(link_packages(toolkit.prefix));
    TRY_DONE(link_libraries(toolkit.prefix));
    TRY_DONE(check_nvcc(machine, toolkit));
    return env::EnvironmentMarker{{}, resolution, 0, {}};
  };
  TRY_DONE(make_once(machine, directory, make));
  return toolkit;
}

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

/// The prefix that hipcc itself uses, from the hipconfig next to it: hipcc on PATH may be a link,
/// and in a container only its name is known. Empty if neither prints it.
std::string hip_prefix(const EnvMachine& machine, const fs::path& hipcc) {
  const fs::path hipconfig = hipcc.parent_path() / "hipconfig";
  const std::optional<std::string> printed = ask_program(
      without_homes(machine), {hipconfig.string(), "--rocmpath"}, {{"HIP_PLATFORM", "amd"}});
  if (printed && printed->starts_with('/')) return without_trailing_slashes(fs::path(*printed));
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

/// Each toolkit once, even if several programs lead to it.
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
                                 toolkits::ToolkitSource source, Refresh refresh) {
  TRY(const env::Request packages, toolkits::toolkit_packages(request, source));
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
  if (toolkits::comes_from_pypi(request, found)) return make_pypi_toolkit(machine, request);
  if (request.toolkit_from == matrix::ToolkitFrom::pypi) {
    return fail(toolkits::pypi_toolkit_request(request).error());
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
