#include "wheel/contents.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace pinwheel::wheel {
namespace {

/// The files that follow from a wheel's name, version and tags, or from its other files.
constexpr std::array<std::string_view, 7> kFollowing = {
    "METADATA", "WHEEL", "RECORD", "pinwheel.json", "variant.json", "RECORD.jws", "RECORD.p7s"};
/// A file of the wheel: its directory of metadata or of data, whose name has the distribution and
/// the version, or none; and its path in there.
using PlainName = std::pair<std::string_view, std::string>;
constexpr std::string_view kInfoDirectory = ".dist-info/";
constexpr std::string_view kDataDirectory = ".data/";

PlainName plain_name(const WheelContents& wheel, const std::string& member) {
  const std::string stem = wheel.dist_info.substr(0, wheel.dist_info.rfind(".dist-info"));
  for (const std::string_view directory : {kInfoDirectory, kDataDirectory}) {
    const std::string prefix = stem + std::string(directory);
    if (member.starts_with(prefix)) return {directory, member.substr(prefix.size())};
  }
  return {{}, member};
}

bool follows(const PlainName& name) {
  if (name.first != kInfoDirectory) return false;
  return std::find(kFollowing.begin(), kFollowing.end(), name.second) != kFollowing.end();
}

using MembersByName = std::map<PlainName, const ContentsMember*>;

MembersByName by_name(const WheelContents& wheel) {
  MembersByName out;
  for (const ContentsMember& member : wheel.members) {
    out[plain_name(wheel, member.name)] = &member;
  }
  return out;
}

}  // namespace

ContentsChanges compare_contents(const WheelContents& before, const WheelContents& after) {
  const MembersByName old_members = by_name(before);
  MembersByName added = by_name(after);
  ContentsChanges changes;
  for (const auto& [name, member] : old_members) {
    const auto found = added.find(name);
    if (found == added.end()) {
      if (follows(name)) {
        changes.dropped.push_back(member->name);
      } else {
        changes.faults.push_back(quoted(member->name) + " is missing");
      }
      continue;
    }
    const ContentsMember& other = *found->second;
    const bool same = other.sha256 == member->sha256 && other.size == member->size;
    if (!same && follows(name)) {
      changes.rewritten.push_back(other.name);
    } else if (!same) {
      changes.faults.push_back(quoted(other.name) + " has other contents");
    } else if (other.executable != member->executable) {
      changes.faults.push_back(quoted(other.name) + " has another mode");
    } else {
      ++changes.identical;
    }
    added.erase(found);
  }
  for (const auto& [name, member] : added) {
    if (follows(name)) {
      changes.added.push_back(member->name);
    } else {
      changes.faults.push_back(quoted(member->name) + " was added");
    }
  }
  return changes;
}

}  // namespace pinwheel::wheel
