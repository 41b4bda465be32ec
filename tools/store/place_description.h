#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::store {

enum class PlaceKind { local, directory, artifacts, http, s3 };
enum class PlaceAccess { read_only, read_write };

/// The origin of a place. Secrets of the environment are sent only to places that the user named,
/// never to those of a matrix, which anyone may have written.
enum class NamedBy { user, matrix };

/// A place of a store, parsed from text.
struct PlaceDescription {
  PlaceKind kind = PlaceKind::local;
  std::string path = {};    ///< directory, artifacts: PATH
  std::string url = {};     ///< http: "https://host/prefix", without a slash at the end
  std::string bucket = {};  ///< s3
  std::string prefix = {};  ///< s3: "a/b", without slashes at its ends; may be empty
  PlaceAccess access = PlaceAccess::read_write;
  NamedBy named_by = NamedBy::user;

  bool operator==(const PlaceDescription&) const = default;
};

/// "local", "dir:PATH", "artifacts:PATH" (read-only), "http(s)://HOST/PREFIX",
/// "s3://BUCKET/PREFIX"; `,ro` and `,rw` at its end set the access. `usage`, with a hint, for
/// anything else, and for credentials in a URL.
Result<PlaceDescription> parse_place(std::string_view text, NamedBy named_by = NamedBy::user);

/// Places separated by blanks, as in PINWHEEL_STORE. Errors as above.
Result<std::vector<PlaceDescription>> parse_places(std::string_view text);

/// The text of a place, for messages: "https://host/prefix", "dir:out", without its access.
std::string to_string(const PlaceDescription& place);

}  // namespace pinwheel::store
