#include "publish/form_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "pep/requirement.h"

namespace pinwheel::publish {

namespace {

constexpr size_t kMaxSummary = 512;
constexpr size_t kMaxLabel = 32;
constexpr std::array<std::string_view, 8> kMetadataVersions = {"1.0", "1.1", "1.2", "2.1",
                                                               "2.2", "2.3", "2.4", "2.5"};

size_t characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

/// Collects the findings of one file.
class FormChecker {
 public:
  explicit FormChecker(const Artifact& file) : file_(file) {}

  std::vector<Error> run() {
    for (const ports::FormField& field : file_.fields) check(field);
    if (has("license") && has("license_expression")) {
      add("has both License and License-Expression", "keep License-Expression");
    }
    return std::move(findings_);
  }

 private:
  void add(std::string_view what, std::string hint = {}) {
    findings_.push_back(Error{ErrorKind::check,
                              fmt::format("{} {}", quoted(file_.filename), what),
                              std::nullopt,
                              std::move(hint),
                              {}});
  }

  bool has(std::string_view name) const {
    return std::any_of(file_.fields.begin(), file_.fields.end(),
                       [name](const ports::FormField& field) { return field.name == name; });
  }

  void check(const ports::FormField& field) {
    if (field.name == "metadata_version") check_version(field.value);
    if (field.name == "summary") check_summary(field.value);
    if (field.name == "requires_dist") check_requirement(field.value);
    if (field.name == "project_urls") check_url(field.value);
    if (field.name == "requires_python" && !pep::parse_specifiers(field.value)) {
      add(fmt::format("has a malformed Requires-Python {}", quoted(field.value)),
          "write it like `>=3.10`");
    }
  }

  void check_version(const std::string& version) {
    const bool known = std::find(kMetadataVersions.begin(), kMetadataVersions.end(), version) !=
                       kMetadataVersions.end();
    if (known) return;
    add(fmt::format("has Metadata-Version {}, which PyPI does not support", quoted(version)),
        "build it with a backend that writes 2.1 to 2.5");
  }

  void check_summary(const std::string& summary) {
    if (summary.find('\n') != std::string::npos) add("has a multi-line Summary");
    if (characters(summary) > kMaxSummary) {
      add(fmt::format("has a Summary of more than {} characters", kMaxSummary));
    }
  }

  void check_requirement(const std::string& text) {
    const Result<pep::Requirement> requirement = pep::parse_requirement(text);
    if (!requirement) {
      add(fmt::format("has a malformed Requires-Dist {}", quoted(text)));
    } else if (!requirement->url.empty()) {
      add(fmt::format("requires {} from a URL, which PyPI rejects", quoted(requirement->name)),
          "require a version instead");
    }
  }

  void check_url(const std::string& text) {
    const std::string label = text.substr(0, text.find(','));
    if (characters(label) <= kMaxLabel) return;
    add(fmt::format("has a Project-URL whose label {} has more than {} characters", quoted(label),
                    kMaxLabel));
  }

  const Artifact& file_;
  std::vector<Error> findings_;
};

}  // namespace

std::vector<Error> form_findings(const Artifact& file) {
  return FormChecker(file).run();
}

}  // namespace pinwheel::publish
