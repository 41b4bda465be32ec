#include "inspect/musl_policy.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "inspect/libc.h"

namespace pinwheel::inspect {
namespace {

std::set<std::string_view> defined_by(const std::vector<ElfMember>& files) {
  std::set<std::string_view> names;
  for (const ElfMember& file : files) {
    for (const binary::Symbol& symbol : file.elf.defined) names.insert(symbol.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> musl_objections(const std::vector<ElfMember>& files,
                                         const std::set<std::string>& provided, int minor) {
  std::vector<std::string> out;
  for (const ElfMember& file : files) {
    for (const std::string& library : file.elf.needed) {
      if (provided.contains(library) || is_musl_system_library(library)) continue;
      out.push_back(quoted(file.name) + " needs " + quoted(library));
    }
  }
  if (minor >= kNewestMusl) return out;
  for (const ElfMember& file : files) {
    if (!file.elf.packed_relocations) continue;
    out.push_back(quoted(file.name) +
                  " has packed relocations (DT_RELR), which musl reads since 1.2.4");
  }
  const std::set<std::string_view> own = defined_by(files);
  for (const ElfMember& file : files) {
    for (const binary::Symbol& symbol : file.elf.undefined) {
      if (symbol.binding == binary::Binding::weak || own.contains(symbol.name)) continue;
      const std::optional<LibcRelease> since = exported_since(symbol.name, pep::Libc::musl);
      if (!since || since->minor <= minor) continue;
      out.push_back(quoted(file.name) + " needs " + quoted(symbol.name) + ", new in " +
                    to_string(*since));
    }
  }
  return out;
}

PlatformTag musl_tag(const std::vector<ElfMember>& files, const std::set<std::string>& provided,
                     const std::string& arch) {
  std::vector<std::string> against = musl_objections(files, provided, kNewestMusl);
  if (!against.empty()) return {"linux_" + arch, std::move(against)};
  return {"musllinux_1_" + std::to_string(kNewestMusl) + "_" + arch,
          {"musl has no symbol versions that could show it"}};
}

}  // namespace pinwheel::inspect
