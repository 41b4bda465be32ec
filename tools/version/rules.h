#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::version {

/// The part of the release number that is incremented after a final tag.
enum class Bump { major, minor, patch };

/// Whether a tag that ends with `-rN` names a re-cut, "v1.2.0-r1": the version before it with the
/// build number N. Without re-cuts, it is the post-release 1.2.0.post1 (PEP 440).
enum class Recuts { ignore, read };

/// How tags are read as versions.
struct Rules {
  std::string match = "v*";  ///< tags to consider; the one `*` matches the version
  Bump bump = Bump::minor;
  Recuts recuts = Recuts::ignore;
};

/// Where versions are published.
enum class Channel { ci, nightly, test, release };

std::string_view to_string(Channel channel);
std::optional<Channel> parse_channel(std::string_view name);

}  // namespace pinwheel::version
