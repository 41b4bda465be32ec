#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

/// Whether a variable or an option of that name usually has a secret as its value: "GH_TOKEN",
/// "--password", "AWS_SECRET_ACCESS_KEY".
bool names_secret(std::string_view name);

/// The text with the credentials and the query of every URL in it masked: "https://***@host/p?***".
std::string mask_urls(std::string_view text);
/// A URL for a message: `mask_urls`, then `quoted`. A URL that a server names, such as the target
/// of a redirect, can have a signature as its query.
std::string quoted_url(std::string_view url);

/// Arguments of a program with everything that looks like a secret masked: the credentials and
/// queries of URLs, the value of an assignment or option that `names_secret`, and the value of an
/// `Authorization` header.
std::vector<std::string> mask_arguments(const std::vector<std::string>& argv);

}  // namespace pinwheel
