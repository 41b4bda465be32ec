#pragma once
#include <string>
#include <string_view>

namespace pinwheel::project {

/// The name of a library as `debian_package` knows it: lower case, without `lib` and `-devel`:
/// "png" of "libpng-devel".
std::string plain_library_name(std::string_view library);

/// Debian's package to compile against a library, by any name that build systems and distributions
/// have for it: "zlib1g-dev" for "ZLIB", "z" and "zlib-devel". Empty if it is not known.
std::string debian_package(std::string_view library);

/// The package of a header, as a source includes it: "libpng-dev" of "png.h",
/// "libcurl4-openssl-dev" of "curl/easy.h". Empty if it is not known.
std::string debian_package_of_header(std::string_view header);

}  // namespace pinwheel::project
