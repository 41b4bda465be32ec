#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inspect/build_trace.h"
#include "inspect/finding.h"

namespace pinwheel::inspect {

struct WheelFacts;

/// Checks a wheel against the known facts about torch's releases.
using WheelJudge = std::function<std::vector<Finding>(const WheelFacts&)>;
/// Checks the symbols that a wheel imports from torch against the exports of the declared releases.
using SymbolsJudge = WheelJudge;

/// The expected properties of a wheel. An empty value expects nothing, and only the wheel's own
/// claims are checked.
struct Expectations {
  std::string distribution = {};            ///< planned name, any spelling
  std::string version = {};                 ///< planned version, with its local part
  uint64_t build_number = 0;                ///< planned build number; 0: any or none
  std::vector<std::string> arch_list = {};  ///< "8.0", "9.0a", "12.0+PTX", "gfx90a:xnack+"
  std::vector<std::string> external = {};   ///< sonames or globs of libraries provided by others
  SymbolsJudge judge_symbols = {};          ///< empty: no torch was declared
  WheelJudge judge_bounds = {};             ///< of its requirement on torch; empty: not judged
  std::optional<BuildTrace> build = std::nullopt;  ///< of a freshly built wheel
  /// The requirement on torch that the matrix added to a wheel whose own metadata had none.
  std::string added_requirement = {};
  uint64_t size_limit = uint64_t{100} << 20U;  ///< bytes of the wheel; PyPI's default limit
  /// The size for which the report plans cuts; not a rule.
  std::optional<uint64_t> budget = std::nullopt;
};

}  // namespace pinwheel::inspect
