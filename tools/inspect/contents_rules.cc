#include <algorithm>

#include "base/text.h"
#include "inspect/rule_functions.h"

namespace pinwheel::inspect {
namespace {

std::string largest_members(const WheelFacts& facts) {
  constexpr size_t kShown = 3;
  std::vector<MemberFacts> members = facts.members;
  const size_t shown = std::min(kShown, members.size());
  std::partial_sort(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(shown),
                    members.end(), [](const MemberFacts& left, const MemberFacts& right) {
                      return left.compressed_size > right.compressed_size;
                    });
  std::vector<std::string> parts;
  for (size_t i = 0; i < shown; ++i) {
    parts.push_back(quoted(members[i].name) + " " + format_bytes(members[i].compressed_size));
  }
  return "largest: " + join(parts, ", ");
}

// Whether `archive` already reports that the member could not be read.
bool is_damaged(const WheelFacts& facts, const std::string& member) {
  return std::any_of(facts.unreadable.begin(), facts.unreadable.end(), [&](const Finding& finding) {
    return finding.rule == "archive" && finding.file == member;
  });
}

}  // namespace

Findings judge_record(const WheelFacts& facts, const Expectations& /*expected*/) {
  if (!facts.record) return {};  // reported by `unreadable`
  std::vector<wheel::MemberDigest> digests;
  digests.reserve(facts.members.size());
  for (const MemberFacts& member : facts.members) {
    digests.push_back({member.name, member.sha256, member.size, member.long_digest});
  }
  Findings out;
  for (const wheel::RecordFault& fault :
       wheel::record_faults(*facts.record, digests, facts.dist_info + "/RECORD")) {
    if (is_damaged(facts, fault.path)) continue;
    out.push_back({"", fault.path, fault.message, "",
                   "rewrite RECORD with `pinwheel finish` after the last change to the wheel"});
  }
  return out;
}

Findings judge_archive(const WheelFacts& facts, const Expectations& /*expected*/) {
  Findings out;
  for (const wheel::ZipFault& fault : facts.archive) {
    const std::string& file = fault.member.empty() ? facts.file_name : fault.member;
    out.push_back({"", file, fault.message, "", fault.hint});
  }
  return out;
}

Findings judge_size(const WheelFacts& facts, const Expectations& expected) {
  if (facts.file_size <= expected.size_limit) return {};
  return {{"", facts.file_name,
           "has " + format_bytes(facts.file_size) + ", more than the limit of " +
               format_bytes(expected.size_limit),
           largest_members(facts),
           "build for fewer architectures, strip debug information, or raise the limit"}};
}

}  // namespace pinwheel::inspect
