#include "inspect/difference.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "inspect/arch_list.h"

namespace pinwheel::inspect {
namespace {

using Names = std::set<std::string>;

NameChanges changes(const Names& before, const Names& after) {
  NameChanges out;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(out.gained));
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(out.lost));
  return out;
}

/// The name of a member without the version in its directory, so that two versions can be compared.
std::string common_name(const WheelFacts& facts, const std::string& member) {
  if (facts.dist_info.empty() || !member.starts_with(facts.dist_info + "/")) return member;
  return "*.dist-info" + member.substr(facts.dist_info.size());
}

using Members = std::map<std::string, const MemberFacts*>;

Members members_of(const WheelFacts& facts) {
  Members out;
  for (const MemberFacts& member : facts.members) out[common_name(facts, member.name)] = &member;
  return out;
}

template <class Map>
Names keys_of(const Map& map) {
  Names out;
  for (const auto& [name, value] : map) out.insert(name);
  return out;
}

Names needed_of(const WheelFacts& facts) {
  Names out;
  for (const ElfMember& library : facts.libraries) {
    out.insert(library.elf.needed.begin(), library.elf.needed.end());
  }
  return out;
}

Names architectures_of(const WheelFacts& facts) {
  Names out;
  for (const DeviceCodeMember& member : facts.device_code) {
    for (const binary::DeviceCode& code : member.code) {
      out.insert(to_string(Target{code.kind, code.architecture}));
    }
  }
  return out;
}

Names headers_of(const WheelFacts& facts) {
  Names out;
  if (!facts.metadata) return out;
  for (const wheel::Header& header : facts.metadata->block.headers) {
    out.insert(header.name + ": " + header.value);
  }
  return out;
}

Names requirements_of(const WheelFacts& facts) {
  Names out;
  for (const std::string& header : headers_of(facts)) {
    if (header.starts_with("Requires-Dist: ") || header.starts_with("Requires-Python: ")) {
      out.insert(header);
    }
  }
  return out;
}

Names operators_of(const WheelFacts& facts) {
  Names out;
  for (const auto& [library, schemas] : facts.operators) {
    out.insert(schemas.begin(), schemas.end());
  }
  return out;
}

Names tags_of(const WheelFacts& facts) {
  Names out;
  if (!facts.name) return out;
  for (const pep::Tag& tag : pep::expand(facts.name->tags)) out.insert(pep::to_string(tag));
  return out;
}

std::string version_of(const WheelFacts& facts) {
  return facts.metadata ? facts.metadata->version() : std::string();
}

const binary::Elf* library_of(const WheelFacts& facts, const std::string& name) {
  for (const ElfMember& library : facts.libraries) {
    if (library.name == name) return &library.elf;
  }
  return nullptr;
}

Names exports_of(const binary::Elf& elf) {
  Names out;
  for (const binary::Symbol& symbol : elf.defined) {
    out.insert(symbol.version.empty() ? symbol.name : symbol.name + "@" + symbol.version);
  }
  return out;
}

std::string_view part_of(std::string_view bytes, const binary::Section& section) {
  if (section.offset > bytes.size()) return {};
  return bytes.substr(section.offset, section.size);
}

/// Finds the sections in which two libraries differ. Sections that only describe other sections, or
/// identify the build, follow from the rest.
class LibraryComparison {
 public:
  LibraryComparison(const binary::Elf& before, const binary::Elf& after, ChangedMember& out)
      : before_(before), after_(after), out_(out) {}

  void compare(const Versioned& left, const Versioned& right) {
    std::string differing[2];
    for (const binary::Section& section : before_.sections) {
      const binary::Section* const other = after_.section(section.name);
      const std::string_view old_bytes = part_of(left.contents, section);
      const std::string_view new_bytes =
          other == nullptr ? std::string_view() : part_of(right.contents, *other);
      if (old_bytes == new_bytes) continue;
      out_.sections.push_back(section.name);
      if (section.name == ".note.gnu.build-id") continue;
      differing[0] += old_bytes;
      differing[1] += new_bytes;
    }
    if (out_.sections.empty()) return;
    // A build id is a digest of the rest; if nothing else differs, it is random.
    out_.cause = differing[0] == differing[1]
                     ? Cause::random
                     : cause_of({differing[0], left.version}, {differing[1], right.version});
  }

 private:
  const binary::Elf& before_;
  const binary::Elf& after_;
  ChangedMember& out_;
};

class Comparison {
 public:
  Comparison(const WheelFacts& before, const WheelFacts& after, const ReadMember& read)
      : before_(before), after_(after), read_(read) {}

