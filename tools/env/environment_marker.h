#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "env/interpreter.h"
#include "env/resolution.h"

namespace pinwheel::env {

/// The contents of a base environment, as its completion marker records them.
struct EnvironmentMarker {
  std::string interpreter;  ///< the interpreter it was made with
  Resolution resolution;    ///< the installed packages
  uint64_t bytes = 0;       ///< on disk when it was completed
  std::chrono::sys_seconds made = {};

  bool operator==(const EnvironmentMarker&) const = default;
};

std::string to_json(const EnvironmentMarker& marker);
/// The inverse; `environment` if the text is damaged.
Result<EnvironmentMarker> parse_environment_marker(std::string_view json);

/// The name of the base environment that an interpreter makes from a resolution: 16 hex digits.
/// Those of builds contain pip, so the same packages have another name for tests.
std::string environment_id(const Resolution& resolution, const Interpreter& interpreter,
                           Purpose purpose);

/// Free bytes that the environment needs before it is made. Measured: a CPU torch takes 0.8 GB with
/// its download, a CUDA one with its libraries 9 GB, anything else far less.
uint64_t bytes_needed(const Resolution& resolution);

}  // namespace pinwheel::env
