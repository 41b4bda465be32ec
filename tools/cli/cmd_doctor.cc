#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/commands.h"
#include "cli/doctor_cache.h"
#include "doctor/doctor.h"
#include "host/machine/gpu.h"
#include "host/provision/doctor.h"
#include "host/provision/interpreters.h"
#include "matrix/axis_value.h"
#include "matrix/settings.h"
#include "prepare/configuration.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/python_use.h"
#include "prepare/slurm_cluster.h"
#include "prepare/workplace.h"
#include "slurm/diagnose.h"

namespace pinwheel::cli {
namespace {

std::string as_text(const std::vector<doctor::DoctorLine>& lines) {
  std::string out;
  for (const doctor::DoctorLine& line : lines) {
    const char* const mark = line.verdict == doctor::DoctorVerdict::good      ? "ok"
                             : line.verdict == doctor::DoctorVerdict::limited ? "--"
                                                                              : "no";
    out += fmt::format("{}  {:<13}{}\n", mark, line.name, line.found);
    if (!line.allows.empty()) out += fmt::format("    {:<13}{}\n", "", line.allows);
    if (!line.fix.empty()) out += fmt::format("    {:<13}fix: {}\n", "", line.fix);
  }
  return out;
}

/// The devices for the tests of a matrix.
Result<std::vector<doctor::WantedDevice>> wanted_devices(const prepare::Loaded& loaded,
                                                         const host::EnvMachine& machine) {
  std::vector<doctor::WantedDevice> devices;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    TRY(const matrix::Settings settings, matrix::settings_for(loaded.matrix, variant));
    const std::string& path = settings.test.device;
    if (path.empty()) continue;
    auto known = std::ranges::find(devices, path, &doctor::WantedDevice::path);
    if (known == devices.end()) {
      devices.push_back({path, host::has_hardware(machine, {}, path), {}});
      known = devices.end() - 1;
    }
    known->users.push_back(variant.id);
  }
  return devices;
}

/// The Pythons of a matrix that this machine lacks.
Result<std::vector<doctor::MissingPython>> missing_pythons(const prepare::Loaded& loaded,
                                                           const host::EnvMachine& machine) {
  std::vector<doctor::MissingPython> missing;
  TRY(const std::vector<prepare::PythonUse> uses, prepare::python_uses(loaded));
  for (const prepare::PythonUse& use : uses) {
    if (use.libc == matrix::kMusl || host::interpreter_for(machine, use.version)) continue;
    missing.push_back({use.version, use.from == matrix::PythonFrom::automatic, use.users});
  }
  return missing;
}

/// The computes of a matrix, in its order.
std::vector<std::string> computes_of(const prepare::Loaded& loaded) {
  std::vector<std::string> computes;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    const std::string& compute = variant.get("compute");
    const bool known = std::ranges::find(computes, compute) != computes.end();
    if (!compute.empty() && !known) computes.push_back(compute);
  }
  return computes;
}

/// What a Slurm cluster lacks.
Result<int> doctor_of_slurm(const prepare::Host& host, const host::EnvMachine& machine,
                            const std::optional<prepare::Loaded>& loaded,
                            const DoctorOptions& options, Streams& streams) {
  TRY(const slurm::ExecutorSettings settings, prepare::read_configuration(host));
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const slurm::ClusterFacts facts = prepare::gather_cluster_facts(
      host, machine, settings.slurm,
      options.test_job ? prepare::TestJob::submit : prepare::TestJob::none, program.string());
  const std::vector<doctor::DoctorLine> lines = slurm::diagnose_cluster(
      facts, settings, loaded ? computes_of(*loaded) : std::vector<std::string>());
  if (options.json) {
    streams.json(slurm::to_json(settings, lines));
  } else {
    streams.lines(as_text(lines));
  }
  return doctor::can_build(lines) ? 0 : exit_code(ErrorKind::environment);
}

}  // namespace

Result<int> cmd_doctor(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const DoctorOptions& options, Streams& streams) {
  if (options.test_job) TRY_DONE(prepare::check_test_job(options.executor));
  TRY(const std::filesystem::path cache, prepare::cache_directory(host));
  host::Workplace place = prepare::outside_run(host, streams.log());
  place.cache = cache;
  place.state = global.state_dir;
  const prepare::OpenMachine local = host.machine(place);
  if (options.cache) return doctor_of_caches(host, options, *local, streams);
  std::optional<prepare::Loaded> loaded;
  if (!options.matrix.empty()) {
    TRY(loaded,
        prepare::load_matrix(host.files, options.matrix, streams, prepare::Warnings::print));
  }
  if (options.executor == "slurm") return doctor_of_slurm(host, *local, loaded, options, streams);
  doctor::DoctorFacts facts = host::gather_doctor_facts(*local);
  if (loaded) {
    TRY(facts.missing, missing_pythons(*loaded, *local));
    TRY(facts.devices, wanted_devices(*loaded, *local));
  }
  const std::vector<doctor::DoctorLine> lines = doctor::diagnose_machine(facts);
  if (options.json) {
    streams.json(doctor::to_json(facts, lines));
  } else {
    streams.lines(as_text(lines));
  }
  return doctor::can_build(lines) ? 0 : exit_code(ErrorKind::environment);
}

}  // namespace pinwheel::cli
