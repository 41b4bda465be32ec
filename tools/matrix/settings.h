#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// Where the CUDA or ROCm toolkit of a class comes from: a prefix of its own.
enum class ToolkitFrom { automatic, path, pypi, conda, container };

/// `{default: X, "cuda/*": Y}` reduced to the entry that matches the variant; templates expanded.
struct TorchSettings {
  std::string spec = {};  ///< pip requirement, "torch~=2.13.0"; empty: no torch in the environment
  std::string index =
      {};  ///< extra index for torch alone; empty: the user's pip configuration decides

  bool operator==(const TorchSettings&) const = default;
};

/// Level 1 of an environment: a Dockerfile built on a base, or the base itself.
struct ContainerSettings {
  std::string dockerfile = {};  ///< relative to the matrix file; empty: the base as it is
  std::string base = {};        ///< the build argument BASE_IMAGE
  std::map<std::string, std::string> arguments = {};  ///< further build arguments
  std::string arch = {};  ///< "aarch64": of the variant, for images of several; empty: the engine's
  std::string target = {};  ///< the stage of the Dockerfile; empty: its last

  bool operator==(const ContainerSettings&) const = default;
};

/// Level 2 of an environment by conda: what its packages are solved from.
struct CondaSettings {
  std::vector<std::string> channels = {};  ///< names or URLs, the first goes first
  std::vector<std::string> packages = {};  ///< match specs, "python=3.11"
  std::vector<std::string> toolkit = {};   ///< match specs of a toolkit from the same channels

  bool operator==(const CondaSettings&) const = default;
};

struct EnvironmentSettings {
  ContainerSettings container = {};
  /// Images that stand in for others: glob on an image's name -> image; the first that matches.
  std::vector<std::pair<std::string, std::string>> mirrors = {};
  CondaSettings conda = {};

  std::vector<std::string> tools = {};  ///< requirements of builds
  std::vector<std::string> pip = {};    ///< requirements
  TorchSettings torch = {};
  ToolkitFrom toolkit = ToolkitFrom::automatic;
  std::map<std::string, std::string> variables = {};  ///< environment variables of builds and tests
};

struct Retry {
  int transient = 4;
  std::chrono::milliseconds backoff_min = std::chrono::seconds(5);
  std::chrono::milliseconds backoff_max = std::chrono::minutes(2);
};

struct BuildSettings {
  std::vector<std::string> command =
      {};  ///< argv; `{dest_dir}`, `{package}`, `{version}` stay for the plan
  std::vector<std::string> arch_list = {};  ///< "8.0", "12.0+PTX", "gfx90a"
  uint64_t memory_per_job = 2ULL << 30;     ///< bytes
  std::chrono::milliseconds timeout = std::chrono::hours(3);
  Retry retry = {};
  std::string with =
      {};  ///< `build.with`: the id of the representative, overriding the computed one
};

/// One check by its rule id, with its argument: {"size", "100 MB"}, {"header", "cuda_runtime.h"}.
struct Check {
  std::string rule;
  std::vector<std::string> arguments = {};
};

struct CheckSettings {
  std::vector<Check> before = {};
  std::vector<Check> after = {};
};

enum class Hardware { none, gpu };

/// Which Python tests in images run: the distribution's own, or one that the image is given.
enum class TestPython { image, provided };

/// Distributions on which a finished wheel is installed and tested.
struct TestImages {
  std::vector<std::string> names = {};  ///< "debian:bookworm"
  TestPython python = TestPython::image;
  std::string dockerfile = {};  ///< relative to the matrix file; empty: the images as they are
  std::map<std::string, std::string> arguments = {};  ///< further build arguments
};

struct TestSettings {
  std::vector<std::string> pip = {};      ///< requirements of the tests alone
  std::vector<std::string> command = {};  ///< argv; empty: import only
  Hardware hardware = Hardware::none;
  /// argv in the place of `command` where a test that needs a GPU has none
  std::vector<std::string> without_gpu = {};
  std::chrono::milliseconds timeout = std::chrono::hours(1);
  TestImages images = {};
};

/// The sections of a matrix file as they hold for one variant: defaults, sections, overrides in
/// order.
struct Settings {
  EnvironmentSettings environment;
  BuildSettings build;
  CheckSettings checks;
  TestSettings test;
};

/// Merges the overrides that match the variant and expands `{python}`, `{torch}`,
/// `{compute.version}`,
/// `{label}` and every other axis. Errors are of kind `config`, with a place.
Result<Settings> settings_for(const Matrix& matrix, const Variant& variant);

}  // namespace pinwheel::matrix
