#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::version {

/// The part of the release number that is incremented after a final tag.
enum class Bump { major, minor, patch };

/// How tags are read as versions.
struct Rules {
  std::string match = "v*";  ///< tags to consider; the one `*` matches the version
  Bump bump = Bump::minor;
};

/// Where versions are published.
enum class Channel { ci, nightly, test, release };

std::string_view to_string(Channel channel);
std::optional<Channel> parse_channel(std::string_view name);

}  // namespace pinwheel::version
