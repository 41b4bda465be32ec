#include "doctor/doctor_containers.h"

#include <fmt/format.h>

#include "base/text.h"
#include "container/engine.h"

namespace pinwheel::doctor {
namespace {

// Bytes for a base with compilers and one environment with a CPU torch.
constexpr uint64_t kLittle = 5'000'000'000;

DoctorLine silent(const container::EngineClient& client, const EngineFacts& engine) {
  if (engine.version.empty()) {
    return {std::string(client.program), DoctorVerdict::limited,
            fmt::format("{}, printed no version in time", engine.program),
            "no builds or tests in containers",
            fmt::format("run {}: its own configuration may make it hang",
                        quoted(engine.program + " --version"))};
  }
  const std::string why =
      engine.silence.empty() ? "" : fmt::format(" ({})", split(engine.silence, '\n').front());
  return {std::string(client.program), DoctorVerdict::limited,
          fmt::format("{} in {}, does not respond{}", engine.version, engine.program, why),
          "no builds or tests in containers", std::string(client.start)};
}

DoctorLine engine_line(const container::EngineClient& client, const EngineFacts& engine) {
  if (engine.program.empty()) {
    return {std::string(client.program), DoctorVerdict::limited, "none",
            "no builds or tests in its containers",
            fmt::format("apt-get install {}", client.package)};
  }
  if (!engine.info) return silent(client, engine);
  const container::EngineInfo& info = *engine.info;
  DoctorLine line{.name = std::string(client.program),
                  .found = fmt::format("{} in {}, running", info.version, engine.program),
                  .allows = "builds and tests in containers"};
  if (!info.cgroups.empty()) line.found += fmt::format(", cgroup v{}", info.cgroups);
  if (!info.storage.empty()) {
    line.found += fmt::format(", {} free in {}", format_bytes(engine.storage_free), info.storage);
  }
  if (!engine.builds) {
    line.verdict = DoctorVerdict::limited;
    line.found += ", without BuildKit";
    line.allows = "builds and tests in existing images; cannot build Dockerfiles";
    line.fix = "apt-get install docker-buildx";
  } else if (!info.storage.empty() && engine.storage_free < kLittle) {
    line.verdict = DoctorVerdict::limited;
    line.allows = "little space for images: one with compilers needs about 1 GB";
    line.fix = fmt::format("{} system prune", client.program);
  }
  return line;
}

}  // namespace

std::vector<DoctorLine> engine_lines(const DoctorFacts& facts) {
  std::vector<DoctorLine> lines;
  for (const container::Engine engine : container::kEngines) {
    const std::optional<container::EngineClient> client = container::client_of(engine);
    if (!client) continue;
    const auto found = facts.engines.find(engine);
    lines.push_back(
        engine_line(*client, found == facts.engines.end() ? EngineFacts{} : found->second));
  }
  return lines;
}

DoctorLine gpu_containers_line(const DoctorFacts& facts) {
  DoctorLine line{.name = "gpu-runtime"};
  std::vector<std::string> found;
  for (const auto& [engine, of] : facts.engines) {
    if (of.gpus) found.push_back(fmt::format("{} with {}", to_string(engine), *of.gpus));
  }
  line.found = found.empty() ? "none" : join(found, ", ");
  if (!found.empty()) {
    line.allows = "GPU tests in containers, if there is a GPU";
    return line;
  }
  line.verdict = DoctorVerdict::limited;
  line.allows = "GPU wheels are built and loaded in containers, never executed there";
  line.fix = "apt-get install nvidia-container-toolkit";
  return line;
}

DoctorLine arm64_line(const DoctorFacts& facts) {
  const Arm64Facts& arm64 = facts.arm64;
  if (arm64.machine == "aarch64") {
    return {"arm64", DoctorVerdict::good, "native", "aarch64 variants at full speed"};
  }
  std::vector<std::string> found;
  std::vector<std::string> allows;
  const bool contained = arm64.emulation && arm64.emulation->flags.find('F') != std::string::npos;
  if (arm64.emulation) {
    found.push_back(fmt::format("{} through binfmt", arm64.emulation->interpreter));
    allows.emplace_back(contained ? "aarch64 containers run emulated, about ten times slower"
                                  : "aarch64 programs run emulated, but not in containers");
  }
  if (!arm64.cross_compiler.empty()) {
    found.push_back(arm64.cross_compiler);
    allows.emplace_back("C++ is cross-compiled");
  }
  DoctorLine line{.name = "arm64",
                  .found = found.empty() ? "none" : join(found, ", "),
                  .allows = allows.empty() ? "no aarch64 variants" : join(allows, "; ")};
  if (contained && !arm64.cross_compiler.empty()) return line;
  line.verdict = DoctorVerdict::limited;
  line.fix = contained ? "apt-get install g++-aarch64-linux-gnu"
                       : "apt-get install qemu-user-static binfmt-support";
  return line;
}

}  // namespace pinwheel::doctor
