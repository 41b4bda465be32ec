#include "host/doctor.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/text.h"
#include "host/conda_find.h"
#include "host/gpu.h"
#include "host/interpreters.h"
#include "host/toolkit.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> output_of(const EnvMachine& machine,
                                     const std::vector<std::string>& argv) {
  ports::Command command;
  command.argv = argv;
  command.environment = machine.variables;
  command.timeout = std::chrono::seconds(15);
  const Result<ports::Captured> ran = machine.process.capture(command);
  if (!ran || !ran->exit.ok()) return std::nullopt;
  return std::string(trim(ran->out));
}

std::vector<env::HostCompiler> compilers(const EnvMachine& machine) {
  std::vector<env::HostCompiler> found;
  std::set<std::string> seen;
  for (const char* name : {"g++", "clang++", "g++-11", "g++-12", "g++-13", "g++-14", "g++-15",
                           "clang++-14", "clang++-15", "clang++-16", "clang++-19"}) {
    const std::optional<std::string> output = output_of(machine, {name, "--version"});
    if (!output) continue;
    const env::HostCompiler compiler = env::parse_host_compiler(name, *output);
    const std::string which =
        (compiler.family == env::CompilerFamily::gcc ? "gcc " : "clang ") + compiler.version;
    if (seen.insert(which).second) found.push_back(compiler);
  }
  return found;
}

void docker(const EnvMachine& machine, env::DoctorFacts& facts) {
  const auto client = output_of(machine, {"docker", "version", "--format", "{{.Client.Version}}"});
  const auto server = output_of(machine, {"docker", "version", "--format", "{{.Server.Version}}"});
  // Without its daemon `docker version` fails, even for the client's own version.
  const auto any = client ? client : output_of(machine, {"docker", "--version"});
  facts.docker = server ? env::Docker::ready : any ? env::Docker::no_daemon : env::Docker::missing;
  facts.docker_version = server.value_or(any.value_or(""));
}

uint64_t memory_bytes(ports::Files& files) {
  const Result<std::string> text = files.read("/proc/meminfo");
  if (!text) return 0;
  const size_t at = text->find("MemTotal:");
  if (at == std::string::npos) return 0;
  return std::strtoull(text->c_str() + at + 9, nullptr, 10) * 1024;
}

/// The nearest directory that exists: the cache may not have been made yet.
fs::path existing(ports::Files& files, fs::path path) {
  while (path.has_relative_path()) {
    const Result<ports::FileStatus> status = files.status(path);
    if (status && status->type == ports::FileType::directory) break;
    path = path.parent_path();
  }
  return path;
}

}  // namespace

env::DoctorFacts gather_doctor_facts(const EnvMachine& machine) {
  env::DoctorFacts facts;
  facts.interpreters = list_interpreters(machine.files, machine.process, machine.variables);
  facts.compilers = compilers(machine);
  facts.toolkits = list_toolkits(machine);
  docker(machine, facts);
  facts.conda = list_conda_clients(machine);
  Gpus gpus = find_gpus(machine);
  facts.gpus = std::move(gpus.names);
  facts.driver = std::move(gpus.driver);
  facts.disk = machine.cache.string();
  facts.disk_free = machine.files.free_bytes(existing(machine.files, machine.cache)).value_or(0);
  facts.memory = memory_bytes(machine.files);
  facts.cores = std::thread::hardware_concurrency();
  return facts;
}

}  // namespace pinwheel::host
