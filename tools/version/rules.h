#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::version {

/// The part of the release that development goes on in after a final tag.
enum class Bump { major, minor, patch };

/// How tags become versions.
struct Rules {
  std::string match = "v*";  ///< tags that count; what the one `*` stands for is the version
  Bump bump = Bump::minor;
};

/// What a version is made for.
enum class Channel { ci, nightly, test, release };

std::string_view to_string(Channel channel);
std::optional<Channel> parse_channel(std::string_view name);

}  // namespace pinwheel::version
