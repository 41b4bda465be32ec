#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "env/request.h"
#include "matrix/settings.h"
#include "plan/names.h"
#include "wheel/naming.h"

namespace pinwheel::plan {

/// The files of a snapshot.
struct SourceFiles {
  std::map<std::string, std::string> digests = {};  ///< by name: kind and sha256
  std::map<std::string, uint64_t> sizes = {};       ///< by name, in bytes; links have none
};

/// The source of a build: a snapshot of a directory, or an sdist from the index.
struct Source {
  std::string directory = {};       ///< absolute; exported to scratch, never built in place
  std::string requirement = {};     ///< "torch-scatter==2.1.2": `directory` is its unpacked sdist
  std::string digest = {};          ///< sha256 over the snapshot's (path, mode, contents)
  std::string url = {};             ///< of the sdist; not in the key
  std::string archive_sha256 = {};  ///< of the sdist; not in the key
  /// The files of the snapshot, from which changes are reported later; not in the key. May be null.
  std::shared_ptr<const SourceFiles> files = {};
  /// Patterns of files that the snapshot omits (project/ignored_files.h).
  std::vector<std::string> ignored = {};
};

/// The last change of the files from which a wheel is built. Other commits, such as those of
/// documentation, do not change the wheel.
struct SourceChange {
  std::string commit = {};  ///< 40 digits; empty outside git
  int64_t epoch = 0;        ///< the time of that commit, or SOURCE_DATE_EPOCH if the user sets it

  bool operator==(const SourceChange&) const = default;
};

/// Makes a base environment (Python, torch, tools, toolkit) once, under a lock.
struct CreateEnvironment {
  env::Request request;
  std::string resolution = {};  ///< digest of the exact packages
  std::string image = {};       ///< content key of the container's image; empty: the host
  /// The compute of the first test that needs it; empty if a build needs it. A machine that can
  /// only load such wheels installs less, and a step that needs more installs it itself. Not in the
  /// key: evidence from a machine with a GPU counts here too.
  std::string only_tests = {};
};

/// Makes a toolkit from packages in a prefix of its own, once, under a lock.
struct MakeToolkit {
  env::Request request;       ///< of a build: the toolkit and its source
  std::string packages = {};  ///< identifies the exact packages; empty: not resolved
  std::string image = {};     ///< content key of the container's image; empty: the host
};

/// Another build of the same plan whose wheel differs only in its tags.
struct Sibling {
  std::string step;  ///< "build:cp311"
  WheelTags tags;
};

/// Runs the checks before the build, builds in scratch, finishes the wheels, and runs the checks
/// after.
struct BuildWheel {
  std::string class_id;
  /// The name that METADATA must have; empty if every target has a name of its own.
  std::string package_name = {};
  env::Request environment;
  Source source;
  matrix::Settings settings;
  std::string version;    ///< public version, without a local part
  std::string arch = {};  ///< of the representative, "aarch64"; empty without that axis
  std::string compute;    ///< of the representative, "cuda/13.0"
  std::string torch;      ///< of the representative, "2.13"
  matrix::TorchAbi torch_abi = matrix::TorchAbi::none;
  std::string torch_target = {};                 ///< of a Stable-ABI class, "2.10"
  std::map<std::string, std::string> variables;  ///< complete allow-listed environment of the build
  std::vector<wheel::Naming> namings;            ///< one finished wheel per naming
  WheelTags tags;                   ///< for the file names; the platform tag is decided later
  std::string toolchain = {};       ///< version output of the host's compiler
  std::string requires_torch = {};  ///< "torch>=2.10" for Requires-Dist; empty: unchanged
  int64_t source_date_epoch = 0;
  std::string record_json;             ///< contents of dist-info/pinwheel.json
  std::vector<Sibling> siblings = {};  ///< in plan order; not in the key
  /// The environment in which `checks.after: operators` loads the wheel: that of the variant's
  /// tests. Without a Python if there is no such check.
  env::Request checked_in = {};
  std::vector<std::string> secrets = {};  ///< names of variables; no value is in a plan
  uint64_t build_number = 0;              ///< of its wheels, as in `namings`; 0: none
};

/// Runs the command of a build to compile the device code of one architecture (plan/device_code.h).
struct CompileDeviceCode {
  BuildWheel build;          ///< without names, records and checks of its wheel
  std::string architecture;  ///< as in `arch_list`, "9.0"
};

/// Builds and checks the sdist.
struct BuildSdist {
  env::Request environment;
  Source source;
  std::string distribution;
  std::string version;
  std::map<std::string, std::string> variables;
  int64_t source_date_epoch = 0;
  std::vector<std::string> secrets = {};  ///< names of variables
  matrix::BuildNetwork network = matrix::BuildNetwork::none;
};

/// Installs a wheel of `build` into a fresh overlay of the variant's environment and runs the
/// tests.
struct TestWheel {
  std::string variant_id;
  std::string build;  ///< id of the step whose wheel it tests
  env::Request environment;
  matrix::TestSettings settings;
  std::string package_name;
  std::string arch = {};  ///< "aarch64"; empty without that axis
  std::string compute;
  Source source;  ///< for tests inside the package
  std::map<std::string, std::string> variables;
  std::vector<std::string> operators = {};  ///< those of `checks.after: operators`
  std::string image = {};                   ///< the distribution, as the matrix names it
  std::string skip = {};                    ///< why it is skipped; empty: it runs
  std::vector<std::string> secrets = {};    ///< names of variables
  /// Ids of the builds of the packages that the tested one requires from its family, directly or
  /// through each other. The test installs their wheels as well.
  std::vector<std::string> siblings = {};
};

/// Another target of the same run, and the names of the wheels there.
struct OtherTarget {
  matrix::PublishTarget target;
  std::map<std::string, wheel::Naming> names = {};  ///< as `Publish::names`
};

/// The release that a publication with a tag makes.
struct TaggedRelease {
  std::string project = {};  ///< the matrix's package
  std::string version = {};
  std::string tag = {};
  std::string commit = {};  ///< 40 digits; empty outside git
  std::string notes = {};   ///< the changelog, relative to the matrix file
  uint64_t build = 0;       ///< build number of a re-cut; 0: none

