#include "prepare/workplace.h"

#include <fmt/chrono.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "host/log/masked_log.h"
#include "host/machine/fixed_path.h"
#include "host/machine/ignored_directory.h"
#include "plan/compiler_profile.h"
#include "prepare/host.h"
#include "prepare/store_places.h"

namespace pinwheel::prepare {

namespace fs = std::filesystem;

namespace {

/// "20260102T030405-4711": the time in UTC and the process id.
std::string name_of_this_run(const ports::Clock& clock) {
  const auto now = std::chrono::system_clock::to_time_t(clock.now());
  return fmt::format("{:%Y%m%dT%H%M%S}-{}", fmt::gmtime(now), ::getpid());
}

/// The file that a standard stream is redirected to; empty for a terminal or a pipe.
fs::path redirected_to(int stream) {
  struct stat status = {};
  if (::fstat(stream, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::error_code unknown;
  return fs::read_symlink(fmt::format("/proc/self/fd/{}", stream), unknown);
}

/// The paths that the command line, the variables and the matrix name. An invalid PINWHEEL_STORE is
/// reported where the stores are opened.
std::vector<fs::path> named_paths(const Host& host, const RunScope& scope) {
  const GlobalOptions& global = scope.global;
  std::vector<std::string> names = global.named_files;
  for (const auto* places : {host.stores ? &*host.stores : nullptr, &scope.stores}) {
    if (places == nullptr) continue;
    for (std::string& path : directories_of(*places)) names.push_back(std::move(path));
  }
  std::vector<fs::path> paths;
  for (const std::string& name : names) {
    if (!name.empty()) paths.push_back(host.at(name));
  }
  if (!global.log_file.empty()) {
    paths.push_back(host.at(global.log_file));
  }
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    fs::path file = redirected_to(stream);
    if (!file.empty()) paths.push_back(std::move(file));
  }
  return paths;
}

/// Only the option turns it on: what a variable of the caller profiled must not be published.
void choose_profile(const LevelOptions& levels, std::map<std::string, std::string>& variables) {
  variables.erase(plan::kProfileVariable);
  if (levels.profile) variables[plan::kProfileVariable] = "1";
}

}  // namespace

fs::path unnamed_files_directory(const std::map<std::string, std::string>& variables) {
  const std::string named = value_at(variables, "TMPDIR");
  return named.empty() ? fs::path("/var/tmp") : fs::path(named);
}

Result<fs::path> cache_directory(const Host& host) {
  const std::string named = value_at(host.variables, "PINWHEEL_CACHE_DIR");
  if (!named.empty()) return host.at(named);
  const std::string xdg = value_at(host.variables, "XDG_CACHE_HOME");
  if (!xdg.empty()) return fs::path(xdg) / "pinwheel";
  const std::string home = value_at(host.variables, "HOME");
  if (home.empty()) {
    return fail(ErrorKind::environment, "there is no home directory for the cache",
                "set `HOME` or `XDG_CACHE_HOME`");
  }
  return fs::path(home) / ".cache" / "pinwheel";
}

Result<OpenMachine> cache_machine(const Host& host, const ports::LogHandle& log,
                                  std::stop_token stop) {
  host::Workplace place = outside_run(host, log);
  TRY(place.cache, cache_directory(host));
  place.state = place.cache;
  place.stop = std::move(stop);
  return host.machine(place);
}

Result<host::Workplace> make_workplace(const Host& host, const RunScope& scope,
                                       const ports::LogHandle& log) {
  host::Workplace workplace;
  workplace.engine = scope.levels.engine;
  workplace.log = log;
  workplace.variables = host.variables;
  choose_profile(scope.levels, workplace.variables);
  auto hidden = std::make_shared<HiddenText>();
  for (const Secret& secret : host::secrets_in(workplace.variables)) hidden->add(secret);
  workplace.hidden = std::move(hidden);
  workplace.leases = std::make_shared<host::Leases>();
  TRY(workplace.cache, cache_directory(host));
  workplace.state = host.at(scope.global.state_dir);
  workplace.logs = workplace.state / "logs" / name_of_this_run(host.clock);
  if (!scope.global.logs_dir.empty()) workplace.logs = host.at(scope.global.logs_dir);
  workplace.output = host.at(scope.global.output_dir);
  workplace.matrix_directory = host.at(scope.loaded.matrix.directory);
  workplace.named = named_paths(host, scope);
  TRY_DONE(host::make_ignored_directory(host.files, workplace.state));
  return workplace;
}

host::Workplace with_path_mode(const Host& host, host::Workplace workplace) {
  if (container::uses_containers(workplace.engine)) {
    workplace.paths = host::PathMode::fixed;
    workplace.build_network = ports::Network::loopback;
    return workplace;
  }
  const OpenMachine local = host.machine(workplace);
  workplace.paths = host::probe_path_mode(local->process, workplace.state);
  workplace.build_network = host::probe_network(local->process);
  return workplace;
}

void note_open_network(const host::Workplace& workplace,
                       const std::vector<const plan::Step*>& steps, ports::Notices& notices) {
  if (workplace.build_network == ports::Network::loopback) return;
  const bool unwanted = std::any_of(steps.begin(), steps.end(), [](const plan::Step* step) {
    const auto* const build = plan::build_run_by(step->action);
    return build != nullptr && build->settings.build.network == matrix::BuildNetwork::none;
  });
  if (!unwanted) return;
  notices.note(
      "builds reach the network: this machine allows no network namespaces (`build.network`)\n");
}

}  // namespace pinwheel::prepare
