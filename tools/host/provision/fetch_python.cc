#include "host/provision/fetch_python.h"

#include <utility>

#include "conda/fetched_python.h"
#include "host/provision/conda_prefix.h"
#include "host/provision/conda_solve.h"
#include "host/provision/interpreters.h"
#include "host/system/program.h"

namespace pinwheel::host {
namespace {

Done fetch_by_uv(const EnvMachine& machine, const std::string& version) {
  const Result<std::string> uv = find_program("uv", machine.variables);
  if (!uv) return fail(ErrorKind::environment, "`uv` is not on PATH");
  const std::filesystem::path directory = fetched_by_uv(machine.cache);
  TRY_DONE(machine.files.make_directories(directory));
  TRY(const ports::Captured ran, machine.process.capture(conda::install_by_uv(
                                     *uv, version, directory.string(), machine.variables)));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "fetching Python was interrupted");
  if (!ran.exit.ok()) return fail(conda::uv_failure(version, ran.err));
  return {};
}

Done fetch_by_conda(const EnvMachine& machine, const std::string& version,
                    const std::vector<std::string>& channels) {
  TRY(const std::vector<env::CondaPackage> packages,
      solve_conda(machine, conda::conda_python(version, channels)));
  TRY(const CondaPrefix prefix, make_conda_prefix(machine, version, packages, kFetchedPlace));
  return {};
}

}  // namespace

bool has_uv(const EnvMachine& machine) {
  return find_program("uv", machine.variables).has_value();
}

Result<env::Interpreter> fetch_python(const EnvMachine& machine, const std::string& version,
                                      const std::vector<std::string>& channels) {
  std::vector<Error> tried;
  for (const bool by_uv : {true, false}) {
    const Done done =
        by_uv ? fetch_by_uv(machine, version) : fetch_by_conda(machine, version, channels);
    if (!done && done.error().kind == ErrorKind::interrupted) return fail(done.error());
    Result<env::Interpreter> found = done ? interpreter_for(machine, version) : fail(done.error());
    if (found) return found;
    tried.push_back(std::move(found).error());
  }
  return fail(conda::not_fetched(version, std::move(tried)));
}

}  // namespace pinwheel::host
