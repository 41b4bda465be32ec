#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pep/wheel_variant.h"

namespace pinwheel::wheel {

/// The name of a finished wheel: the same contents may go to several targets under different names.
struct Naming {
  std::string distribution;  ///< "pinwheel-kernels", "pinwheel-kernels-cpu"
  std::string version;       ///< with a local part if the target uses one, "1.2.0+cu130"
  std::vector<std::string> targets = {};  ///< publish targets that use this name
  uint64_t build = 0;                     ///< build number (PEP 427); 0: none
  /// The exact requirements on the other packages of its family, by the project's name:
  /// "my-ops-cuda" -> "my-ops-cuda-cu130==1.2.0".
  std::map<std::string, std::string> pins = {};
  /// The labels of its files as wheel variants ("cu130", "null"), and "" for the file without one.
  /// Empty: only that.
  std::vector<std::string> variants = {};
  pep::VariantDraft draft = pep::VariantDraft::pep850;  ///< of the variants

  bool operator==(const Naming&) const = default;
};

/// The labels of the files, at least one; "" for a file without a label.
inline std::vector<std::string> labels_of(const Naming& naming) {
  return naming.variants.empty() ? std::vector<std::string>{""} : naming.variants;
}

}  // namespace pinwheel::wheel
