#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inspect/finding.h"

namespace pinwheel::inspect {

struct WheelFacts;

/// Judges the symbols that a wheel wants of torch by what the declared releases export.
using SymbolsJudge = std::function<std::vector<Finding>(const WheelFacts&)>;

/// What a wheel was meant to be. Empty means that nothing was promised, and only the wheel's own
/// claims are judged.
struct Expectations {
  std::string distribution = {};               ///< planned name, any spelling
  std::string version = {};                    ///< planned version, with its local part
  std::vector<std::string> arch_list = {};     ///< "8.0", "9.0a", "12.0+PTX", "gfx90a:xnack+"
  std::vector<std::string> external = {};      ///< sonames or globs that something else brings
  SymbolsJudge judge_symbols = {};             ///< empty: no torch was declared
  uint64_t size_limit = uint64_t{100} << 20U;  ///< bytes of the wheel; PyPI's own limit
  /// What the report shall plan to come under; no rule.
  std::optional<uint64_t> budget = std::nullopt;
};

}  // namespace pinwheel::inspect
