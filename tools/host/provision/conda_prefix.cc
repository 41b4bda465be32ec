#include "host/provision/conda_prefix.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <numeric>

#include "base/text.h"
#include "conda/classify_conda.h"
#include "conda/conda_client.h"
#include "conda/conda_output.h"
#include "env/commands.h"
#include "env/environment_marker.h"
#include "env/package_traffic.h"
#include "host/machine/machine_name.h"
#include "host/provision/complete_directory.h"
#include "host/provision/conda_find.h"
#include "host/provision/remembered_interpreter.h"
#include "host/system/digest_file.h"
#include "host/system/scratch_directory.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Packages = std::vector<env::CondaPackage>;

// An unpacked package takes about four times the size of its archive, which is not deleted.
constexpr uint64_t kUnpacked = 5;
constexpr uint64_t kMargin = 100'000'000;

uint64_t bytes_needed(const Packages& packages) {
  return std::accumulate(packages.begin(), packages.end(), kMargin,
                         [](uint64_t sum, const env::CondaPackage& package) {
                           return sum + kUnpacked * package.size;
                         });
}

constexpr std::string_view kLocal = "file://";

/// The path of a package's archive after a client has installed it.
fs::path archive_of(const env::CondaPackage& package, const fs::path& cache) {
  if (package.url.starts_with(kLocal)) return package.url.substr(kLocal.size());
  return cache / last_part(package.url);
}

/// The sizes of the archives that the cache has, of packages from servers.
std::map<fs::path, uint64_t> cached_archives(ports::Files& files, const Packages& packages,
                                             const fs::path& cache) {
  std::map<fs::path, uint64_t> sizes;
  for (const env::CondaPackage& package : packages) {
    if (package.url.starts_with(kLocal)) continue;
    const fs::path path = archive_of(package, cache);
    const Result<ports::FileStatus> status = files.status(path);
    if (status && status->type == ports::FileType::regular) sizes[path] = status->size;
  }
  return sizes;
}

/// What a client fetched, by the archives in its cache before and after: clients print progress for
/// people, and conda prints nothing about a list of URLs with `--json`.
env::PackageTraffic traffic_between(const std::map<fs::path, uint64_t>& before,
                                    const std::map<fs::path, uint64_t>& after) {
  env::PackageTraffic traffic;
  for (const auto& [path, size] : after) {
    const auto had = before.find(path);
    if (had != before.end() && had->second == size) {
      ++traffic.cached;
    } else {
      ++traffic.downloads;
      traffic.fetched += size;
    }
  }
  return traffic;
}

void add_traffic(const EnvMachine& machine, const env::PackageTraffic& traffic) {
  if (!machine.installing) return;
  env::PackageTraffic& sum = machine.installing->conda;
  sum.fetched += traffic.fetched;
  sum.downloads += traffic.downloads;
  sum.cached += traffic.cached;
}

/// The clients compare at most the md5, and nothing for local files.
Done check_archives(const Packages& packages, const fs::path& cache) {
  for (const env::CondaPackage& package : packages) {
    const Result<FileDigest> digest = digest_file(archive_of(package, cache));
    if (!digest) {
      return fail(ErrorKind::environment,
                  fmt::format("the archive of {} cannot be checked: {}",
                              pinwheel::quoted(package.name), digest.error().message));
    }
    if (digest->sha256 == package.sha256) continue;
    return fail(
        ErrorKind::environment,
        fmt::format("{} has sha256 {}, not {}", package.url, digest->sha256, package.sha256),
        "the channel has a different file with the same name: resolve again with `--refresh`");
  }
  return {};
}

Result<ports::Captured> run_client(const EnvMachine& host, const conda::CondaClient& client,
                                   const Packages& packages, conda::CondaInstall install,
                                   const fs::path& scratch) {
  if (client.kind != conda::CondaKind::rattler) {
    // The extension matters: otherwise clients read it as a different format.
    install.list = (scratch / "explicit.txt").string();
    TRY_DONE(host.files.write(install.list, conda::explicit_list(packages)));
    return host.process.capture(conda::install_command(client, install, host.variables));
  }
  const fs::path script = scratch / "rattler.py";
  const fs::path request = scratch / "request.json";
  TRY_DONE(host.files.write(script, conda::rattler_script()));
  TRY_DONE(host.files.write(request, conda::rattler_install_request(packages, install)));
  return host.process.capture(
      conda::rattler_command(client, script.string(), request.string(), host.variables));
}

