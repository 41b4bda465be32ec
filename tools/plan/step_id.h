#pragma once
#include <string>
#include <string_view>

#include "env/request.h"

namespace pinwheel::plan {

/// Whether a text has the form of a step's id: "sdist", or a kind and a name, "build:cpu".
bool is_step_id(std::string_view text);
/// The name of a file or directory for a step, whatever its id: readable, with a digest of the id.
/// "build:cpu" -> "build-cpu-5b10d5f23b00".
std::string file_name_of(std::string_view id);

/// "env:<digest>": the step that makes the environment of a request.
std::string environment_step_id(const env::Request& request);
/// "toolkit:cuda-13.0-<digest>": the step that makes the toolkit of a request.
std::string toolkit_step_id(const env::Request& request);
/// "test:<variant>".
std::string test_id(std::string_view variant);
/// "test:<variant>@<image>": the test of a variant's wheel on a distribution. The image's name is
/// in lower case, with `-` for characters that an id cannot contain:
/// "test:cp311-cpu@debian-bookworm".
std::string test_id(std::string_view variant, std::string_view image);
/// Whether an id is that of a test on a distribution.
bool is_image_test(std::string_view id);
/// The form of an image's name in a tag or id: "debian-bookworm".
std::string image_slug(std::string_view image);

/// The variant in a test's id; any other text is returned unchanged, so it may be a variant's id
/// itself.
std::string variant_of(std::string_view id);

}  // namespace pinwheel::plan
