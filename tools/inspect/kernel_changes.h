#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// A kernel in a wheel.
struct PlacedKernel {
  std::string file;  ///< in the wheel
  std::string architecture;
  binary::CubinKernel kernel;

  bool operator==(const PlacedKernel&) const = default;
};

/// A kernel in both wheels whose resources or code size differ.
struct ChangedKernel {
  std::string file;
  std::string architecture;
  binary::CubinKernel before;
  binary::CubinKernel after;

  bool operator==(const ChangedKernel&) const = default;
};

struct KernelChanges {
  std::vector<PlacedKernel> gained = {};
  std::vector<PlacedKernel> lost = {};
  std::vector<ChangedKernel> changed = {};  ///< those that need more first, then by name

  bool empty() const { return gained.empty() && lost.empty() && changed.empty(); }
};

/// Compares the kernels of two wheels by file, architecture and name. Kernels that share all three,
/// as of several translation units, are compared in the order of their code sizes. Empty unless
/// both were gathered with `Detail::kernels`.
KernelChanges kernel_changes(const WheelFacts& before, const WheelFacts& after);

/// Whether a launch of it needs more registers, stack, spills or shared memory than before.
bool needs_more(const ChangedKernel& kernel);

/// A part of a wheel whose size differs: a file in the archive, or a section or the device code of
/// an architecture, unpacked.
struct SizeChange {
  enum class Part { file, section, architecture } part = Part::file;
  std::string name;
  uint64_t before = 0;  ///< 0: it is new
  uint64_t after = 0;   ///< 0: it is gone

  bool operator==(const SizeChange&) const = default;
};
/// "file", "section", "architecture".
std::string_view to_string(SizeChange::Part part);

/// The parts whose sizes differ: by kind, the largest growth first.
std::vector<SizeChange> size_changes(const WheelFacts& before, const WheelFacts& after);

}  // namespace pinwheel::inspect
