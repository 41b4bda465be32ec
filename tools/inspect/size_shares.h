#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspect/arch_list.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// A part of a wheel and its size: unpacked, and in the archive if that was measured.
struct SizeShare {
  std::string what;
  uint64_t bytes = 0;
  std::optional<uint64_t> packed = std::nullopt;

  bool operator==(const SizeShare&) const = default;
};

/// The device code of one container or bundle: compilers make one for each translation unit.
struct UnitSize {
  std::string file;
  uint32_t unit = 0;
  uint64_t bytes = 0;

  bool operator==(const UnitSize&) const = default;
};

/// The composition of a wheel's size, largest part first.
struct SizeShares {
  std::vector<SizeShare> members = {};
  std::vector<SizeShare> sections = {};       ///< ".text", over all libraries
  std::vector<SizeShare> architectures = {};  ///< "sm_90a", "PTX compute_90", over all libraries
  std::vector<UnitSize> units = {};
};
SizeShares size_shares(const WheelFacts& facts);

/// The compressed size of a range of a library; nullopt if it was not measured.
std::optional<uint64_t> packed_bytes(const WheelFacts& facts, const std::string& member,
                                     uint64_t offset, uint64_t length);

}  // namespace pinwheel::inspect
