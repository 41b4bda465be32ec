#include "publish/index_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/name.h"
#include "pep/specifier.h"
#include "pep/wheel_name.h"
#include "publish/upload_time.h"
#include "publish/variants_file.h"
#include "wheel/metadata.h"

namespace pinwheel::publish {
namespace {

using std::chrono::system_clock;

constexpr AuditSeverity kError = AuditSeverity::error;
constexpr AuditSeverity kWarning = AuditSeverity::warning;

constexpr auto kAuditRules = std::to_array<AuditRule>({
    {"page", kError, "every page answers, and is HTML or JSON within the limits"},
    {"file-name", kError, "names are those of wheels (PEP 427) or sdists (PEP 625), normalized"},
    {"project", kError, "a page lists files of its own project only"},
    {"duplicate", kError, "a page lists each file name once"},
    {"link", kError, "each link answers, with encryption if the page has it"},
    {"redirect", kWarning, "links lead to the server that they name"},
    {"size", kError, "files have the size that the page states"},
    {"hash", kError, "files and copies of METADATA have the hash that the page states"},
    {"no-hash", kWarning, "each file has a SHA-256, SHA-384 or SHA-512"},
    {"upload-time", kError, "each file has a plausible upload time"},
    {"metadata", kError, "METADATA, its copy next to the wheel, and the file name agree"},
    {"requires-python", kError, "the page and METADATA state the same Requires-Python"},
    {"yanked", kError, "`yanked` is true or a reason"},
    {"forms", kError, "the HTML and the JSON page list the same files with the same facts"},
    {"label", kWarning, "a sub-index lists files of its own label"},
    {"conflict", kError, "a file name has one hash in the whole index"},
    {"choice", kWarning, "each machine gets a file, the same from pip and uv"},
});

/// Collects the findings of a page.
class PageFindings {
 public:
  explicit PageFindings(const AuditedPage& page) : page_(page.name()) {}

  void add(AuditSeverity severity, std::string_view rule, const std::string& file,
           std::string message, std::string hint = {}) {
    found_.push_back(
        {std::string(rule), severity, page_, file, std::move(message), std::move(hint)});
  }
  std::vector<AuditFinding> take() { return std::move(found_); }

 private:
  std::string page_;
  std::vector<AuditFinding> found_;
};

struct ParsedName {
  std::string distribution;
  pep::Version version;
  bool is_wheel = false;
  std::string normalized;  ///< the whole name
};

/// nullopt for a file that is neither a wheel nor an sdist.
std::optional<ParsedName> parse_name(const std::string& filename) {
  if (const auto wheel = pep::parse_wheel_name(filename)) {
    return ParsedName{wheel->distribution, wheel->version, true, pep::to_string(*wheel)};
  }
  const auto sdist = pep::parse_sdist_name(filename);
  if (!sdist) return std::nullopt;
  return ParsedName{sdist->distribution, sdist->version, false, pep::to_string(*sdist)};
}

void audit_name(const AuditedPage& page, const std::string& filename, PageFindings& found) {
  const std::optional<ParsedName> name = parse_name(filename);
  if (!name && is_variants_file(filename)) return;
  if (!name) {
    const bool wheel = filename.ends_with(".whl");
    std::string why = wheel ? pep::parse_wheel_name(filename).error().message
                            : quoted(filename) + " is neither a wheel nor an sdist";
    // Installers ignore files of other kinds, but they take a broken `.whl` for a wheel.
    return found.add(wheel ? kError : kWarning, "file-name", filename, std::move(why));
  }
  if (pep::normalize_name(name->distribution) != pep::normalize_name(page.project)) {
    found.add(
        kError, "project", filename,
        fmt::format("is a file of {}, not of {}", quoted(name->distribution), quoted(page.project)),
        "installers ignore it on this page");
  }
  if (name->normalized != filename) {
    found.add(kWarning, "file-name", filename,
              fmt::format("is not normalized: {} would be", quoted(name->normalized)));
  }
}

bool is_compute_label(std::string_view label) {
  if (label == "cpu" || label == "xpu") return true;
  for (const std::string_view prefix : {"cu", "rocm"}) {
    const std::string_view rest = label.substr(std::min(prefix.size(), label.size()));
    const bool numeric = !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) {
      return is_digit(c) || c == '.';
    });
    if (label.starts_with(prefix) && numeric) return true;
  }
  return false;
}

