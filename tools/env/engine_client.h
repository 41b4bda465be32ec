#pragma once
#include <optional>
#include <string_view>

#include "env/engine.h"
#include "env/engine_info.h"

namespace pinwheel::env {

/// How the client of a container engine is asked, and what helps when it does not answer.
struct EngineClient {
  std::string_view program;         ///< its name on PATH
  std::string_view package;         ///< of Debian, which installs it
  std::string_view version_format;  ///< for `version --format`, which fails without the engine
  std::string_view info_format;     ///< for `info --format`
  std::optional<EngineInfo> (*parse_info)(std::string_view json);
  std::string_view start;       ///< the command that starts the engine, or says what is wrong
  std::string_view start_hint;  ///< the same as a hint
  /// The first major version that builds images by a plugin installed apart; 0: none does.
  int plugin_since = 0;
  std::string_view gpu_hook = {};  ///< a program that hands GPUs in without a runtime of its own
};

/// None for what is no container engine.
std::optional<EngineClient> client_of(Engine engine);

}  // namespace pinwheel::env
