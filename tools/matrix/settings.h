#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// The source of a class's CUDA or ROCm toolkit, which has its own prefix.
enum class ToolkitFrom { automatic, path, pypi, conda, container };

/// The torch to install. `{default: X, "cuda/*": Y}` is reduced to the entry that matches the
/// variant; templates are expanded.
struct TorchSettings {
  std::string spec = {};   ///< pip requirement, "torch~=2.13.0"; empty: no torch in the environment
  std::string index = {};  ///< the index of torch alone; empty: as pip is configured

  bool operator==(const TorchSettings&) const = default;
};

/// The container image of an environment (level 1): a Dockerfile built on a base, or the base
/// itself.
struct ContainerSettings {
  std::string dockerfile = {};  ///< relative to the matrix file; empty: the base as is
  std::string base = {};        ///< the build argument BASE_IMAGE
  std::map<std::string, std::string> arguments = {};  ///< additional build arguments
  std::string arch =
      {};  ///< "aarch64": the variant's, for multi-platform images; empty: the engine's
  std::string target = {};  ///< the target stage of the Dockerfile; empty: the last

  bool operator==(const ContainerSettings&) const = default;
};

/// The conda packages of an environment (level 2).
struct CondaSettings {
  std::vector<std::string> channels = {};  ///< names or URLs, highest priority first
  std::vector<std::string> packages = {};  ///< match specs, "python=3.11"
  std::vector<std::string> toolkit = {};   ///< match specs of a toolkit from the same channels

  bool operator==(const CondaSettings&) const = default;
};

/// Whether an environment contains the requirements of the project's `[build-system]`.
enum class BuildRequires { automatic, none };

/// The source of a Python that the machine lacks: none, which is an error, or uv or conda.
enum class PythonFrom { found, automatic };

/// The program through which builds compile. It is not part of any key: wheels have the same bytes
/// without it.
enum class CompilerCache { none, ccache, sccache };

struct EnvironmentSettings {
  ContainerSettings container = {};
  /// Replacement images: glob on an image's name -> image; the first match applies.
  std::vector<std::pair<std::string, std::string>> mirrors = {};
  CondaSettings conda = {};

  PythonFrom python = PythonFrom::found;
  std::vector<std::string> tools = {};  ///< build tools
  std::vector<std::string> pip = {};    ///< requirements
  BuildRequires build_requires = BuildRequires::automatic;
  TorchSettings torch = {};
  ToolkitFrom toolkit = ToolkitFrom::automatic;
  std::vector<std::string> toolkit_packages = {};     ///< of `toolkit: {pypi: [...]}`, sorted
  std::map<std::string, std::string> variables = {};  ///< environment variables of builds and tests
  std::vector<std::string> secrets = {};  ///< names of the caller's variables that they also get
  CompilerCache compiler_cache = CompilerCache::none;
};

struct Retry {
  int transient = 4;
  std::chrono::milliseconds backoff_min = std::chrono::seconds(5);
  std::chrono::milliseconds backoff_max = std::chrono::minutes(2);
};

enum class RepairMode { automatic, none, command };

/// The handling of system libraries that a built wheel needs.
struct RepairSettings {
  RepairMode mode = RepairMode::automatic;
  std::vector<std::string> command = {};  ///< argv; the plan fills `{wheel}` and `{dest_dir}`

  bool operator==(const RepairSettings&) const = default;
};

/// Whether the build command reaches the network.
enum class BuildNetwork { none, whole };

/// When the state of a build is saved, so that a later run can continue it.
struct CheckpointSettings {
  std::chrono::milliseconds every = std::chrono::minutes(30);   ///< while it runs
  std::chrono::milliseconds before = std::chrono::minutes(10);  ///< the end of the run's time

  bool operator==(const CheckpointSettings&) const = default;
};

/// Whether the device code of each architecture is compiled in a job of its own.
enum class BuildSplit { none, architectures };