void audit_label(const AuditedPage& page, const std::string& filename, PageFindings& found) {
  const std::optional<ParsedName> name = parse_name(filename);
  if (!name || !is_compute_label(page.label)) return;
  const std::string version = pep::to_string(name->version);
  const size_t plus = version.find('+');
  if (plus == std::string::npos) return;
  const std::string label = version.substr(plus + 1);
  // Wheels for all of CUDA 13 may be in `cu130` as well.
  if (!is_compute_label(label) || page.label.starts_with(label)) return;
  found.add(kWarning, "label", filename,
            fmt::format("has the label {} in the sub-index {}", quoted(label), quoted(page.label)));
}

void audit_duplicates(const AuditedPage& page, PageFindings& found) {
  std::map<std::string, std::vector<const IndexFile*>> by_name;
  for (const AuditedFile& file : page.files) {
    by_name[file.listed.filename].push_back(&file.listed);
  }
  for (const auto& [name, files] : by_name) {
    if (files.size() == 1) continue;
    const auto& hashes = files.front()->hashes;
    const bool same = std::all_of(files.begin(), files.end(), [&hashes](const IndexFile* each) {
      return each->hashes == hashes;
    });
    found.add(
        same ? kWarning : kError, "duplicate", name,
        fmt::format("is listed {} times{}", files.size(), same ? "" : ", with different hashes"));
  }
}

std::string host_of(std::string_view url) {
  const std::optional<UrlParts> parts = split_url(url);
  return parts ? parts->host : std::string();
}

void audit_link(const AuditedFile& file, PageFindings& found) {
  if (!file.link) return;
  const LinkFacts& link = *file.link;
  const std::string& name = file.listed.filename;
  if (!link.fault.empty()) return found.add(kError, "link", name, link.fault);
  if (!link.final_url.empty() && host_of(link.final_url) != host_of(link.url)) {
    found.add(kWarning, "redirect", name,
              fmt::format("redirects from {} to {}", quoted(host_of(link.url)),
                          quoted(host_of(link.final_url))));
  }
  if (file.listed.size && link.size && *file.listed.size != *link.size) {
    found.add(kError, "size", name,
              fmt::format("has {} bytes, but the page says {}", *link.size, *file.listed.size));
  }
}

void audit_hashes(const AuditedFile& file, PageFindings& found) {
  const IndexFile& listed = file.listed;
  const std::map<std::string, std::string> stated = verifiable_hashes(listed);
  for (const auto& [algorithm, digest] : stated) {
    const auto real = file.digests.find(algorithm);
    if (real == file.digests.end() || real->second == digest) continue;
    found.add(
        kError, "hash", listed.filename,
        fmt::format("has the {} {}, but the page says {}", algorithm, real->second, quoted(digest)),
        "replace the hash on the page, or the file if it is not the released one");
  }
  if (stated.empty()) {
    found.add(kWarning, "no-hash", listed.filename,
              listed.hashes.empty() ? "has no hash on the page"
                                    : fmt::format("has only the hash {} on the page",
                                                  quoted(listed.hashes.begin()->first)),
              "installers do not notice when other bytes arrive");
  }
  if (file.beside && file.beside->fault.empty() && !listed.metadata_sha256.empty() &&
      file.beside->sha256 != listed.metadata_sha256) {
    found.add(kError, "hash", listed.filename,
              fmt::format("has a copy of METADATA with the sha256 {}, but the page says {}",
                          file.beside->sha256, quoted(listed.metadata_sha256)));
  }
}

void audit_time(const IndexFile& file, system_clock::time_point now, PageFindings& found) {
  using std::chrono::year;
  // PyPI's first uploads are of 2003; a clock may be a day ahead.
  constexpr std::chrono::sys_days kFirst = year(2003) / std::chrono::January / 1;
  const auto time = parse_upload_time(file.upload_time);
  if (!time) {
    return found.add(
        kError, "upload-time", file.filename,
        fmt::format("has the upload time {}, which is not a time in UTC", quoted(file.upload_time)),
        "write it as `2026-01-02T03:04:05Z`");
  }
  if (*time < kFirst || *time > now + std::chrono::days(1)) {
    found.add(kError, "upload-time", file.filename,
              fmt::format("has the upload time {}, which cannot be", quoted(file.upload_time)));
  }
}

