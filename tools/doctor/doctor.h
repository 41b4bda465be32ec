#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conda/conda_client.h"
#include "container/engine.h"
#include "env/interpreter.h"
#include "env/toolkit.h"

namespace pinwheel::doctor {

/// A container engine of this machine.
struct EngineFacts {
  std::string program = {};                        ///< the client; empty: not installed
  std::string version = {};                        ///< the client's; empty: it printed none in time
  std::string silence = {};                        ///< why the engine does not respond
  std::optional<container::EngineInfo> info = {};  ///< none: it does not respond
  bool builds = true;         ///< whether the client can build images with BuildKit
  uint64_t storage_free = 0;  ///< bytes, where its images are stored
  std::optional<std::string> gpus =
      {};  ///< the runtime that exposes NVIDIA GPUs to containers; none: there is none
};

/// The ways to build or run programs for aarch64.
struct Arm64Facts {
  std::string machine = "x86_64";                   ///< this one
  std::optional<container::Binfmt> emulation = {};  ///< qemu through binfmt_misc
  std::string cross_compiler = {};                  ///< "aarch64-linux-gnu-g++ 12.2.0"; empty: none
};

/// A Python of a matrix that this machine does not have.
struct MissingPython {
  std::string version;                  ///< "3.13t"
  bool fetched = false;                 ///< `environment.python: auto`
  std::vector<std::string> users = {};  ///< variants
};

/// A device that tests of a matrix need.
struct WantedDevice {
  std::string path;  ///< "/dev/accel0"
  bool is_here = false;
  std::vector<std::string> users = {};  ///< variants
};

/// Facts about this machine, gathered once.
struct DoctorFacts {
  std::vector<env::Interpreter> interpreters = {};
  bool uv = false;                          ///< whether uv is on PATH
  std::vector<MissingPython> missing = {};  ///< of the matrix, if one was named
  std::vector<env::HostCompiler> compilers = {};
  std::vector<env::Toolkit> toolkits = {};                ///< CUDA and ROCm
  std::map<container::Engine, EngineFacts> engines = {};  ///< those that have a client
  Arm64Facts arm64 = {};
  std::vector<conda::CondaClient> conda = {};  ///< the user's, in order of preference
  std::string driver = {};                     ///< NVIDIA's kernel driver; empty: none
  std::vector<std::string> gpus = {};          ///< names, from NVIDIA and AMD
  bool intel_gpu = false;
  std::vector<WantedDevice> devices = {};  ///< of the matrix, if one was named
  std::string disk = {};                   ///< the directory of the cache
  uint64_t disk_free = 0;                  ///< bytes
  uint64_t memory = 0;                     ///< total bytes
  unsigned cores = 0;
};

/// `limited`: pinwheel works, but not everything is possible.
enum class DoctorVerdict { good, limited, missing };
std::string_view to_string(DoctorVerdict verdict);

/// A line of `pinwheel doctor`.
struct DoctorLine {
  std::string name;
  DoctorVerdict verdict = DoctorVerdict::good;
  std::string found = {};
  std::string allows = {};  ///< the features that work, or not, with it
  std::string fix = {};     ///< a command that fixes it; empty if nothing is wrong
};

/// One line each for interpreters, every missing Python of the matrix, free-threaded interpreters,
/// compilers, CUDA, ROCm, every container engine, musl, conda, GPU, GPUs in containers, arm64,
/// disk, memory, cores, in this order. Pure.
std::vector<DoctorLine> diagnose_machine(const DoctorFacts& facts);

/// Whether the machine can build and test a CPU package: Python, compiler and disk space are not
/// missing.
bool can_build(const std::vector<DoctorLine>& lines);

/// `{"format": 1, "gpus": [NAME], "lines": [{"name", "verdict", "found", "allows", "fix"}]}`.
std::string to_json(const DoctorFacts& facts, const std::vector<DoctorLine>& lines);

}  // namespace pinwheel::doctor
