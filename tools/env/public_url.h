#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "env/request.h"

namespace pinwheel::env {

/// Removes the `user:password@` from the URLs in a text.
std::string without_credentials(std::string_view text);

/// The public location of the file that pip found at `url`, or "" if it is known only from this
/// machine's configuration: a file to be committed must not name a private mirror.
///   - A path that ends as PyPI's do, `packages/<2>/<2>/<60 hex digits>/<file>`, is a mirror's copy
///     of that file of PyPI, whatever the host: the digits are of the content.
///   - A host that the matrix itself names (`named`: its indexes and direct URLs), or a sister of
///     it under the same parent domain, is public as far as the matrix is.
///   - Anything else, local files among it, gives "".
/// Credentials, query and fragment are always dropped.
std::string public_url(std::string_view url, const std::vector<std::string>& named);

/// The URLs that a request itself names: its torch index, direct references among requirements.
std::vector<std::string> places_in(const Request& request);

}  // namespace pinwheel::env