  void compare_members(WheelDifference& out) {
    const Members old_members = members_of(before_);
    const Members new_members = members_of(after_);
    out.members = changes(keys_of(old_members), keys_of(new_members));
    for (const auto& [name, old_member] : old_members) {
      const auto found = new_members.find(name);
      if (found == new_members.end() || found->second->sha256 == old_member->sha256) continue;
      if (name == "*.dist-info/RECORD") continue;
      out.changed.push_back(changed(*old_member, *found->second));
    }
  }

 private:
  ChangedMember changed(const MemberFacts& old_member, const MemberFacts& new_member) const {
    ChangedMember out{new_member.name, old_member.size, new_member.size};
    const binary::Elf* const old_elf = library_of(before_, old_member.name);
    const binary::Elf* const new_elf = library_of(after_, new_member.name);
    const bool libraries = old_elf != nullptr && new_elf != nullptr;
    if (libraries) out.symbols = changes(exports_of(*old_elf), exports_of(*new_elf));
    const Result<std::string> left = read_(Side::old_wheel, old_member.name);
    const Result<std::string> right = read_(Side::new_wheel, new_member.name);
    if (!left || !right) return out;
    const std::string old_version = version_of(before_);
    const std::string new_version = version_of(after_);
    const Versioned before{*left, old_version};
    const Versioned after{*right, new_version};
    if (libraries) LibraryComparison(*old_elf, *new_elf, out).compare(before, after);
    if (out.sections.empty()) out.cause = cause_of(before, after);
    return out;
  }

  const WheelFacts& before_;
  const WheelFacts& after_;
  const ReadMember& read_;
};

std::vector<std::string> archive_changes(const WheelFacts& before, const WheelFacts& after) {
  std::vector<std::string> names[2];
  for (const MemberFacts& member : before.members) names[0].push_back(member.name);
  for (const MemberFacts& member : after.members) names[1].push_back(member.name);
  std::vector<std::string> out;
  if (names[0] != names[1]) out.emplace_back("order");
  const Members others = members_of(after);
  const auto differs = [&](auto field) {
    return std::any_of(before.members.begin(), before.members.end(),
                       [&](const MemberFacts& member) {
                         const auto found = others.find(common_name(before, member.name));
                         return found != others.end() && field(member) != field(*found->second);
                       });
  };
  if (differs([](const MemberFacts& member) { return member.time; })) out.emplace_back("time");
  if (differs([](const MemberFacts& member) { return member.compressed_size; })) {
    out.emplace_back("compression");
  }
  if (differs([](const MemberFacts& member) { return member.mode; })) out.emplace_back("mode");
  return out;
}

void add_unread(Side side, const WheelFacts& facts, std::vector<UnreadPart>& out) {
  for (const Finding& finding : facts.unreadable) {
    // A library that cannot be unpacked or is no ELF file has no facts at all.
    const bool library = finding.file.find(".so") != std::string::npos &&
                         (finding.rule == "archive" || finding.rule == "platform-tag");
    if (finding.rule != "device-code" && !library) continue;
    const bool known = std::ranges::any_of(out, [&](const UnreadPart& part) {
      return part.side == side && part.file == finding.file;
    });
    if (!known) out.push_back({side, finding.file, finding.message});
  }
}

}  // namespace

std::string_view to_string(Sameness sameness) {
  if (sameness == Sameness::identical) return "identical";
  return sameness == Sameness::same_contents ? "same-contents" : "different";
}

WheelDifference difference(const WheelFacts& old_wheel, const WheelFacts& new_wheel,
                           bool same_bytes, const ReadMember& read) {
  WheelDifference out;
  Comparison(old_wheel, new_wheel, read).compare_members(out);
  out.metadata = changes(headers_of(old_wheel), headers_of(new_wheel));
  out.tags = changes(tags_of(old_wheel), tags_of(new_wheel));
  out.needed = changes(needed_of(old_wheel), needed_of(new_wheel));
  out.architectures = changes(architectures_of(old_wheel), architectures_of(new_wheel));
  out.operators = changes(operators_of(old_wheel), operators_of(new_wheel));
  out.requirements = changes(requirements_of(old_wheel), requirements_of(new_wheel));
  out.kernels = kernel_changes(old_wheel, new_wheel);
  out.sizes = size_changes(old_wheel, new_wheel);
  add_unread(Side::old_wheel, old_wheel, out.unread);
  add_unread(Side::new_wheel, new_wheel, out.unread);
  const Members old_members = members_of(old_wheel);
  const Members new_members = members_of(new_wheel);
  const bool same =
      std::equal(old_members.begin(), old_members.end(), new_members.begin(), new_members.end(),
                 [](const auto& left, const auto& right) {
                   return left.first == right.first && left.second->sha256 == right.second->sha256;
                 });
  if (same_bytes) {
    out.sameness = Sameness::identical;
  } else if (same) {
    out.sameness = Sameness::same_contents;
    out.archive = archive_changes(old_wheel, new_wheel);
  }
  return out;
}

}  // namespace pinwheel::inspect
