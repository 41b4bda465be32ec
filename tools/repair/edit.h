#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binary/elf.h"

namespace pinwheel::repair {

/// A change to a library of the wheel or to a graft.
struct Edit {
  std::string member;
  std::string soname = {};  ///< the new SONAME; empty: unchanged
  std::vector<std::pair<std::string, std::string>> replace_needed = {};  ///< old and new names
  std::vector<std::string> remove_needed = {};
  /// The new RPATH, as DT_RPATH so that it also applies to dependencies; empty removes it; nullopt:
  /// unchanged.
  std::optional<std::string> rpath = std::nullopt;
  std::string moved_from = {};  ///< the member of the wheel that becomes this one; empty: itself

  bool operator==(const Edit&) const = default;
};

/// Whether the edit changes anything.
bool has_effect(const Edit& edit);
/// The ELF facts of a library after an edit.
binary::Elf edited(binary::Elf elf, const Edit& edit);

}  // namespace pinwheel::repair
