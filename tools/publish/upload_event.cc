#include "publish/upload_event.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace pinwheel::publish {

std::string_view to_string(UploadStage stage) {
  switch (stage) {
    case UploadStage::sending:
      return "sending";
    case UploadStage::sent:
      return "sent";
    case UploadStage::already_there:
      return "already_there";
  }
  return "sending";
}

std::string to_line(const UploadEvent& event) {
  const std::string file = fmt::format("{} ({}/{}, {})", event.filename, event.number, event.count,
                                       format_bytes(event.size));
  switch (event.stage) {
    case UploadStage::sending:
      return fmt::format("uploading {} to {}{}\n", file, event.target,
                         event.attempt > 1 ? fmt::format(", attempt {}", event.attempt) : "");
    case UploadStage::sent:
      return fmt::format("uploaded {} to {}, sha256={}\n", file, event.target, event.sha256);
    case UploadStage::already_there:
      return fmt::format("already in {}: {}, sha256={}\n", event.target, file, event.sha256);
  }
  return {};
}

std::string to_json_line(const UploadEvent& event) {
  const nlohmann::ordered_json json = {{"event", "upload"},       {"stage", to_string(event.stage)},
                                       {"target", event.target},  {"file", event.filename},
                                       {"sha256", event.sha256},  {"size", event.size},
                                       {"number", event.number},  {"count", event.count},
                                       {"attempt", event.attempt}};
  return json.dump() + "\n";
}

}  // namespace pinwheel::publish