Result<conda::CondaClient> install(const EnvMachine& machine, const Packages& packages,
                                   const fs::path& directory) {
  const EnvMachine& host = host_of(machine);
  TRY(conda::CondaClient client, ready_conda_client(machine));
  const fs::path cache = host.cache / "packages" / to_string(client.kind);
  TRY_DONE(host.files.make_directories(cache));
  TRY(const ScratchDirectory scratch,
      ScratchDirectory::make(host.files,
                             host.cache / "scratch" /
                                 fmt::format("{}-{}", directory.filename().string(), ::getpid())));
  const std::map<fs::path, uint64_t> before = cached_archives(host.files, packages, cache);
  TRY(const ports::Captured ran, run_client(host, client, packages,
                                            {.subdir = conda::conda_subdir(machine_name()),
                                             .prefix = directory.string(),
                                             .list = {},
                                             .packages = cache.string()},
                                            scratch.path()));
  add_traffic(machine, client.kind == conda::CondaKind::rattler
                           ? conda::parse_rattler_traffic(ran.out)
                           : traffic_between(before, cached_archives(host.files, packages, cache)));
  if (!ran.exit.ok() || !conda::parse_rattler_failure(ran.out).what.empty()) {
    return fail(conda::conda_failure(client.kind, ran, "installing the conda packages"));
  }
  // rattler's script has checked them before installing anything.
  if (client.kind != conda::CondaKind::rattler) TRY_DONE(check_archives(packages, cache));
  return client;
}

/// The Python of a prefix, as probed where the machine's commands run.
Result<env::Interpreter> python_of(const EnvMachine& machine, const fs::path& directory) {
  const fs::path program = directory / "bin" / "python";
  const fs::path remembered = machine.cache / "interpreters";
  if (const auto known = recall_interpreter(machine.files, remembered, program)) return *known;
  TRY(const ports::Captured ran, machine.process.capture(env::probe_interpreter(
                                     program.string(), env::pip_variables(machine.variables))));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "querying the Python was interrupted");
  if (!ran.exit.ok()) {
    return fail(ErrorKind::environment, "the Python of the conda packages does not start here",
                std::string(trim(ran.err)));
  }
  TRY(env::Interpreter interpreter, env::parse_interpreter(ran.out));
  static_cast<void>(remember_interpreter(machine.files, remembered, program, ran.out));
  return interpreter;
}

Done check_python(const env::Interpreter& interpreter, const std::string& wanted) {
  if (!env::fits(interpreter, wanted)) {
    return fail(ErrorKind::config,
                fmt::format("the conda packages have Python {}, but the variant needs {}",
                            env::full_version(interpreter), wanted),
                "write `python={python}` in `environment.conda.packages`, or no Python at all");
  }
  if (interpreter.makes_environments) return {};
  return fail(ErrorKind::environment, "the Python of the conda packages lacks venv or ensurepip");
}

Result<env::EnvironmentMarker> make(const EnvMachine& machine, const std::string& python,
                                    const Packages& packages, const fs::path& directory) {
  TRY(std::string client, install_conda_packages(machine, packages, directory));
  TRY(const env::Interpreter interpreter, python_of(machine, directory));
  TRY_DONE(check_python(interpreter, python));
  env::EnvironmentMarker marker{std::move(client), {}, 0, {}};
  marker.resolution.python = env::full_version(interpreter);
  marker.resolution.conda = packages;
  return marker;
}

}  // namespace

Result<std::string> install_conda_packages(const EnvMachine& machine, const Packages& packages,
                                           const fs::path& directory) {
  TRY_DONE(check_space(machine, directory, bytes_needed(packages), "the conda packages"));
  Result<conda::CondaClient> client = install(machine, packages, directory);
  if (client) return std::move(client->program);
  // A failed installation leaves files that some clients mistake for an environment.
  static_cast<void>(machine.files.remove_all(directory));
  return fail(std::move(client).error());
}

Result<CondaPrefix> make_conda_prefix(const EnvMachine& machine, const std::string& python,
                                      const Packages& packages, const fs::path& place) {
  CondaPrefix prefix;
  prefix.directory = machine.cache / place / conda::conda_prefix_id(packages);
  const auto make_it = [&]() -> Result<env::EnvironmentMarker> {
    Result<env::EnvironmentMarker> made = make(machine, python, packages, prefix.directory);
    // Packages with an unusable Python are of no use either.
    if (!made) static_cast<void>(machine.files.remove_all(prefix.directory));
    return made;
  };
  TRY_DONE(make_once(machine, prefix.directory, make_it));
  TRY(prefix.interpreter, python_of(machine, prefix.directory));
  TRY_DONE(check_python(prefix.interpreter, python));
  return prefix;
}

}  // namespace pinwheel::host
