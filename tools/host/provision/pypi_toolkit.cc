#include "host/provision/pypi_toolkit.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "env/commands.h"
#include "env/pass_list.h"
#include "env/pypi_toolkit.h"
#include "host/provision/complete_directory.h"
#include "host/provision/env_pip.h"
#include "host/provision/env_resolve.h"
#include "host/provision/machine_interpreter.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

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

/// Packages that are no part of the toolkit itself (`nvidia-cudnn-cu13`) have directories of their
/// own next to its prefix: their headers and libraries belong to it, too. Links of the file system,
/// because builds see the prefix alone.
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

/// Adds what the prefix from PyPI lacks compared to an installed toolkit: `lib64`, where nvcc,
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

}  // namespace

Result<env::Toolkit> make_pypi_toolkit(const EnvMachine& machine, const env::Request& request) {
  TRY(const env::Request packages, env::pypi_toolkit_request(request));
  const Result<env::Resolution> recorded = load_resolution(machine, env::digest(packages));
  if (!recorded) {
    return fail(ErrorKind::environment,
                fmt::format("the toolkit {} from PyPI is not resolved", quoted(request.toolkit)),
                recorded.error().message);
  }
  const env::Resolution& resolution = *recorded;
  const std::string release = env::pypi_release(resolution);
  const fs::path directory = machine.cache / "toolkits" /
                             env::pypi_toolkit_id(env::toolkit_name(request.toolkit), resolution);
  const env::Toolkit toolkit =
      env::cuda_toolkit(env::pypi_prefix(directory.string(), release), release);
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

}  // namespace pinwheel::host
