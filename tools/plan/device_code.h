#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

// Device code that is compiled in jobs of its own (`build.split: architectures`)
//
// nvcc is a driver. For each architecture it calls cicc, which turns preprocessed code into PTX and
// writes the host code that calls kernels, and ptxas, which turns PTX into a cubin. nvcc packs the
// cubins of all architectures into the host object. The job of an architecture runs the build with
// that architecture only, and stores what cicc and ptxas wrote under a digest of what they read:
// the preprocessed code, the options and the programs themselves. The job of the wheel runs the
// unchanged build. Where it would run cicc or ptxas with an input that a job has compiled, it takes
// the output instead. So the wheel has the same bytes as one built in a single job, and an input
// that differs is noticed rather than linked.
//
// The project's build stays as it is. A launcher (`CMAKE_CUDA_COMPILER_LAUNCHER`, `PYTORCH_NVCC`)
// starts nvcc through a symbolic link. Next to the link, an `nvcc.profile` names other places for
// cicc and ptxas. The commands that nvcc prints (`--dryrun`) must be the same as without the link;
// otherwise nvcc runs without it. For one architecture, the launcher removes the others from the
// options `-gencode`, and defines `__CUDA_ARCH_LIST__` as nvcc would for all of them, because
// headers use it.
namespace pinwheel::plan {

/// Names in the directory of the programs.
inline constexpr const char* kDeviceLauncherName = "launcher";
inline constexpr const char* kDeviceNvccName = "nvcc";  ///< for PYTORCH_NVCC, which is one word
inline constexpr const char* kDeviceToolName = "tool";  ///< in place of cicc and ptxas
inline constexpr const char* kDeviceModeName = "mode";  ///< "link", or the number of `-gencode`
inline constexpr const char* kDeviceObjectsName = "objects";  ///< a directory for each output
inline constexpr const char* kDeviceIndexName = "index";      ///< lines of stored outputs
inline constexpr const char* kDeviceUsesName = "uses";        ///< a line for each call
inline constexpr const char* kDeviceAboutName = "about";      ///< in a directory of an output

inline constexpr ByteLimit kDeviceCodeLimit{"the device code of an architecture", 20'000'000'000};
inline constexpr ByteLimit kDeviceListLimit{"a list of device code", 64'000'000};

/// The mode of the launcher for an entry of `arch_list`: "90a" for "9.0a+PTX".
std::string device_mode(std::string_view architecture);

/// The file name of the device code that a step compiled, "cu130-9.0-5b10d5f23b00.device-code".
std::string device_code_name(std::string_view build_class, std::string_view architecture);

/// The directory below the output directory for the files of a step: only those to publish are in
/// the output directory itself.
std::string output_directory(std::string_view step);

/// Whether a name in an archive of device code is one that `device_tool_script` writes: the digest
/// of an input, `/`, and the name of an output.
bool is_device_member(std::string_view name);

/// A run of cicc or ptxas.
struct DeviceCompilation {
  std::string tool = {};          ///< "cicc"
  std::string architecture = {};  ///< "compute_90", "sm_90"
  std::string source = {};        ///< as the build sees it; for ptxas the name of the object
  std::string arguments = {};     ///< digests: of the arguments,
  std::string input = {};         ///< of what it reads,
  std::string programs = {};      ///< and of the programs

  bool operator==(const DeviceCompilation&) const = default;
};

/// What the programs recorded. Lines of another form are ignored: a killed program writes half of
/// one.
struct DeviceUses {
  std::vector<DeviceCompilation> made = {};    ///< compiled and stored
  std::vector<DeviceCompilation> hits = {};    ///< taken from a job
  std::vector<DeviceCompilation> misses = {};  ///< compiled, because no job did
  std::vector<DeviceCompilation> others = {};  ///< a job compiled another input for this source
  std::vector<DeviceCompilation> alone = {};   ///< compiled, and cannot be stored
  std::vector<std::string> refusals = {};      ///< why nvcc ran alone, in order
};
DeviceUses parse_device_uses(std::string_view text);

/// The compilations of an index.
std::vector<DeviceCompilation> parse_device_index(std::string_view text);

/// The build that a message is about: its class, and its source directory as the build sees it,
/// "/tmp/build/src/", which is removed from paths in messages.
struct DeviceBuild {
  std::string class_id;
  std::string root;
};

/// `check` if the build compiled no code for the architecture, with the reason.
Done judge_device_code(const DeviceUses& uses, const DeviceBuild& build,
                       std::string_view architecture);

/// `check` if the build could not use what its jobs have compiled, with the file and the reason:
/// none of it, or the jobs saw other sources.
Done judge_linked_code(const DeviceUses& uses, const DeviceBuild& build,
                       const std::vector<DeviceCompilation>& index);

/// A note on what was compiled again; empty if nothing was.
std::string repeated_compilations(const DeviceUses& uses, const DeviceBuild& build);

}  // namespace pinwheel::plan
