#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compat/distributions.h"
#include "compat/evaluate.h"
#include "compat/pin.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::compat {

/// A wheel's requirements on CUDA, besides torch.
struct CudaNeeds {
  /// Major versions of the external runtimes that its libraries need, ascending; bundled copies of
  /// the runtime count too, because they need the same driver.
  std::vector<int> runtimes = {};
  bool device_code = false;
  /// The oldest driver branch that runs programs of the newest of these runtimes (minor version
  /// compatibility): "525"; empty without a runtime.
  std::string minimum_driver = {};
};

CudaNeeds cuda_needs(const inspect::WheelFacts& facts);

/// The systems on which a wheel runs, as far as static analysis can determine.
struct Assessment {
  std::string wheel;                             ///< file name
  std::vector<std::string> tags = {};            ///< the tags of the file name, expanded
  std::string python;                            ///< "CPython 3.10 and later"; empty: unreadable
  std::vector<std::string> requires_torch = {};  ///< lines of METADATA
  TorchVerdicts torch = {};
  std::vector<DistributionVerdict> distributions = {};
  CudaNeeds cuda = {};
  std::vector<TorchRange> ranges = {};  ///< releases that load, oldest first
  std::string pin =
      {};  ///< the requirement for Requires-Dist; empty: no release loads, or no torch
};

/// Kind `check` when the inputs of an assessment could not be read: the libraries or METADATA.
Done check_assessable(const inspect::WheelFacts& facts);

/// Pure.
Assessment assess(const inspect::WheelFacts& facts, const exports::Table& table,
                  const Companions& companions = {});

/// Every known release once, oldest first. A release loads when PyPI's build loads and finds its
/// GPU libraries; another build represents it when PyPI's lacks a whole library (a wheel for ROCm)
/// or is unknown.
std::vector<ReleaseLoads> release_loads(const TorchVerdicts& torch);

}  // namespace pinwheel::compat
