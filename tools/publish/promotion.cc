#include "publish/promotion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/requirement.h"
#include "publish/endpoints.h"
#include "wheel/metadata.h"

namespace pinwheel::publish {
namespace {

Error difference(std::string message) {
  return Error{ErrorKind::check, std::move(message)};
}

/// Whether a file of the page is of the record's version, with the build number of one of its
/// files. Other cuts of the version are releases of their own.
bool is_of_release(const IndexFile& file, const ReleaseRecord& record) {
  const auto version = version_of_file(file.filename);
  if (!version || !is_pinned_by(*version, release_of(record))) return false;
  return std::ranges::any_of(record.files, [&file](const RecordedFile& recorded) {
    return build_of_file(recorded.filename) == build_of_file(file.filename);
  });
}

/// The difference between a recorded file and the facts on the page, as far as it states them.
Done compare_listed(const RecordedFile& recorded, const IndexFile& listed,
                    const std::string& source) {
  const auto stated = listed.hashes.find("sha256");
  const std::string sha256 = stated == listed.hashes.end() ? recorded.sha256 : stated->second;
  return check_received(recorded, listed.size.value_or(recorded.size), sha256, source);
}

/// A line of a requirements file with the hashes of the record's wheels.
std::string pinned_line(const ReleaseRecord& record, const std::string& version,
                        const std::string& marker) {
  std::string line = fmt::format("{}=={}", record.project, version);
  if (!marker.empty()) line += " " + marker;
  for (const RecordedFile& file : record.files) {
    if (file.filename.ends_with(".whl")) line += " --hash=sha256:" + file.sha256;
  }
  return line + "\n";
}

/// The version that a requirement pins, if the release has it, perhaps with a local part; else that
/// of the release.
Result<SiblingLine> sibling_of(const ReleaseRecord& record, const std::string& requirement) {
  const Result<pep::Requirement> parsed = pep::parse_requirement(requirement);
  if (!parsed) return fail(ErrorKind::check, parsed.error().message, parsed.error().hint);
  const PinnedVersion release = release_of(record);
  const pep::SpecifierSet& clauses = parsed->specifiers;
  std::string version = record.version;
  const bool pinned = clauses.size() == 1 && clauses[0].comparison == pep::Comparison::equal &&
                      !clauses[0].wildcard;
  const bool local = pinned && is_pinned_by(clauses[0].version, release);
  if (local) version = to_string(clauses[0].version);
  const std::string marker = parsed->marker.empty() ? "" : "; " + parsed->marker;
  SiblingLine sibling{record.project, pinned_line(record, version, marker)};
  if (!local && !pep::satisfies(release.version, clauses)) sibling.unmet = requirement;
  return sibling;
}

/// Whether the record has a wheel of exactly that version.
bool has_wheel_of(const ReleaseRecord& record, const pep::Version& version) {
  return std::ranges::any_of(record.files, [&version](const RecordedFile& file) {
    return file.filename.ends_with(".whl") && version_of_file(file.filename) == version;
  });
}

}  // namespace

ReleaseSource release_source(const std::string& text) {
  if (text == "store") return {SourceKind::store, "the store", {}};
  for (const IndexKind kind : kIndexKinds) {
    const auto known = known_endpoint(kind);
    if (known && text == to_string(kind)) {
      return {SourceKind::index, quoted(text), known->simple_url};
    }
  }
  if (is_address(text)) return {SourceKind::index, quoted_url(text), text};
  return {SourceKind::directory, quoted(text), path_of_file_url(text).value_or(text)};
}

std::string InstallLines::of_siblings() const {
  std::string text;
  for (const SiblingLine& sibling : siblings) text += sibling.line;
  return text;
}

InstallLines install_lines(const ReleaseRecord& own, const std::string& version) {
  return {pinned_line(own, version, {})};
}

Done add_requirements(InstallLines& lines, const std::vector<ReleaseRecord>& records,
                      const std::string& own, const std::vector<std::string>& requirements) {
  for (const std::string& requirement : requirements) {
    if (wheel::is_of_extra(requirement)) continue;
    const std::string project = wheel::requirement_project(requirement);
    const auto record = std::ranges::find(records, project, &ReleaseRecord::project);
    if (record == records.end()) {
      const bool known = std::ranges::find(lines.others, requirement) != lines.others.end();
      if (!known) lines.others.push_back(requirement);
    } else if (project != own) {
      TRY(SiblingLine sibling, sibling_of(*record, requirement));
      const bool known = std::ranges::find(lines.siblings, sibling.line, &SiblingLine::line) !=
                         lines.siblings.end();
      if (!known) lines.siblings.push_back(std::move(sibling));
    }
  }
  return {};
}

Done add_siblings(InstallLines& lines, const std::vector<ReleaseRecord>& records,
                  const std::vector<PinnedVersion>& siblings) {
  for (const PinnedVersion& sibling : siblings) {
    const auto record = std::ranges::find(records, sibling.project, &ReleaseRecord::project);
    if (record == records.end() || !has_wheel_of(*record, sibling.version)) {
      return fail(
          ErrorKind::check,
          fmt::format("no record of the release has a wheel of {}", quoted(to_string(sibling))),
          "remove the records from the output directory and run again");
    }
    const bool known = std::ranges::find(lines.siblings, sibling.project, &SiblingLine::project) !=
                       lines.siblings.end();
    if (known) continue;
    lines.siblings.push_back(
        {sibling.project, pinned_line(*record, pep::to_string(sibling.version), {})});
  }
  return {};
}

Done check_record(const ReleaseRecord& record, const PinnedVersion& wanted) {
  const PinnedVersion recorded = release_of(record);
  if (recorded == wanted) return {};
  return fail(ErrorKind::usage,
              fmt::format("the record is of {}, not of {}", quoted(to_string(recorded)),
                          quoted(to_string(wanted))),
              "pass the record that the release of this version wrote");
}

Error missing_at(const RecordedFile& recorded, const std::string& source) {
  return difference(fmt::format("{} is not in {}", quoted(recorded.filename), source));
}

Error not_as_recorded(const ReleaseRecord& record, const std::string& source,
                      std::vector<Error> differences) {
  return Error{ErrorKind::check,
               fmt::format("{} does not have {} as it was released, nothing was sent", source,
                           quoted(to_string(release_of(record)))),
               std::nullopt, "publish the release there first, or pass the record of what is there",
               std::move(differences)};
}

Done check_received(const RecordedFile& recorded, uint64_t size, const std::string& sha256,
                    const std::string& source) {
  if (sha256 != recorded.sha256) {
    return fail(difference(fmt::format("{} has the sha256 {} in {}, but the record says {}",
                                       quoted(recorded.filename), quoted(sha256), source,
                                       recorded.sha256)));
  }
  if (size == recorded.size) return {};
  return fail(difference(fmt::format("{} has {} bytes in {}, but the record says {}",
                                     quoted(recorded.filename), size, source, recorded.size)));
}

Result<std::vector<SourceFile>> select_recorded(const ReleaseRecord& record,
                                                const std::vector<IndexFile>& page,
                                                const std::string& source) {
  std::vector<SourceFile> selected;
  std::vector<Error> differences;
  std::set<std::string> names;
  for (const RecordedFile& recorded : record.files) {
    names.insert(recorded.filename);
    const auto listed = std::find_if(page.begin(), page.end(), [&recorded](const IndexFile& file) {
      return file.filename == recorded.filename;
    });
    if (listed == page.end()) {
      differences.push_back(missing_at(recorded, source));
    } else if (Done same = compare_listed(recorded, *listed, source); !same) {
      differences.push_back(std::move(same).error());
    } else {
      selected.push_back({recorded, listed->url});
    }
  }
  for (const IndexFile& file : page) {
    if (!is_of_release(file, record) || !names.insert(file.filename).second) continue;
    differences.push_back(difference(
        fmt::format("{} is in {}, but not in the record", quoted(file.filename), source)));
  }
  if (differences.empty()) return selected;
  return fail(not_as_recorded(record, source, std::move(differences)));
}

Done check_promoted(const ReleaseRecord& record, const std::vector<Artifact>& files,
                    const std::string& source) {
  std::vector<Error> differences;
  for (const RecordedFile& recorded : record.files) {
    const auto file = std::find_if(files.begin(), files.end(), [&recorded](const Artifact& each) {
      return each.filename == recorded.filename;
    });
    if (file == files.end()) {
      differences.push_back(missing_at(recorded, source));
    } else if (Done same = check_received(recorded, file->size, file->sha256, source); !same) {
      differences.push_back(std::move(same).error());
    }
  }
  if (differences.empty()) return {};
  return fail(not_as_recorded(record, source, std::move(differences)));
}

}  // namespace pinwheel::publish
