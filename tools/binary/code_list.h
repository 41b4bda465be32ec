#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "binary/device_code.h"

namespace pinwheel::binary {

/// The device code of one file, as it is found.
class CodeList {
 public:
  /// Must be called for each container and bundle, and for each entry of their tables, also if it
  /// is not stored: kind `check` for more than `limits::kDeviceCode`.
  Done count() {
    if (++pieces_ <= limits::kDeviceCode.most) return {};
    return fail(too_many("the ELF file", limits::kDeviceCode));
  }
  void add(DeviceCode code) { codes_.push_back(std::move(code)); }

  /// The `unit` of the codes of the next container or bundle.
  uint32_t next_unit() const { return codes_.empty() ? 0 : codes_.back().unit + 1; }
  std::vector<DeviceCode> take() { return std::move(codes_); }

 private:
  uint64_t pieces_ = 0;
  std::vector<DeviceCode> codes_;
};

}  // namespace pinwheel::binary
