#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "env/request.h"

namespace pinwheel::plan {

/// The kind of a step, and its word in ids: "env", "toolkit", "build", "device", "sdist", "test",
/// "install", "publish".
enum class StepKind { environment, toolkit, build, device, sdist, test, install, publish };

/// The id of a step, which is text in a plan, in JSON and in messages: "build:cpu".
struct StepId {
  StepKind kind = StepKind::build;
  std::string name = {};  ///< within the kind, "cpu"; empty for the sdist of `package`

  bool operator==(const StepId&) const = default;
};

/// "build:cpu"; "sdist"; "sdist:my-ops-data".
std::string to_string(const StepId& id);
/// nullopt for a text that is not an id: an unknown kind, a missing name.
std::optional<StepId> parse_step_id(std::string_view text);
/// The kind in an id; nullopt as for `parse_step_id`.
std::optional<StepKind> kind_of_step(std::string_view id);
/// Whether the step makes files to publish: a build of wheels or of the sdist.
bool makes_files(std::string_view id);
/// Whether the step makes an environment or a toolkit.
bool prepares(std::string_view id);
/// A file or directory name for a step with any id: readable, with a digest of the id. "build:cpu"
/// -> "build-cpu-5b10d5f23b00".
std::string file_name_of(std::string_view id);

/// "env:<digest>": the step that makes the environment of the request with that `env::digest`.
std::string environment_step_id(std::string_view digest);
/// "toolkit:cuda-13.0-<digest>": the step that makes the toolkit of a request.
std::string toolkit_step_id(const env::Request& request);
/// "build:<class>".
std::string build_id(std::string_view build_class);
/// "device:<class>@<architecture>": the step that compiles the device code of a build for an
/// architecture, "device:cu130@12.0-ptx".
std::string device_id(std::string_view build_class, std::string_view architecture);
/// Whether an id is that of such a step.
bool compiles_device_code(std::string_view id);
/// The id of the build that uses the device code of such a step.
std::string build_of_device_code(std::string_view id);
/// "sdist": that of the matrix's `package`.
std::string sdist_id();
/// "sdist:<package>": that of another package of the family.
std::string sdist_id(std::string_view package);
/// Whether an id is that of an sdist.
bool is_sdist(std::string_view id);
/// "publish:<target>".
std::string publish_id(std::string_view target);
/// "test:<variant>".
std::string test_id(std::string_view variant);
/// "test:<variant>@<image>": the test of a variant's wheel on a distribution. The image's name is
/// in lower case, with `-` for characters that an id cannot contain:
/// "test:cp311-cpu@debian-bookworm".
std::string test_id(std::string_view variant, std::string_view image);
/// "install:<variant>": the installation of a variant's wheel from an index.
std::string install_id(std::string_view variant);
/// Whether a step is part of a publication: an upload or an install test.
bool publishes(std::string_view id);
/// Whether an id is that of a test on a distribution.
bool is_image_test(std::string_view id);
/// The form of an image's name in a tag or id: "debian-bookworm".
std::string image_slug(std::string_view image);

/// The variant in the id of a test or an installation; any other text is returned unchanged, so it
/// may be a variant's id itself.
std::string variant_of(std::string_view id);

}  // namespace pinwheel::plan
