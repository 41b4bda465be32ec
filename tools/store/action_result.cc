#include "store/action_result.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "base/visible_text.h"

namespace pinwheel::store {
namespace {

using Reply = nlohmann::ordered_json;

Reply file_json(std::string_view name, const Blob& blob) {
  return {{"path", std::string(name)},
          {"digest", {{"hash", blob.sha256}, {"sizeBytes", std::to_string(blob.size)}}}};
}

/// A member by either of its names; null if there is none.
const nlohmann::json& member(const nlohmann::json& object, const char* name, const char* other) {
  static const nlohmann::json kNone;
  for (const char* one : {name, other}) {
    if (const auto found = object.find(one); found != object.end()) return *found;
  }
  return kNone;
}

/// Protocol Buffers write 64-bit numbers as texts, read both, and leave out zero.
uint64_t read_number(const nlohmann::json& json) {
  if (json.is_null()) return 0;
  if (json.is_number_unsigned()) return json.get<uint64_t>();
  const std::string text = json.get<std::string>();
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument(fmt::format("{} is not a size", quoted(text)));
  }
  return value;
}

Blob read_digest(const nlohmann::json& json) {
  Blob blob{json.at("hash").get<std::string>(),
            read_number(member(json, "sizeBytes", "size_bytes"))};
  if (!is_sha256_hex(blob.sha256)) {
    throw std::invalid_argument(fmt::format("{} is not a sha256", quoted(blob.sha256)));
  }
  return blob;
}

ActionResult read_action(const nlohmann::json& json) {
  const nlohmann::json& code = member(json, "exitCode", "exit_code");
  if (!code.is_null() && code != 0) throw std::invalid_argument("it is that of a failed step");
  ActionResult action;
  std::optional<Blob> record;
  for (const nlohmann::json& file : member(json, "outputFiles", "output_files")) {
    NamedBlob output{file.at("path").get<std::string>(), read_digest(file.at("digest"))};
    if (output.name == kRecordName) {
      record = std::move(output.blob);
    } else {
      action.outputs.push_back(std::move(output));
    }
  }
  if (!record) throw std::invalid_argument(fmt::format("{} is missing", quoted(kRecordName)));
  action.record = *std::move(record);
  return action;
}

}  // namespace

std::string to_json(const ActionResult& action) {
  Reply files = Reply::array();
  files.push_back(file_json(kRecordName, action.record));
  for (const NamedBlob& output : action.outputs) {
    files.push_back(file_json(output.name, output.blob));
  }
  const Reply json = {{"outputFiles", std::move(files)}};
  return json.dump(1, ' ', false, Reply::error_handler_t::replace) + "\n";
}

Result<ActionResult> parse_action_result(std::string_view text) {
  try {
    if (text.size() > kMostRecordBytes) throw std::invalid_argument("it is too long");
    const nlohmann::json json = parse_json(text);
    if (!json.is_object()) throw std::invalid_argument("it is not an object");
    return read_action(json);
  } catch (const std::exception& thrown) {
    return fail(ErrorKind::check,
                fmt::format("an action result cannot be read: {}", visible(thrown.what())));
  }
}

}  // namespace pinwheel::store
