#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "wheel/contents.h"
#include "wheel/metadata.h"
#include "wheel/naming.h"
#include "wheel/pinned_requirements.h"

// Deriving wheels
//
// A derived wheel has the code of another wheel under a new name or version. PyPI rejects
// `my_ops-1.2.0+cu130-…whl`, so `my_ops_cu130-1.2.0-…whl` is derived from it. Only the files that
// state the name and the version are rewritten. Wheels that require each other (siblings) are
// derived together, because their requirements name each other's old versions.

namespace pinwheel::wheel {

enum class LocalPart { keep, strip };

/// The rule for the new names.
struct NamingRule {
  std::string distribution = {};  ///< may contain `{name}` and `{label}`; empty: unchanged
  std::string version = {};       ///< empty: unchanged
  LocalPart local = LocalPart::keep;
  uint64_t build = 0;  ///< build number; 0: that of the wheel is kept
};

/// The name and version of a wheel after the rule, `{label}` being its local version. Kind `usage`
/// if the rule needs a local version and the wheel has none, or the new name is not valid.
Result<Naming> derived_naming(const std::string& file, const Naming& original,
                              const NamingRule& rule);

/// A wheel of one set before and after its derivation.
struct Renaming {
  Naming original;
  Naming derived;
};

/// What the requirements of one wheel become.
struct DerivedRequirements {
  std::map<std::string, std::string> changed = {};  ///< Requires-Dist before and after
  /// Requirements that still name a local version, which PyPI does not have.
  std::vector<std::string> local = {};
  /// Requirements that several siblings with different new names satisfy.
  std::vector<std::string> ambiguous = {};
};

/// A requirement that a sibling satisfied names the sibling's new name afterwards, and its new
/// version where it named the old one exactly (`==1.2.0+cu130`); extras and markers are preserved.
/// If several siblings satisfy it, the one with the local version of `own` is meant.
DerivedRequirements derived_requirements(const Metadata& metadata, const Naming& own,
                                         const std::vector<Renaming>& siblings);

/// The pins of the wheel, after its requirements followed the siblings. `before` are the lines of
/// the original. Errors of `pinned_requirements`.
Done pin_derived(DerivedRequirements& requirements, const std::vector<std::string>& before,
                 const Pins& pins);

/// One derived wheel.
struct Derivation {
  std::string original;  ///< file name
  std::string sha256;    ///< of the original, hexadecimal
  Naming naming;
  std::string old_directory;                             ///< "my_ops-1.2.0+cu130.dist-info"
  std::string new_directory;                             ///< "my_ops_cu130-1.2.0.dist-info"
  std::map<std::string, std::string> requirements = {};  ///< `DerivedRequirements::changed`
  ContentsChanges changes = {};
};

}  // namespace pinwheel::wheel
