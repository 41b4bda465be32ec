#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pep/target_python.h"
#include "publish/choose_file.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

enum class AuditSeverity { error, warning };
/// "error", "warning".
std::string_view to_string(AuditSeverity severity);

/// A rule for the pages and files of a simple index.
struct AuditRule {
  std::string_view id;
  AuditSeverity severity = AuditSeverity::error;  ///< the highest of its findings
  std::string_view description;                   ///< one line
};
/// Every rule, in the order of the findings.
std::span<const AuditRule> audit_rules();
/// `usage`, with the nearest id, if one of the texts is no rule.
Done check_audit_rules(const std::vector<std::string>& ids);

/// A violation of a rule.
struct AuditFinding {
  std::string rule;  ///< id
  AuditSeverity severity = AuditSeverity::error;
  std::string page;  ///< "torch", "cu130/torch"; "" for the root of the index
  std::string file;  ///< its name; empty if the finding concerns the page
  std::string message;
  std::string hint = {};  ///< how to fix it; empty when unknown

  bool operator==(const AuditFinding&) const = default;
};

/// What METADATA of a wheel says of itself.
struct MetadataFacts {
  std::string sha256 = {};  ///< of all of it
  std::string name = {};
  std::string version = {};
  std::string requires_python = {};
  std::string fault = {};  ///< why it cannot be read; then the rest is empty

  bool operator==(const MetadataFacts&) const = default;
};
/// The facts in the text of a METADATA.
MetadataFacts metadata_facts(std::string_view text);

/// What was found at the other end of a link.
struct LinkFacts {
  std::string url;                              ///< absolute, without credentials
  std::string final_url = {};                   ///< after redirects
  std::string fault = {};                       ///< why the file cannot be read; empty if it can
  std::optional<uint64_t> size = std::nullopt;  ///< bytes
};

/// A file on a page, and what was found of it. Absent facts were not gathered.
struct AuditedFile {
  IndexFile listed;
  std::optional<LinkFacts> link = std::nullopt;
  std::map<std::string, std::string> digests = {};  ///< of its bytes, by algorithm
  /// The copy of METADATA beside the file; its `fault` if the page promises one that is not there.
  std::optional<MetadataFacts> beside = std::nullopt;
  std::optional<MetadataFacts> inside = std::nullopt;  ///< METADATA in the wheel
};

/// A project's page.
struct AuditedPage {
  std::string label = {};  ///< of its sub-index, "cu130"; empty for the root
  std::string project;     ///< as its address has it
  std::string url = {};
  std::string fault = {};          ///< why it cannot be read; then there are no files
  PageForm form = PageForm::json;  ///< of the page that installers receive
  PagePlace place = PagePlace::server;
  std::vector<AuditedFile> files = {};
  /// The files of the same page in the other form; nullopt if the index has one form only.
  std::optional<std::vector<IndexFile>> other_form = std::nullopt;
  std::string other_fault = {};  ///< why the page in the other form cannot be read

  /// "cu130/torch".
  std::string name() const { return label.empty() ? project : label + "/" + project; }
};

/// The hashes on a page that can be verified, by algorithm: of SHA-256, SHA-384 and SHA-512.
std::map<std::string, std::string> verifiable_hashes(const IndexFile& file);

/// Why a link of a page is not followed, by its URL alone: it loses the encryption of the page.
/// Empty for other links.
std::string refused_link(std::string_view page_url, std::string_view url);

/// The violations of one page, at that time.
std::vector<AuditFinding> audit_page(const AuditedPage& page,
                                     std::chrono::system_clock::time_point now);
/// Files of one name with different hashes on several pages.
std::vector<AuditFinding> audit_conflicts(const std::vector<AuditedPage>& pages);

/// What both installers take of a page on a machine; `choices_of` has none of a page that cannot be
/// read.
struct MachineChoice {
  std::string page;
  std::string machine;
  Choice pip;
  Choice uv;
};
std::vector<MachineChoice> choices_of(const AuditedPage& page,
                                      const std::vector<pep::TargetPython>& machines,
                                      std::optional<std::chrono::system_clock::time_point> before);
/// A warning where a machine gets nothing, or pip and uv take different files.
std::vector<AuditFinding> audit_choices(const std::vector<MachineChoice>& choices);

/// The findings of the other rules, in the order of the rules.
std::vector<AuditFinding> without_rules(std::vector<AuditFinding> findings,
                                        const std::vector<std::string>& ignored);

}  // namespace pinwheel::publish
