#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compat/cuda.h"
#include "compat/distributions.h"
#include "compat/evaluate.h"
#include "compat/pin.h"

namespace pinwheel::compat {

/// Where a wheel runs, as far as static analysis can determine.
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

/// Kind `check` when what an assessment is made of could not be read: the libraries or METADATA.
Done check_assessable(const inspect::WheelFacts& facts);

/// Pure.
Assessment assess(const inspect::WheelFacts& facts, const exports::Table& table,
                  const Companions& companions = {});

/// Every known release once, oldest first. A release loads when PyPI's build loads and finds its
/// GPU libraries; another build represents it when PyPI's lacks a whole library (a wheel for ROCm)
/// or is unknown.
std::vector<ReleaseLoads> release_loads(const TorchVerdicts& torch);

}  // namespace pinwheel::compat