void audit_times(const AuditedPage& page, system_clock::time_point now, PageFindings& found) {
  size_t without = 0;
  for (const AuditedFile& file : page.files) {
    if (file.listed.upload_time.empty()) {
      ++without;
    } else {
      audit_time(file.listed, now, found);
    }
  }
  if (without == 0) return;
  const std::string hint =
      "uv's `exclude-newer` ignores such files, and pip's "
      "`--uploaded-prior-to` fails";
  if (without == page.files.size()) {
    return found.add(kWarning, "upload-time", "", "no file has an upload time", hint);
  }
  for (const AuditedFile& file : page.files) {
    if (!file.listed.upload_time.empty()) continue;
    found.add(kWarning, "upload-time", file.listed.filename, "has no upload time", hint);
  }
}

/// The clauses of a Requires-Python, normalized; nullopt if it is malformed.
std::optional<std::set<std::string>> clauses_of(const std::string& text) {
  const Result<pep::SpecifierSet> parsed = pep::parse_specifiers(text);
  if (!parsed) return std::nullopt;
  std::set<std::string> clauses;
  for (const pep::Specifier& one : *parsed) clauses.insert(pep::to_string(pep::SpecifierSet{one}));
  return clauses;
}

void audit_python(const IndexFile& file, const MetadataFacts& metadata, PageFindings& found) {
  const std::string& ours = metadata.requires_python;
  const auto stated = clauses_of(file.requires_python);
  const auto real = clauses_of(ours);
  if (stated == real && (stated || file.requires_python == ours)) return;
  if (file.requires_python.empty()) {
    return found.add(kWarning, "requires-python", file.filename,
                     fmt::format("requires Python {}, which the page does not say", quoted(ours)),
                     "installers choose it for other Pythons, too");
  }
  found.add(kError, "requires-python", file.filename,
            fmt::format("requires {} by its METADATA, but the page says {}",
                        ours.empty() ? "any Python" : "Python " + quoted(ours),
                        quoted(file.requires_python)));
}

void audit_metadata(const AuditedFile& file, PageFindings& found) {
  const IndexFile& listed = file.listed;
  if (!file.beside && !file.inside && !clauses_of(listed.requires_python)) {
    found.add(kError, "requires-python", listed.filename,
              fmt::format("requires Python {} by the page, which is malformed",
                          quoted(listed.requires_python)));
  }
  for (const auto* facts : {&file.beside, &file.inside}) {
    if (*facts && !(*facts)->fault.empty()) {
      found.add(kError, "metadata", listed.filename, (*facts)->fault);
    }
  }
  const bool has_inside = file.inside && file.inside->fault.empty();
  const bool has_beside = file.beside && file.beside->fault.empty();
  if (has_inside && has_beside && file.inside->sha256 != file.beside->sha256) {
    found.add(kError, "metadata", listed.filename, "has a copy of METADATA that differs from it",
              "installers resolve with the copy, and install something else");
  }
  if (!has_inside && !has_beside) return;
  const MetadataFacts& metadata = has_inside ? *file.inside : *file.beside;
  audit_python(listed, metadata, found);
  const std::optional<ParsedName> name = parse_name(listed.filename);
  if (!name) return;
  const Result<pep::Version> version = pep::parse_version(metadata.version);
  const bool same_name =
      pep::normalize_name(name->distribution) == pep::normalize_name(metadata.name);
  if (same_name && version && *version == name->version) return;
  found.add(
      kError, "metadata", listed.filename,
      fmt::format("is {} {} by its METADATA", quoted(metadata.name), quoted(metadata.version)));
}

void audit_types(const IndexFile& file, PageFindings& found) {
  for (const std::string& key : file.malformed) {
    found.add(kError, key == "yanked" ? "yanked" : "page", file.filename,
              fmt::format("has a {} that PEP 691 does not allow", quoted(key)));
  }
}

