#include <algorithm>
#include <array>

#include "base/text.h"
#include "inspect/rule_functions.h"
#include "pep/requirement.h"
#include "wheel/metadata_rules.h"

namespace pinwheel::inspect {
namespace {

// Core metadata versions in use; 2.0 was never accepted.
constexpr std::array<std::string_view, 8> kFormats = {"1.0", "1.1", "1.2", "2.1",
                                                      "2.2", "2.3", "2.4", "2.5"};
constexpr size_t kMaxSummary = 512;

class MetadataJudge {
 public:
  explicit MetadataJudge(const WheelFacts& facts)
      : facts_(facts), block_(facts.metadata->block), file_(facts.dist_info + "/METADATA") {}

  Findings run() {
    check_format();
    check_summary();
    check_licenses();
    for (wheel::MetadataFault& fault : wheel::metadata_faults(*facts_.metadata)) {
      add(std::move(fault.message), std::move(fault.hint));
    }
    for (const std::string& text : facts_.metadata->requires_dist()) check_requirement(text);
    const std::optional<std::string> python = block_.get("Requires-Python");
    if (python && !pep::parse_specifiers(*python)) {
      add("has a malformed Requires-Python " + quoted(*python), "write it like `>=3.10`");
    }
    return std::move(findings_);
  }

 private:
  void add(std::string message, std::string hint = {}) {
    findings_.push_back({"", file_, std::move(message), "", std::move(hint)});
  }

  void check_format() {
    const std::string format = facts_.metadata->version_of_format();
    if (std::find(kFormats.begin(), kFormats.end(), format) != kFormats.end()) return;
    add("has the unknown Metadata-Version " + quoted(format), "use 2.1 to 2.5");
  }

  void check_summary() {
    const std::string summary = block_.get("Summary").value_or("");
    if (summary.find('\n') != std::string::npos) add("has a multi-line Summary");
    if (summary.size() > kMaxSummary) {
      add("has a Summary of more than " + plural(kMaxSummary, "character"));
    }
  }

  void check_licenses() {
    if (block_.get("License") && block_.get("License-Expression")) {
      add("has both License and License-Expression", "keep License-Expression");
    }
    if (!wheel::names_license_files(*facts_.metadata)) return;
    for (const std::string& name : facts_.metadata->license_files()) {
      const std::string path = facts_.dist_info + "/licenses/" + name;
      const bool there =
          std::any_of(facts_.members.begin(), facts_.members.end(),
                      [&](const MemberFacts& member) { return member.name == path; });
      if (!there) add("has the License-File " + quoted(name) + ", which is not in the wheel");
    }
  }

  void check_requirement(const std::string& text) {
    const Result<pep::Requirement> requirement = pep::parse_requirement(text);
    if (!requirement) {
      add("has a malformed Requires-Dist " + quoted(text));
    } else if (!requirement->url.empty()) {
      add("requires " + quoted(requirement->name) + " from a URL, which PyPI rejects",
          "require a version instead");
    }
  }

  const WheelFacts& facts_;
  const wheel::HeaderBlock& block_;
  std::string file_;
  Findings findings_;
};

}  // namespace

Findings judge_metadata(const WheelFacts& facts, const Expectations& /*expected*/) {
  if (!facts.metadata) return {};  // reported by `unreadable`
  return MetadataJudge(facts).run();
}

}  // namespace pinwheel::inspect
