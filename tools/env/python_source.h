#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace pinwheel::env {

/// The source of an environment's Python: it already exists, or conda solves it together with the
/// packages of `environment.conda`. `--python` and frozen plans use these names.
enum class PythonSource { venv, conda };

inline constexpr std::array kPythonSources = {PythonSource::venv, PythonSource::conda};

constexpr std::string_view to_string(PythonSource source) {
  switch (source) {
    case PythonSource::venv:
      return "venv";
    case PythonSource::conda:
      return "conda";
  }
  return {};
}
static_assert(to_string(PythonSource{kPythonSources.size()}).empty(),
              "kPythonSources lacks a source");

std::optional<PythonSource> parse_python_source(std::string_view name);

}  // namespace pinwheel::env