struct BuildSettings {
  std::vector<std::string> command =
      {};  ///< argv, never empty; the plan fills `{dest_dir}`, `{package}`, `{version}`
  /// "8.0", "12.0+PTX", "gfx90a"; empty for a compute without GPU architectures, such as "cpu"
  std::vector<std::string> arch_list = {};
  uint64_t memory_per_job = 2ULL << 30;  ///< bytes
  std::chrono::milliseconds timeout = std::chrono::hours(3);
  Retry retry = {};
  RepairSettings repair = {};
  std::vector<std::string> external = {};  ///< sonames or globs of libraries that others provide
  BuildNetwork network = BuildNetwork::none;
  std::optional<CheckpointSettings> checkpoint = std::nullopt;  ///< none: nothing is saved
  BuildSplit split = BuildSplit::none;  ///< `architectures`: `arch_list` has several
  std::string with =
      {};  ///< `build.with`: the id of the representative, overriding the computed one
};

/// A check: its rule id and arguments, e.g. {"size", "100 MB"}, {"header", "cuda_runtime.h"}.
struct Check {
  std::string rule;
  std::vector<std::string> arguments = {};
};

struct CheckSettings {
  std::vector<Check> before = {};
  std::vector<Check> after = {};
  std::vector<std::string> accept = {};  ///< rules for wheels whose findings are intended
};

enum class Hardware { none, gpu };

/// The packages in a test's environment besides its wheel and `test.pip`: only the variant's torch,
/// or those of the build.
enum class TestEnvironment { clean, build };

/// The Python of tests in images: the distribution's own, or one that the Dockerfile provides.
enum class TestPython { image, provided };

/// Distributions on which a finished wheel is installed and tested.
struct TestImages {
  std::vector<std::string> names = {};  ///< "debian:bookworm"
  TestPython python = TestPython::image;
  std::string dockerfile = {};  ///< relative to the matrix file; empty: the images as is
  std::map<std::string, std::string> arguments = {};  ///< additional build arguments
};

struct TestSettings {
  TestEnvironment environment = TestEnvironment::clean;
  std::vector<std::string> pip = {};      ///< requirements of the tests only
  std::vector<std::string> command = {};  ///< argv; empty: import only
  Hardware hardware = Hardware::none;
  /// The device file of a machine with that hardware; empty: a GPU of the compute's family.
  std::string device = {};
  /// argv that replaces `command` when the test needs a GPU and there is none
  std::vector<std::string> without_gpu = {};
  std::chrono::milliseconds timeout = std::chrono::hours(1);
  TestImages images = {};
};

/// The settings of one variant: defaults, then the sections of the matrix file, then overrides in
/// order.
struct Settings {
  EnvironmentSettings environment;
  BuildSettings build;
  CheckSettings checks;
  TestSettings test;
};

/// Merges the overrides that match the variant, adds the defaults that depend on the project (the
/// build command, `Matrix::build_requires`) and expands `{python}`, `{torch}`,
/// `{compute.version}`,
/// `{label}` and every other axis. Errors are of kind `config`, with a place.
Result<Settings> settings_for(const Matrix& matrix, const Variant& variant);

/// The environment of a variant by the file alone, without the project's requirements.
Result<EnvironmentSettings> own_environment(const Matrix& matrix, const Variant& variant);

/// The parts of NVIDIA's CUDA toolkit on PyPI: the extras of `cuda-toolkit` 13.0 to 13.2.
inline constexpr std::array<std::string_view, 29> kCudaParts = {
    "cccl",      "crt",      "cublas",    "cudart",        "cudla",    "cufft",
    "cufile",    "culibos",  "cuobjdump", "cupti",         "curand",   "cusolver",
    "cusparse",  "cuxxfilt", "npp",       "nvcc",          "nvdisasm", "nvfatbin",
    "nvjitlink", "nvjpeg",   "nvml",      "nvptxcompiler", "nvrtc",    "nvtx",
    "nvvm",      "opencl",   "profiler",  "sanitizer",     "tileiras"};

}  // namespace pinwheel::matrix