void audit_yanked(const IndexFile& file, PageFindings& found) {
  if (!file.yanked) return;
  constexpr std::array<std::string_view, 5> kNoReason = {"false", "true", "0", "1", "none"};
  const std::string reason = to_lower(*file.yanked);
  if (std::find(kNoReason.begin(), kNoReason.end(), reason) == kNoReason.end()) return;
  found.add(kWarning, "yanked", file.filename,
            fmt::format("is yanked with the reason {}", quoted(*file.yanked)),
            "any text is a reason: leave the attribute out for a file that is not yanked");
}

/// The facts in which two entries for a file differ.
std::vector<std::string> differences(const IndexFile& a, const IndexFile& b) {
  std::vector<std::string> found;
  const auto compare = [&found](bool same, const char* what) {
    if (!same) found.emplace_back(what);
  };
  compare(verifiable_hashes(a) == verifiable_hashes(b), "hash");
  compare(clauses_of(a.requires_python) == clauses_of(b.requires_python), "Requires-Python");
  compare(a.metadata_sha256 == b.metadata_sha256, "hash of METADATA");
  compare(a.yanked == b.yanked, "yanked status");
  const bool both = !a.upload_time.empty() && !b.upload_time.empty();
  compare(!both || parse_upload_time(a.upload_time) == parse_upload_time(b.upload_time),
          "upload time");
  return found;
}

void audit_forms(const AuditedPage& page, PageFindings& found) {
  if (!page.other_form) return;
  std::map<std::string, const IndexFile*> other;
  for (const IndexFile& file : *page.other_form) other.emplace(file.filename, &file);
  const bool json = page.form == PageForm::json;
  const std::string_view own_form = json ? "JSON" : "HTML";
  const std::string_view other_form = json ? "HTML" : "JSON";
  std::set<std::string> seen;
  for (const AuditedFile& file : page.files) {
    const std::string& name = file.listed.filename;
    if (!seen.insert(name).second) continue;
    const auto twin = other.find(name);
    if (twin == other.end()) {
      found.add(kError, "forms", name,
                fmt::format("is on the {} page, not on the {} page", own_form, other_form));
      continue;
    }
    const std::vector<std::string> differing = differences(file.listed, *twin->second);
    if (differing.empty()) continue;
    found.add(kError, "forms", name,
              fmt::format("has another {} on the HTML page than on the JSON page",
                          join(differing, ", ")));
  }
  for (const auto& [name, file] : other) {
    if (seen.contains(name)) continue;
    found.add(kError, "forms", name,
              fmt::format("is on the {} page, not on the {} page", other_form, own_form));
  }
}

size_t place_of(const std::string& rule) {
  size_t at = 0;
  while (at < kAuditRules.size() && kAuditRules.at(at).id != rule) ++at;
  return at;
}

}  // namespace

std::string_view to_string(AuditSeverity severity) {
  return severity == AuditSeverity::warning ? "warning" : "error";
}

std::span<const AuditRule> audit_rules() {
  return kAuditRules;
}

Done check_audit_rules(const std::vector<std::string>& ids) {
  std::vector<std::string> known;
  known.reserve(kAuditRules.size());
  for (const AuditRule& rule : kAuditRules) known.emplace_back(rule.id);
  for (const std::string& id : ids) {
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    return fail(ErrorKind::usage, fmt::format("unknown rule {}", quoted(id)), suggest(id, known));
  }
  return {};
}

MetadataFacts metadata_facts(std::string_view text) {
  const Result<wheel::Metadata> metadata = wheel::parse_metadata(text);
  if (!metadata) return {.fault = metadata.error().message};
  return {sha256_hex(text), metadata->name(), metadata->version(),
          std::string(trim(metadata->block.get("Requires-Python").value_or("")))};
}

std::map<std::string, std::string> verifiable_hashes(const IndexFile& file) {
  std::map<std::string, std::string> found;
  for (const auto& [algorithm, digest] : file.hashes) {
    const std::string name = to_lower(algorithm);
    if (name == "sha256" || name == "sha384" || name == "sha512") found[name] = digest;
  }
  return found;
}

std::string refused_link(std::string_view page_url, std::string_view url) {
  if (!page_url.starts_with("https://") || !url.starts_with("http://")) return {};
  return "is linked with http from a page with https";
}

