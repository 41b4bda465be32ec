#pragma once

namespace pinwheel::prepare {

constexpr const char* kPinwheelVersion = PINWHEEL_VERSION;

}  // namespace pinwheel::prepare
