#include "host/provision/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "container/engine.h"
#include "env/pass_list.h"
#include "host/machine/container_engine.h"
#include "host/machine/env_machine.h"
#include "host/machine/gpu.h"
#include "host/machine/machine_name.h"
#include "host/provision/conda_find.h"
#include "host/provision/fetch_python.h"
#include "host/provision/interpreters.h"
#include "host/provision/toolkit.h"
#include "host/system/program.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

std::vector<env::HostCompiler> compilers(const EnvMachine& machine) {
  std::vector<env::HostCompiler> found;
  std::set<std::string> seen;
  for (const char* name : {"g++", "clang++", "g++-11", "g++-12", "g++-13", "g++-14", "g++-15",
                           "clang++-14", "clang++-15", "clang++-16", "clang++-19"}) {
    const std::optional<std::string> output = ask_program(machine, {name, "--version"});
    if (!output) continue;
    const env::HostCompiler compiler = env::parse_host_compiler(name, *output);
    const std::string which =
        (compiler.family == env::CompilerFamily::gcc ? "gcc " : "clang ") + compiler.version;
    if (seen.insert(which).second) found.push_back(compiler);
  }
  return found;
}

uint64_t memory_bytes(ports::Files& files) {
  const Result<std::string> text = files.read("/proc/meminfo");
  if (!text) return 0;
  const size_t at = text->find("MemTotal:");
  if (at == std::string::npos) return 0;
  return std::strtoull(text->c_str() + at + 9, nullptr, 10) * 1024;
}

/// The nearest existing directory: the cache may not have been created yet.
fs::path existing(ports::Files& files, fs::path path) {
  while (path.has_relative_path()) {
    const Result<ports::FileStatus> status = files.status(path);
    if (status && status->type == ports::FileType::directory) break;
    path = path.parent_path();
  }
  return path;
}

/// The engine's own report; a client that cannot reach it fails or prints only its own part.
std::optional<container::EngineInfo> ask_engine(const EnvMachine& machine,
                                                const container::EngineClient& kind,
                                                doctor::EngineFacts& facts) {
  ports::Command command{{facts.program, "info", "--format", std::string(kind.info_format)},
                         "/",
                         env::variables_for(env::Helper::container, machine.variables),
                         std::chrono::seconds(15)};
  const Result<ports::Captured> ran = machine.process.capture(command);
  if (!ran) return std::nullopt;
  facts.silence = ran->exit.timed_out ? "no response in time" : std::string(trim(ran->err));
  return kind.parse_info(ran->out);
}

/// The mechanism that exposes NVIDIA GPUs to containers: a runtime, a CDI file or the engine's
/// hook.
std::optional<std::string> gpus_of(const EnvMachine& machine, const container::EngineClient& kind,
                                   const container::EngineInfo& info) {
  const bool runtime =
      std::find(info.runtimes.begin(), info.runtimes.end(), "nvidia") != info.runtimes.end();
  if (runtime) return "the nvidia runtime";
  for (const char* const cdi : {"/etc/cdi/nvidia.yaml", "/var/run/cdi/nvidia.yaml"}) {
    const Result<ports::FileStatus> status = machine.files.status(cdi);
    if (status && status->type != ports::FileType::missing) return cdi;
  }
  const std::string hook(kind.gpu_hook);
  const bool there = !hook.empty() && find_program(hook, machine.variables).has_value();
  return there ? std::optional(hook) : std::nullopt;
}

doctor::EngineFacts engine_facts(const EnvMachine& machine, container::Engine engine,
                                 const container::EngineClient& kind) {
  doctor::EngineFacts facts;
  const std::optional<ContainerEngine> client =
      find_client(machine.files, machine.process, engine, machine.variables);
  if (!client) return facts;
  facts.program = client->client;
  facts.version = client->version;
  facts.builds = client->buildkit != BuildKit::missing;
  if (client->version.empty()) return facts;
  facts.info = ask_engine(machine, kind, facts);
  if (!facts.info) return facts;
  facts.storage_free =
      machine.files.free_bytes(existing(machine.files, facts.info->storage)).value_or(0);
  facts.gpus = gpus_of(machine, kind, *facts.info);
  return facts;
}

doctor::Arm64Facts arm64_facts(const EnvMachine& machine) {
  doctor::Arm64Facts facts{.machine = machine_name()};
  constexpr const char* kCross = "aarch64-linux-gnu-g++";
  if (const auto output = ask_program(machine, {kCross, "--version"})) {
    facts.cross_compiler =
        fmt::format("{} {}", kCross, env::parse_host_compiler(kCross, *output).version);
  }
  const Result<std::string> text = machine.files.read("/proc/sys/fs/binfmt_misc/qemu-aarch64");
  if (text) facts.emulation = container::parse_binfmt(*text);
  return facts;
}

}  // namespace

doctor::DoctorFacts gather_doctor_facts(const EnvMachine& machine) {
  doctor::DoctorFacts facts;
  std::vector<std::function<void()>> questions = {
      [&] {
        facts.interpreters =
            list_interpreters(machine.files, machine.process, machine.variables, machine.cache);
      },
      [&] { facts.uv = has_uv(machine); },
      [&] { facts.compilers = compilers(machine); },
      [&] { facts.toolkits = list_toolkits(machine); },
      [&] { facts.arm64 = arm64_facts(machine); },
      [&] { facts.conda = list_conda_clients(machine); },
      [&] {
        Gpus gpus = find_gpus(machine);
        facts.gpus = std::move(gpus.names);
        facts.driver = std::move(gpus.driver);
      },
  };
  for (const container::Engine engine : container::kEngines) {
    const std::optional<container::EngineClient> kind = container::client_of(engine);
    if (!kind) continue;
    doctor::EngineFacts& answer = facts.engines[engine];
    questions.emplace_back(
        [&machine, &answer, engine, kind] { answer = engine_facts(machine, engine, *kind); });
  }
  // A program that hangs must not delay the others.
  const std::vector<uint64_t> costs(questions.size(), 1);
  run_jobs(costs, {static_cast<unsigned>(questions.size())}, [&](size_t i) { questions[i](); });
  facts.intel_gpu = has_hardware(machine, "xpu");
  facts.disk = machine.cache.string();
  facts.disk_free = machine.files.free_bytes(existing(machine.files, machine.cache)).value_or(0);
  facts.memory = memory_bytes(machine.files);
  facts.cores = std::thread::hardware_concurrency();
  return facts;
}

}  // namespace pinwheel::host
