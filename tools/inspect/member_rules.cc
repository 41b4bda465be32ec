#include "base/text.h"
#include "base/visible_text.h"
#include "inspect/rule_functions.h"

// Rules on the types and names of members: members that installers cannot install with their type,
// and names that people cannot read correctly.
namespace pinwheel::inspect {
namespace {

constexpr uint32_t kTypeBits = 0170000;
constexpr uint32_t kLink = 0120000;
constexpr uint32_t kRegular = 0100000;
constexpr uint32_t kSetIds = 06000;

std::string special_fault(const MemberFacts& member) {
  const uint32_t type = member.mode & kTypeBits;
  if (type == kLink) return "is a symbolic link, which installers write as a text file";
  if (type != 0 && type != kRegular) return "is neither a file nor a directory";
  return (member.mode & kSetIds) != 0 ? "has a setuid or setgid bit" : "";
}

}  // namespace

Findings judge_special_members(const WheelFacts& facts, const Expectations& /*expected*/) {
  Findings out;
  for (const MemberFacts& member : facts.members) {
    const std::string fault = special_fault(member);
    if (fault.empty()) continue;
    out.push_back({"", member.name, fault, "",
                   "pack plain files: contents instead of links, modes 0644 and 0755"});
  }
  return out;
}

Findings judge_hidden_characters(const WheelFacts& facts, const Expectations& /*expected*/) {
  Findings out;
  for (const MemberFacts& member : facts.members) {
    if (visible(member.name) == member.name) continue;
    out.push_back({"", member.name,
                   "has a name with invisible characters, or with characters that reverse the text",
                   "", "rename it"});
  }
  return out;
}

}  // namespace pinwheel::inspect
