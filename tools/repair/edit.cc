#include "repair/edit.h"

#include <algorithm>

namespace pinwheel::repair {

bool has_effect(const Edit& edit) {
  return !edit.soname.empty() || !edit.replace_needed.empty() || !edit.remove_needed.empty() ||
         edit.rpath.has_value();
}

binary::Elf edited(binary::Elf elf, const Edit& edit) {
  if (!edit.soname.empty()) elf.soname = edit.soname;
  for (const auto& [old_name, new_name] : edit.replace_needed) {
    std::replace(elf.needed.begin(), elf.needed.end(), old_name, new_name);
    for (binary::VersionNeed& need : elf.version_needs) {
      if (need.library == old_name) need.library = new_name;
    }
  }
  for (const std::string& removed : edit.remove_needed) std::erase(elf.needed, removed);
  if (edit.rpath) {
    elf.rpath = *edit.rpath;
    elf.runpath.clear();
  }
  return elf;
}

}  // namespace pinwheel::repair
