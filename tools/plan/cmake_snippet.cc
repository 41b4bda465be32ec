#include "plan/cmake_snippet.h"

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json.h"
#include "plan/command_kind.h"

namespace pinwheel::plan {
namespace {

using std::chrono::milliseconds;

std::optional<CommandKind> kind_of_snippet(const nlohmann::json& snippet, std::string_view output) {
  const std::string role = snippet.at("role").get<std::string>();
  const std::string language = snippet.value("language", "");
  if (role == "compile") {
    return language == "CUDA" || language == "HIP" ? CommandKind::device_compile
                                                   : CommandKind::compile;
  }
  if (role == "link") {
    return output.ends_with(".a") ? CommandKind::archive : CommandKind::link;
  }
  if (role == "custom") return CommandKind::other;
  return std::nullopt;
}

/// Nullopt for a fraction: not every one has a value as an integer.
std::optional<int64_t> whole_number(const nlohmann::json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  return json.get<int64_t>();
}

/// Milliseconds between 1970 and 2200.
std::optional<milliseconds> snippet_time(const nlohmann::json& json, const char* name) {
  constexpr int64_t kLast = milliseconds(std::chrono::years(230)).count();
  const std::optional<int64_t> number = whole_number(json.at(name));
  if (!number || *number < 0 || *number > kLast) return std::nullopt;
  return milliseconds(*number);
}

}  // namespace

std::optional<TracedCommand> snippet_command(std::string_view json) {
  try {
    const nlohmann::json snippet = parse_json(json);
    // CMake 4.3 and newer write `{"major": 1, "minor": 0}`.
    const nlohmann::json& version = snippet.at("version");
    const nlohmann::json& major = version.is_object() ? version.at("major") : version;
    if (whole_number(major) != 1) return std::nullopt;
    const auto outputs = snippet.find("outputs");
    if (outputs == snippet.end() || outputs->empty()) return std::nullopt;
    const std::string output = outputs->at(0).get<std::string>();
    const std::optional<CommandKind> kind = kind_of_snippet(snippet, output);
    const std::optional<milliseconds> start = snippet_time(snippet, "timeStart");
    const std::optional<milliseconds> length = snippet_time(snippet, "duration");
    if (!kind || !start || !length) return std::nullopt;
    const TraceTime begun(*start);
    return TracedCommand{listed_output(output), *kind, {begun, begun + *length}};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace pinwheel::plan
