#include "doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "doctor/doctor_containers.h"

namespace pinwheel::doctor {
namespace {

constexpr uint64_t kGiB = 1ULL << 30;

DoctorLine python(const DoctorFacts& facts) {
  std::vector<std::string> usable;
  std::vector<std::string> lacking;
  for (const env::Interpreter& interpreter : facts.interpreters) {
    if (interpreter.implementation != "cpython") continue;
    (interpreter.makes_environments ? usable : lacking).push_back(env::full_version(interpreter));
  }
  DoctorLine line{.name = "python", .found = join(usable, ", ")};
  if (usable.empty()) {
    line.verdict = DoctorVerdict::missing;
    line.found = lacking.empty() ? "none" : join(lacking, ", ") + " without venv";
    line.allows = "no package can be built or tested";
    line.fix = lacking.empty() ? "apt-get install python3 python3-venv python3-dev"
                               : "apt-get install python3-venv";
    return line;
  }
  line.allows = "variants with these Python versions";
  if (!lacking.empty()) {
    line.verdict = DoctorVerdict::limited;
    line.found += "; without venv: " + join(lacking, ", ");
    line.fix = "apt-get install python3-venv";
  }
  return line;
}

std::string usable_versions(const DoctorFacts& facts, bool (*wanted)(const env::Interpreter&)) {
  std::vector<std::string> versions;
  for (const env::Interpreter& interpreter : facts.interpreters) {
    const bool usable = interpreter.implementation == "cpython" && interpreter.makes_environments;
    if (usable && wanted(interpreter)) versions.push_back(env::full_version(interpreter));
  }
  return join(versions, ", ");
}

/// The advice for a missing Python: what the user can do, and what pinwheel can do.
std::string way_to(const std::string& version) {
  return fmt::format("uv python install {}, or `environment: {{python: auto}}` in the matrix",
                     version);
}

/// "`cp312-cpu` and 3 more variants".
std::string some_of(const std::vector<std::string>& users) {
  std::string variants = quoted(users.front());
  if (users.size() > 1) variants += " and " + plural(users.size() - 1, "more variant");
  return variants;
}

DoctorLine missing(const MissingPython& python, const DoctorFacts& facts) {
  DoctorLine line{.name = "python " + python.version, .found = "none"};
  const std::string variants = some_of(python.users);
  if (python.fetched) {
    line.allows =
        fmt::format("{}: {} fetches it when a step needs it", variants, facts.uv ? "uv" : "conda");
    return line;
  }
  line.verdict = DoctorVerdict::limited;
  line.allows = fmt::format("not {}", variants);
  line.fix = way_to(python.version);
  return line;
}

DoctorLine free_threaded(const DoctorFacts& facts) {
  constexpr const char* kName = "free-threads";
  const std::string found = usable_versions(
      facts, [](const env::Interpreter& interpreter) { return interpreter.free_threaded; });
  if (!found.empty()) {
    return {kName, DoctorVerdict::good, found, "variants with these Python versions"};
  }
  return {kName, DoctorVerdict::limited, "none", "no variants such as 3.14t", way_to("3.14t")};
}

DoctorLine musl(const DoctorFacts& facts) {
  const std::string found = usable_versions(facts, env::is_for_musl);
  if (!found.empty()) {
    return {"musl", DoctorVerdict::good, "Python " + found, "musllinux wheels"};
  }
  const bool contained =
      std::any_of(facts.engines.begin(), facts.engines.end(),
                  [](const auto& engine) { return engine.second.info.has_value(); });
  const std::string image = "quay.io/pypa/musllinux_1_2_" + facts.arm64.machine;
  if (contained) {
    return {"musl", DoctorVerdict::good, "none",
            fmt::format("musllinux wheels in containers, with the base {}", quoted(image))};
  }
  return {"musl", DoctorVerdict::limited, "none", "no musllinux wheels",
          fmt::format("apt-get install podman, and {}",
                      quoted(fmt::format("environment: {{container: {{base: {}}}}}", image)))};
}

DoctorLine compilers(const DoctorFacts& facts) {
  std::vector<std::string> names;
  names.reserve(facts.compilers.size());
  for (const env::HostCompiler& compiler : facts.compilers) {
    names.push_back(fmt::format("{} {}", compiler.path, compiler.version));
  }
  if (names.empty()) {
    return {"compiler", DoctorVerdict::missing, "none", "no package with C++ can be built",
            "apt-get install g++"};
  }
  return {"compiler", DoctorVerdict::good, join(names, ", "), "packages with C++"};
}

std::vector<const env::Toolkit*> of_kind(const DoctorFacts& facts, std::string_view kind) {
  std::vector<const env::Toolkit*> found;
  for (const env::Toolkit& toolkit : facts.toolkits) {
    if (toolkit.name.starts_with(kind)) found.push_back(&toolkit);
  }
  return found;
}

std::string in_words(const std::vector<const env::Toolkit*>& toolkits) {
  std::vector<std::string> names;
  names.reserve(toolkits.size());
  for (const env::Toolkit* toolkit : toolkits) {
    names.push_back(fmt::format("{} in {}", toolkit->release, toolkit->prefix));
  }
  return join(names, ", ");
}

DoctorLine cuda(const DoctorFacts& facts) {
  const std::vector<const env::Toolkit*> found = of_kind(facts, "cuda/");
  if (found.empty()) {
    return {"cuda", DoctorVerdict::limited, "none",
            "CUDA 13 and newer classes, with nvcc from PyPI",
            "set `toolkit: pypi` in the matrix, or set CUDA_HOME"};
  }
  for (const env::Toolkit* toolkit : found) {
    const env::CompilerRange range = env::supported_compilers(toolkit->release, "");
    const bool any = std::any_of(facts.compilers.begin(), facts.compilers.end(),
                                 [&](const env::HostCompiler& compiler) {
                                   return env::check_compiler(compiler, range, "").has_value();
                                 });
    if (any || facts.compilers.empty()) continue;
    return {"cuda", DoctorVerdict::limited, in_words(found),
            fmt::format("no compiler that CUDA {} supports", toolkit->release),
            fmt::format("apt-get install g++-{}", range.gcc_max)};
  }
  return {"cuda", DoctorVerdict::good, in_words(found), "CUDA classes of this version"};
}

DoctorLine rocm(const DoctorFacts& facts) {
  const std::vector<const env::Toolkit*> found = of_kind(facts, "rocm/");
  if (found.empty()) {
    return {"rocm", DoctorVerdict::limited, "none", "no ROCm class can be built",
            "apt-get install hipcc"};
  }
  return {"rocm", DoctorVerdict::good, in_words(found), "ROCm classes of this version"};
}

/// py-rattler needs CPython 3.10 or newer.
bool runs_rattler(const env::Interpreter& interpreter) {
  constexpr int kFirstMinor = 10;
  const std::vector<std::string> parts = split(interpreter.version, '.');
  return interpreter.implementation == "cpython" && interpreter.makes_environments &&
         parts.size() > 1 && parts[0] == "3" && std::atoi(parts[1].c_str()) >= kFirstMinor;
}

DoctorLine conda(const DoctorFacts& facts) {
  std::vector<std::string> found;
  for (const conda::CondaClient& client : facts.conda) {
    found.push_back(fmt::format("{} {} in {}{}", to_string(client.kind), client.version,
                                client.program, is_recent(client) ? "" : " (too old)"));
  }
  DoctorLine line{.name = "conda", .found = found.empty() ? "none" : join(found, ", ")};
  if (std::any_of(facts.conda.begin(), facts.conda.end(), conda::is_recent)) {
    line.allows = "environments of conda packages";
  } else if (std::any_of(facts.interpreters.begin(), facts.interpreters.end(), runs_rattler)) {
    line.allows = "environments of conda packages, with py-rattler from PyPI";
  } else {
    line.verdict = DoctorVerdict::limited;
    line.allows = "no environments of conda packages: py-rattler needs CPython 3.10";
    line.fix = "apt-get install python3 python3-venv";
  }
  return line;
}

DoctorLine gpu(const DoctorFacts& facts) {
  if (!facts.gpus.empty() && facts.driver.empty()) {
    return {"gpu", DoctorVerdict::limited, join(facts.gpus, ", "), "an AMD GPU: ROCm tests run"};
  }
  if (!facts.gpus.empty()) {
    return {"gpu", DoctorVerdict::good, join(facts.gpus, ", ") + "; driver " + facts.driver,
            "GPU tests run"};
  }
  if (!facts.driver.empty()) {
    return {"gpu", DoctorVerdict::limited, "driver " + facts.driver + ", no GPU responds",
            "GPU tests stop at `loaded`", "nvidia-smi"};
  }
  return {"gpu", DoctorVerdict::limited, "none", "GPU wheels are built and loaded, never executed",
          "run the tests on a machine with a GPU"};
}

/// The hardware of other computes, if the machine has it or a matrix needs it.
std::vector<DoctorLine> other_hardware(const DoctorFacts& facts) {
  std::vector<DoctorLine> lines;
  if (facts.intel_gpu) {
    lines.push_back({"xpu", DoctorVerdict::good, "an Intel GPU", "XPU tests run"});
  }
  for (const WantedDevice& device : facts.devices) {
    const std::string users = some_of(device.users);
    lines.push_back(
        device.is_here ? DoctorLine{"device", DoctorVerdict::good, device.path, "tests of " + users}
                       : DoctorLine{"device", DoctorVerdict::limited, "no " + device.path,
                                    fmt::format("tests of {} stop at `loaded`", users),
                                    "run them on a machine with that device"});
  }
  return lines;
}

DoctorLine disk(const DoctorFacts& facts) {
  DoctorLine line{.name = "disk",
                  .found = fmt::format("{} free in {}", format_bytes(facts.disk_free), facts.disk)};
  if (facts.disk_free < 2'000'000'000) {
    line.verdict = DoctorVerdict::missing;
    line.allows = "too little for an environment with torch";
  } else if (facts.disk_free < 10'000'000'000) {
    line.verdict = DoctorVerdict::limited;
    line.allows = "CPU environments; one with a CUDA torch needs 9 GB";
  } else {
    line.allows = "environments with any torch";
    return line;
  }
  line.fix = "pinwheel env rm ID";
  return line;
}

DoctorLine memory(const DoctorFacts& facts) {
  DoctorLine line{.name = "memory",
                  .found = fmt::format("{:.1f} GiB", static_cast<double>(facts.memory) / kGiB)};
  const uint64_t jobs = std::max<uint64_t>(1, facts.memory / (2 * kGiB));
  line.allows = plural(static_cast<size_t>(jobs), "job") + " of 2 GiB in parallel";
  if (facts.memory < 2 * kGiB) {
    line.verdict = DoctorVerdict::limited;
    line.fix = "add memory or swap";
  }
  return line;
}

}  // namespace

std::string_view to_string(DoctorVerdict verdict) {
  switch (verdict) {
    case DoctorVerdict::good:
      return "good";
    case DoctorVerdict::limited:
      return "limited";
    case DoctorVerdict::missing:
      break;
  }
  return "missing";
}

std::vector<DoctorLine> diagnose_machine(const DoctorFacts& facts) {
  const DoctorLine cores{"cores", facts.cores == 0 ? DoctorVerdict::limited : DoctorVerdict::good,
                         plural(facts.cores, "core"), "as many compilations in parallel"};
  std::vector<DoctorLine> lines = {python(facts)};
  for (const MissingPython& each : facts.missing) lines.push_back(missing(each, facts));
  const std::vector<DoctorLine> tools = {free_threaded(facts), compilers(facts), cuda(facts),
                                         rocm(facts)};
  lines.insert(lines.end(), tools.begin(), tools.end());
  const std::vector<DoctorLine> engines = engine_lines(facts);
  lines.insert(lines.end(), engines.begin(), engines.end());
  const std::vector<DoctorLine> others = {
      musl(facts),       conda(facts), gpu(facts),    gpu_containers_line(facts),
      arm64_line(facts), disk(facts),  memory(facts), cores};
  lines.insert(lines.end(), others.begin(), others.end());
  const std::vector<DoctorLine> hardware = other_hardware(facts);
  lines.insert(lines.end(), hardware.begin(), hardware.end());
  return lines;
}

bool can_build(const std::vector<DoctorLine>& lines) {
  return std::none_of(lines.begin(), lines.end(), [](const DoctorLine& line) {
    return line.verdict == DoctorVerdict::missing;
  });
}

std::string to_json(const DoctorFacts& facts, const std::vector<DoctorLine>& lines) {
  nlohmann::json list = nlohmann::json::array();
  for (const DoctorLine& line : lines) {
    list.push_back({{"name", line.name},
                    {"verdict", to_string(line.verdict)},
                    {"found", line.found},
                    {"allows", line.allows},
                    {"fix", line.fix}});
  }
  const nlohmann::json json = {{"format", 1}, {"gpus", facts.gpus}, {"lines", list}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::doctor
