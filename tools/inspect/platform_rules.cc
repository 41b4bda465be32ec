#include <algorithm>

#include "base/text.h"
#include "binary/foreign.h"
#include "inspect/rule_functions.h"
#include "pep/tag.h"

namespace pinwheel::inspect {
namespace {

class PlatformJudge {
 public:
  PlatformJudge(const WheelFacts& facts, const Expectations& expected)
      : facts_(facts), expected_(expected) {}

  Findings run() {
    const std::vector<std::string>& claimed = facts_.name->tags.platform;
    if (facts_.libraries.empty()) {
      check_without_libraries(claimed);
      return std::move(findings_);
    }
    const Result<PlatformTag> earned = platform_tag(facts_.libraries, expected_.external);
    if (!earned) {
      add(facts_.file_name, earned.error().message, "", earned.error().hint);
      return std::move(findings_);
    }
    check_root();
    for (const std::string& tag : claimed) check_tag(tag, *earned);
    return std::move(findings_);
  }

 private:
  void add(const std::string& file, std::string message, std::string evidence, std::string hint) {
    findings_.push_back({"", file, std::move(message), std::move(evidence), std::move(hint)});
  }

  void check_without_libraries(const std::vector<std::string>& claimed) {
    // Objects and device code may be for one platform without any loadable library.
    if (!facts_.other_elf.empty() || claimed == std::vector<std::string>{"any"}) return;
    if (!facts_.foreign.empty()) {
      for (const std::string& tag : claimed) check_foreign(tag);
      return;
    }
    add(facts_.file_name, "has a platform tag but no binary", join(claimed, "."),
        "tag it `any`; if it should have a binary, find out why the build left it out");
  }

  /// Whether the wheel has a binary for the platform that is not judged.
  bool has_foreign(const std::string& tag) const {
    return std::any_of(
        facts_.foreign.begin(), facts_.foreign.end(),
        [&](const ForeignBinary& each) { return binary::is_for_platform(each.form, tag); });
  }

  void check_foreign(const std::string& tag) {
    if (tag == "any" || has_foreign(tag)) return;
    const ForeignBinary& first = facts_.foreign.front();
    add(facts_.file_name, "has the tag " + quoted(tag) + ", but no binary for it",
        quoted(first.name) + " is " + first.form, "tag it for the system that it was built for");
  }

  void check_root() {
    if (!facts_.wheel_file || facts_.wheel_file->root == wheel::RootIs::platlib) return;
    add(facts_.dist_info + "/WHEEL",
        "sets Root-Is-Purelib, but the wheel has binaries, which some systems expect in another "
        "directory",
        first_library(), "set `Root-Is-Purelib: false`");
    findings_.back().severity = Severity::warning;
  }

  void check_tag(const std::string& tag, const PlatformTag& earned) {
    if (has_foreign(tag)) return;
    const std::string hint = "tag it " + quoted(earned.tag);
    const std::string arch = binary::machine_name(facts_.libraries.front().elf.machine);
    const std::optional<pep::LinuxPolicy> policy = pep::parse_linux_policy(tag);
    if (tag == "any") {
      add(facts_.file_name, "is tagged `any`, but has binaries", first_library(), hint);
    } else if (!policy && tag == "linux_" + arch) {
      add(facts_.file_name, "has the tag " + quoted(tag) + ", which is not a portable platform tag",
          join(earned.reasons, "; "),
          earned.tag == tag
              ? "link only against libraries of the policies, or build on an older system"
              : hint);
    } else if (!policy || policy->arch != arch) {
      add(facts_.file_name, "has the tag " + quoted(tag) + ", but binaries for Linux " + arch,
          first_library(), hint);
    } else {
      check_policy(tag, *policy, earned);
    }
  }

  void check_policy(const std::string& tag, const pep::LinuxPolicy& policy,
                    const PlatformTag& earned) {
    const Result<std::vector<std::string>> against =
        policy_objections(facts_.libraries, policy, expected_.external);
    if (against && against->empty()) return;
    add(facts_.file_name, "has the tag " + quoted(tag) + ", which its binaries do not justify",
        against ? join(*against, "; ") : against.error().message,
        earned.tag.starts_with("linux_") ? "no policy allows what they need"
                                         : "tag it " + quoted(earned.tag));
  }

  std::string first_library() const { return quoted(facts_.libraries.front().name); }

  const WheelFacts& facts_;
  const Expectations& expected_;
  Findings findings_;
};

}  // namespace

Findings judge_platform_tag(const WheelFacts& facts, const Expectations& expected) {
  if (!facts.name) return {};  // reported by `unreadable` under wheel-name
  return PlatformJudge(facts, expected).run();
}

}  // namespace pinwheel::inspect
