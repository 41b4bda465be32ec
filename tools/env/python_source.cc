#include "env/python_source.h"

#include <algorithm>

namespace pinwheel::env {

std::optional<PythonSource> parse_python_source(std::string_view name) {
  const auto* const found =
      std::find_if(kPythonSources.begin(), kPythonSources.end(),
                   [&](PythonSource source) { return to_string(source) == name; });
  return found == kPythonSources.end() ? std::nullopt : std::optional(*found);
}

}  // namespace pinwheel::env
