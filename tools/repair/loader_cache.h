#pragma once
#include <map>
#include <string>
#include <string_view>

namespace pinwheel::repair {

/// The libraries in the output of `ldconfig -p` for an architecture ("x86_64"): name -> path. Of
/// several entries the first counts, as for the loader.
std::map<std::string, std::string> parse_loader_cache(std::string_view output,
                                                      std::string_view arch);

}  // namespace pinwheel::repair
