#include "inspect/report.h"

#include <fmt/format.h>

#include "base/text.h"
#include "inspect/code_total.h"
#include "inspect/needed_library.h"
#include "inspect/requirements.h"
#include "inspect/symbol_versions.h"

namespace pinwheel::inspect {
namespace {

constexpr size_t kShownReasons = 5;

/// Lines of `label  value`; further values of one label stand below the first.
class Lines {
 public:
  explicit Lines(std::string title) : text_(std::move(title) + "\n") {}

  void add(std::string_view label, const std::string& value) {
    text_ += fmt::format("  {:<16} {}\n", label == last_ ? "" : label, value);
    last_ = label;
  }
  void add_all(std::string_view label, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(label, value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string last_;
};

uint64_t unpacked_size(const WheelFacts& facts) {
  uint64_t total = 0;
  for (const MemberFacts& member : facts.members) total += member.size;
  return total;
}

void tell_metadata(const WheelFacts& facts, Lines& lines) {
  if (facts.metadata) {
    lines.add("name", facts.metadata->name() + " " + facts.metadata->version());
  }
  if (facts.name) lines.add("tags", pep::to_string(facts.name->tags));
  if (!facts.metadata) return;
  const std::optional<std::string> python = facts.metadata->block.get("Requires-Python");
  if (python) lines.add("requires Python", *python);
  const std::vector<std::string> torch = torch_requirements(facts);
  if (!torch.empty()) lines.add("requires torch", join(torch, ", "));
  const size_t others = facts.metadata->requires_dist().size() - torch.size();
  if (others > 0) lines.add("requires", plural(others, torch.empty() ? "project" : "other"));
}

void tell_platform(const WheelFacts& facts, const Expectations& expected, Lines& lines) {
  const Result<PlatformTag> earned = platform_tag(facts.libraries, expected.external);
  if (!earned) {
    lines.add("platform", earned.error().message);
    return;
  }
  lines.add("platform", facts.libraries.empty() ? "any, it has no binary" : earned->tag);
  for (size_t i = 0; i < earned->reasons.size() && i < kShownReasons; ++i) {
    lines.add("not older, as", earned->reasons[i]);
  }
  if (earned->reasons.size() > kShownReasons) {
    lines.add("not older, as", fmt::format("and {} more", earned->reasons.size() - kShownReasons));
  }
  std::vector<std::string> versions;
  for (const auto& [family, version] : newest_versions(facts.libraries)) {
    versions.push_back(fmt::format("{} {}", family, version));
  }
  if (!versions.empty()) lines.add("symbol versions", join(versions, ", "));
}

void tell_libraries(const WheelFacts& facts, const Expectations& expected, Lines& lines) {
  for (const NeededLibrary& library : needed_libraries(facts, expected.external)) {
    const size_t others = library.needed_by.size() - 1;
    lines.add("needs", fmt::format("{} from {}, for {}{}", library.soname,
                                   to_string(library.provider), library.needed_by.front(),
                                   others == 0 ? "" : fmt::format(" and {} more", others)));
  }
}

void tell_device_code(const WheelFacts& facts, Lines& lines) {
  for (const CodeTotal& total : code_totals(facts)) {
    std::string form = std::string(binary::to_string(total.kind));
    if (total.compression != binary::CodeCompression::none) {
      form += " by " + std::string(binary::to_string(total.compression));
    }
    lines.add("device code", fmt::format("{} as {}, {} in {}", total.architecture, form,
                                         plural(total.pieces, "piece"), total.file));
  }
}

void tell_findings(const std::vector<Finding>& findings, Lines& lines) {
  if (findings.empty()) lines.add("findings", "none");
  for (const Finding& finding : findings) {
    lines.add("findings", to_error(finding).message);
    if (!finding.hint.empty()) lines.add("findings", "  hint: " + finding.hint);
  }
}

}  // namespace

std::string summary(const WheelFacts& facts, const Expectations& expected,
                    const std::vector<Finding>& findings) {
  Lines lines(facts.file_name);
  tell_metadata(facts, lines);
  tell_platform(facts, expected, lines);
  tell_libraries(facts, expected, lines);
  tell_device_code(facts, lines);
  lines.add("size",
            fmt::format("{}, {} unpacked, {}", format_bytes(facts.file_size),
                        format_bytes(unpacked_size(facts)), plural(facts.members.size(), "file")));
  tell_findings(findings, lines);
  return lines.take();
}

}  // namespace pinwheel::inspect
