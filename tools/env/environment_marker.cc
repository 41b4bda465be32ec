#include "env/environment_marker.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/json.h"

namespace pinwheel::env {

std::string to_json(const EnvironmentMarker& marker) {
  const nlohmann::json json = {{"interpreter", marker.interpreter},
                               {"bytes", marker.bytes},
                               {"made", marker.made.time_since_epoch().count()},
                               {"resolution", parse_json(to_json(marker.resolution))}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<EnvironmentMarker> parse_environment_marker(std::string_view text) {
  try {
    const nlohmann::json json = parse_json(text);
    EnvironmentMarker marker;
    json.at("interpreter").get_to(marker.interpreter);
    json.at("bytes").get_to(marker.bytes);
    marker.made = std::chrono::sys_seconds(std::chrono::seconds(json.at("made").get<int64_t>()));
    TRY(marker.resolution, parse_resolution(json.at("resolution").dump()));
    return marker;
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::environment,
                fmt::format("the completion marker is damaged: {}", error.what()),
                "remove the environment with `pinwheel env rm`");
  }
}

std::string environment_id(const Resolution& resolution, const Interpreter& interpreter,
                           Purpose purpose) {
  return sha256_hex(resolution.digest() + "\n" + interpreter.path + "\n" + interpreter.platform +
                    "\n" + interpreter.soabi + (purpose == Purpose::test ? "\ntest" : ""))
      .substr(0, 16);
}

uint64_t bytes_needed(const Resolution& resolution) {
  constexpr uint64_t kMegabyte = 1'000'000;
  const bool gpu = std::any_of(
      resolution.packages.begin(), resolution.packages.end(), [](const PipPackage& package) {
        return package.name.starts_with("nvidia-") || package.name.starts_with("cuda-") ||
               package.version.find("+rocm") != std::string::npos;
      });
  if (gpu) return 9000 * kMegabyte;
  return resolution.find("torch") == nullptr ? 200 * kMegabyte : 1200 * kMegabyte;
}

}  // namespace pinwheel::env
