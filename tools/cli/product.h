#pragma once

namespace pinwheel::cli {

constexpr const char* kPinwheelVersion = PINWHEEL_VERSION;

}  // namespace pinwheel::cli