  bool operator==(const TaggedRelease&) const = default;
};

/// How a publication is related to the others of its release.
enum class PublishRole {
  direct,    ///< it publishes what was built
  first,     ///< the same, and writes the record with which the others select the files
  promoted,  ///< it publishes the files of the first one
};

/// The exact packages of an environment.
struct ResolvedRequest {
  std::string request;     ///< `env::digest`
  std::string resolution;  ///< `env::Resolution::digest`; empty: not known
};

/// Uploads or copies the wheels of the builds to one target.
struct Publish {
  matrix::PublishTarget target;
  std::vector<std::string> builds;  ///< ids of build steps, wheels first, the sdist last
  std::map<std::string, wheel::Naming> names =
      {};  ///< build step id -> name of its wheel on the target
  std::map<std::string, std::string> labels = {};  ///< build step id -> sub-index, "cpu"
  std::string default_build = {};  ///< build step whose wheels are also in the root index
  /// More builds whose wheels are also in the root index: those of the other packages of a family.
  std::vector<std::string> root_builds = {};
  /// Build step id -> more sub-indexes that list its wheels: those of wheels that require them.
  std::map<std::string, std::vector<std::string>> also_listed = {};
  std::map<std::string, std::string> require_evidence;  ///< test step id -> minimum evidence
  std::vector<std::string> withheld = {};  ///< builds whose variants are all experimental
  /// Nothing is sent if one of these would reject a file of the release.
  std::vector<OtherTarget> others = {};
  /// The target of kind `github-release` that has the files of a directory which only links to
  /// them.
  std::optional<matrix::PublishTarget> linked = std::nullopt;
  /// Of a target of kind `github-release`, of `linked`, and of the first of several targets; else
  /// empty.
  TaggedRelease release = {};
  PublishRole role = PublishRole::direct;
  matrix::PublishTarget from = {};  ///< the first target, for a `promoted` publication
  /// For the provenance of its files: the version of pinwheel, the commit of the package's source
  /// (empty unless the source is known to be that of a commit), and the packages of the builds'
  /// environments by step id.
  std::string pinwheel = {};
  std::string commit = {};
  std::map<std::string, ResolvedRequest> environments = {};
};

/// Installs the wheel of a variant from an index into clean environments, with pip and with uv, and
/// imports it. No other index is asked for the project (docs/publishing.md, "Promotion").
struct InstallWheel {
  std::string variant_id;
  std::string build;   ///< id of the step whose wheel it expects
  wheel::Naming name;  ///< of that wheel on the index
  matrix::PublishTarget target;
  env::Request environment;
  std::string arch = {};  ///< "aarch64"; empty without that axis
  std::string compute;
  std::map<std::string, std::string> variables;
  /// The names on the index of the wheels that it requires from its family, directly or through
  /// each other.
  std::vector<wheel::Naming> siblings = {};
};

using Action = std::variant<CreateEnvironment, MakeToolkit, BuildWheel, CompileDeviceCode,
                            BuildSdist, TestWheel, InstallWheel, Publish>;

/// The build whose command an action runs, for a wheel or for device code; null for other actions.
inline const BuildWheel* build_run_by(const Action& action) {
  if (const auto* const device = std::get_if<CompileDeviceCode>(&action)) return &device->build;
  return std::get_if<BuildWheel>(&action);
}

/// "build" for a test that sees the packages of the build (`StepOutcome::environment`); else empty.
inline std::string test_environment(const Action& action) {
  const auto* const test = std::get_if<TestWheel>(&action);
  const bool sees_build = test != nullptr && test->image.empty() &&
                          test->settings.environment == matrix::TestEnvironment::build;
  return sees_build ? "build" : "";
}

/// The build number of the wheels that an action publishes; 0: they have none.
inline uint64_t build_number_of(const Publish& action) {
  return action.names.empty() ? 0 : action.names.begin()->second.build;
}

/// The names of the secrets of an action's command.
inline std::vector<std::string> secrets_of(const Action& action) {
  return std::visit(
      [](const auto& each) -> std::vector<std::string> {
        if constexpr (requires { each.secrets; }) return each.secrets;
        if constexpr (requires { each.build.secrets; }) return each.build.secrets;
        return {};
      },
      action);
}

}  // namespace pinwheel::plan
