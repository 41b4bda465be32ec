#pragma once
#include <string>
#include <vector>

#include "ports/log.h"

namespace pinwheel::fakes {

/// A log that records its events.
class RecordedLog final : public ports::Log {
 public:
  void write(const ports::LogEvent& event) override { events.push_back(event); }
  void hide(const Secret& /*secret*/) override {}

  std::vector<ports::LogEvent> events = {};
};

/// The value of a field; an empty text without one.
inline ports::LogValue value_of(const ports::LogEvent& event, const std::string& name) {
  for (const ports::LogField& field : event.fields) {
    if (field.name == name) return field.value;
  }
  return std::string();
}

}  // namespace pinwheel::fakes
