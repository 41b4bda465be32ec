#include "host/provision/conda_solve.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "conda/classify_conda.h"
#include "conda/conda_client.h"
#include "conda/conda_output.h"
#include "env/pass_list.h"
#include "host/machine/machine_name.h"
#include "host/provision/conda_find.h"
#include "host/system/scratch_directory.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWhat = "solving the conda packages";

/// The first two numbers of the running kernel's version; containers share the kernel.
conda::CondaTarget target_here() {
  conda::CondaTarget target{.subdir = conda::conda_subdir(machine_name())};
  utsname name{};
  if (::uname(&name) != 0) return target;
  const std::string release = static_cast<const char*>(name.release);
  const std::vector<std::string> parts = split(release.substr(0, release.find('-')), '.');
  target.linux = parts.size() < 2 ? parts[0] : parts[0] + "." + parts[1];
  return target;
}

Result<conda::CondaTarget> target_of(const EnvMachine& machine, const env::Request& request) {
  conda::CondaTarget target = target_here();
  TRY(const ports::Captured ran,
      machine.process.capture({{"getconf", "GNU_LIBC_VERSION"},
                               "/",
                               env::variables_for(env::Helper::system, machine.variables),
                               {}}));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "solving was interrupted");
  target.glibc = conda::parse_glibc(ran.out);
  target.cuda = request.conda_cuda;
  return target;
}

Result<ports::Captured> run_solver(const EnvMachine& host, const conda::CondaClient& client,
                                   const conda::CondaSolve& solve, const fs::path& scratch) {
  if (client.kind != conda::CondaKind::rattler) {
    return host.process.capture(
        conda::solve_command(client, solve, conda::Answer::json, host.variables));
  }
  const fs::path script = scratch / "rattler.py";
  const fs::path request = scratch / "request.json";
  TRY_DONE(host.files.write(script, conda::rattler_script()));
  TRY_DONE(host.files.write(request, conda::rattler_solve_request(solve)));
  return host.process.capture(
      conda::rattler_command(client, script.string(), request.string(), host.variables));
}

}  // namespace

Result<std::vector<env::CondaPackage>> solve_conda(const EnvMachine& machine,
                                                   const env::Request& request) {
  const EnvMachine& host = host_of(machine);
  TRY(const conda::CondaTarget target, target_of(machine, request));
  TRY(const conda::CondaClient client, ready_conda_client(machine));
  const fs::path place =
      host.cache / "scratch" / fmt::format("solve-{}-{}", env::digest(request), ::getpid());
  TRY(const ScratchDirectory scratch, ScratchDirectory::make(host.files, place));
  conda::CondaSolve solve{.channels = request.conda.channels,
                          .specs = conda::conda_specs(request),
                          .target = target,
                          .prefix = (place / "prefix").string(),
                          .packages = (place / "packages").string()};
  // rattler's result does not depend on its cache, so that the channel indexes may be cached.
  if (client.kind == conda::CondaKind::rattler) {
    solve.packages = (host.cache / "packages" / "rattler").string();
  }
  TRY(ports::Captured ran, run_solver(host, client, solve, place));
  const bool refused = !ran.exit.ok() || !conda::parse_rattler_failure(ran.out).what.empty();
  if (!refused) return conda::parse_solution(client.kind, ran.out);
  const Error error = conda::conda_failure(client.kind, ran, kWhat);
  const bool mamba =
      client.kind == conda::CondaKind::mamba || client.kind == conda::CondaKind::micromamba;
  if (!mamba || error.kind == ErrorKind::interrupted) return fail(error);
  // The JSON output has only one of several reasons, and perhaps not the useful one.
  TRY(ran, host.process.capture(
               conda::solve_command(client, solve, conda::Answer::text, host.variables)));
  return fail(ran.exit.ok() ? error : conda::conda_failure(client.kind, ran, kWhat));
}

}  // namespace pinwheel::host
