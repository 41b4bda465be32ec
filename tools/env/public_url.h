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
///   - A path that ends like PyPI's, `packages/<2>/<2>/<60 hex digits>/<file>`, is a mirror's copy
///     of that PyPI file, whatever the host: the digits depend on the contents.
///   - A host that the matrix itself names (`named`: its indexes and direct URLs), or a sibling of
///     it under the same parent domain, is as public as the matrix.
///   - Anything else, including local files, returns "".
/// Credentials, query and fragment are always removed.
std::string public_url(std::string_view url, const std::vector<std::string>& named);

/// The URLs in a request: its torch index, and direct references in requirements.
std::vector<std::string> places_in(const Request& request);

}  // namespace pinwheel::env