std::vector<AuditFinding> audit_page(const AuditedPage& page, system_clock::time_point now) {
  PageFindings found(page);
  if (!page.fault.empty()) {
    found.add(kError, "page", "", page.fault);
    return found.take();
  }
  if (!page.other_fault.empty()) found.add(kError, "page", "", page.other_fault);
  audit_duplicates(page, found);
  audit_times(page, now, found);
  audit_forms(page, found);
  for (const AuditedFile& file : page.files) {
    audit_name(page, file.listed.filename, found);
    audit_label(page, file.listed.filename, found);
    audit_link(file, found);
    audit_hashes(file, found);
    audit_metadata(file, found);
    audit_types(file.listed, found);
    audit_yanked(file.listed, found);
  }
  return found.take();
}

std::vector<AuditFinding> audit_conflicts(const std::vector<AuditedPage>& pages) {
  struct First {
    const AuditedPage* page;
    std::map<std::string, std::string> hashes;
  };
  std::map<std::string, First> first;
  std::vector<AuditFinding> found;
  for (const AuditedPage& page : pages) {
    for (const AuditedFile& file : page.files) {
      const auto hashes = verifiable_hashes(file.listed);
      if (hashes.empty()) continue;
      const auto [at, is_new] = first.try_emplace(file.listed.filename, First{&page, hashes});
      if (is_new || at->second.page == &page || at->second.hashes == hashes) continue;
      found.push_back(
          {"conflict", kError, page.name(), file.listed.filename,
           fmt::format("has another hash on the page {}", quoted(at->second.page->name())),
           "a file name is never reused: publish the new bytes as another version"});
    }
  }
  return found;
}

std::vector<MachineChoice> choices_of(const AuditedPage& page,
                                      const std::vector<pep::TargetPython>& machines,
                                      std::optional<system_clock::time_point> before) {
  if (!page.fault.empty()) return {};
  std::vector<IndexFile> files;
  for (const AuditedFile& file : page.files) {
    const auto name = parse_name(file.listed.filename);
    const bool own =
        name && pep::normalize_name(name->distribution) == pep::normalize_name(page.project);
    if (own) files.push_back(file.listed);
  }
  std::vector<MachineChoice> choices;
  for (const pep::TargetPython& machine : machines) {
    const ChoiceRequest request{machine, before, page.form, page.place};
    choices.push_back({page.name(), pep::to_string(machine),
                       choose_file(files, request, Installer::pip),
                       choose_file(files, request, Installer::uv)});
  }
  return choices;
}

std::vector<AuditFinding> audit_choices(const std::vector<MachineChoice>& choices) {
  std::vector<AuditFinding> found;
  const auto shown = [](const Choice& choice) {
    return choice.filename.empty() ? "nothing" : quoted(choice.filename);
  };
  for (const MachineChoice& each : choices) {
    if (each.pip.filename == each.uv.filename && !each.pip.filename.empty()) continue;
    const bool nothing = each.pip.filename.empty() && each.uv.filename.empty();
    std::string message = nothing
                              ? fmt::format("has nothing to install for {}", quoted(each.machine))
                              : fmt::format("gives {} to pip and {} to uv, for {}", shown(each.pip),
                                            shown(each.uv), quoted(each.machine));
    std::vector<std::string> reasons;
    for (const Choice* choice : {&each.pip, &each.uv}) {
      const bool known = !reasons.empty() && reasons.front() == choice->reason;
      if (!choice->reason.empty() && !known) reasons.push_back(choice->reason);
    }
    found.push_back({"choice", kWarning, each.page, "", std::move(message), join(reasons, "; ")});
  }
  return found;
}

std::vector<AuditFinding> without_rules(std::vector<AuditFinding> findings,
                                        const std::vector<std::string>& ignored) {
  std::erase_if(findings, [&](const AuditFinding& each) {
    return std::find(ignored.begin(), ignored.end(), each.rule) != ignored.end();
  });
  std::stable_sort(findings.begin(), findings.end(),
                   [](const AuditFinding& a, const AuditFinding& b) {
                     return place_of(a.rule) < place_of(b.rule);
                   });
  return findings;
}

}  // namespace pinwheel::publish
