#include "publish/release_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "pep/name.h"
#include "pep/wheel_name.h"
#include "publish/index_file.h"

namespace pinwheel::publish {
namespace {

using RecordJson = nlohmann::ordered_json;

constexpr std::string_view kRecordStem = "pinwheel-release";
constexpr std::string_view kRecordSuffix = ".json";
constexpr std::string_view kRecordSchema = "pinwheel-release/1";
constexpr const char* kBuildNumber = "build-number";
constexpr const char* kBuildNumberKey = "`build-number`";
constexpr size_t kMostTag = 255;
constexpr size_t kMostCommit = 64;

tl::unexpected<Error> malformed(const std::string& why) {
  return fail(ErrorKind::config, fmt::format("this is no record of a release: {}", why),
              fmt::format("pass the {} that the release wrote", quoted(kReleaseRecordName)));
}

/// That the object has these members and no others.
Done check_members(const nlohmann::json& json, const std::string& what,
                   std::initializer_list<const char*> members) {
  if (!json.is_object()) return malformed(fmt::format("{} is not an object", what));
  for (const char* const member : members) {
    if (!json.contains(member)) {
      return malformed(fmt::format("{} of {} is missing", quoted(member), what));
    }
  }
  if (json.size() == members.size()) return {};
  for (const auto& [member, value] : json.items()) {
    const bool known = std::any_of(members.begin(), members.end(),
                                   [&name = member](const char* each) { return name == each; });
    if (!known) return malformed(fmt::format("{} of {} is not known", quoted(member), what));
  }
  return {};
}

Result<std::string> record_text(const nlohmann::json& json, const char* member) {
  const nlohmann::json& value = json[member];
  if (!value.is_string()) return malformed(fmt::format("{} is not a text", quoted(member)));
  return value.get<std::string>();
}

/// The name of the project in the name of a wheel or an sdist.
std::string project_of(const std::string& filename) {
  if (const auto wheel = pep::parse_wheel_name(filename)) return wheel->distribution;
  if (const auto sdist = pep::parse_sdist_name(filename)) return sdist->distribution;
  return {};
}

Done check_file_name(const std::string& filename, const PinnedVersion& release) {
  const bool plain = filename.find('/') == std::string::npos && visible(filename) == filename;
  const std::string project = plain ? project_of(filename) : std::string();
  if (project.empty()) {
    return malformed(fmt::format("{} is not the name of a wheel or an sdist", quoted(filename)));
  }
  const auto version = version_of_file(filename);
  const bool fits =
      pep::normalize_name(project) == release.project && version && is_pinned_by(*version, release);
  if (fits) return {};
  return malformed(
      fmt::format("{} is not a file of {}", quoted(filename), quoted(to_string(release))));
}

Result<RecordedFile> read_recorded_file(const nlohmann::json& json, const PinnedVersion& release) {
  TRY_DONE(check_members(json, "an entry of `files`", {"filename", "size", "sha256"}));
  RecordedFile file;
  TRY(file.filename, record_text(json, "filename"));
  TRY_DONE(check_file_name(file.filename, release));
  TRY(file.sha256, record_text(json, "sha256"));
  if (!is_sha256_hex(file.sha256)) {
    return malformed(fmt::format("the sha256 of {} is none", quoted(file.filename)));
  }
  const nlohmann::json& size = json["size"];
  const ByteLimit& limit = file.filename.ends_with(".whl") ? limits::kWheel : limits::kSdist;
  if (!size.is_number_unsigned() || size.get<uint64_t>() == 0) {
    return malformed(fmt::format("the size of {} is no number of bytes", quoted(file.filename)));
  }
  file.size = size.get<uint64_t>();
  TRY_DONE(check_size(quoted(file.filename), file.size, limit));
  return file;
}

Result<std::vector<RecordedFile>> read_recorded_files(const nlohmann::json& json,
                                                      const PinnedVersion& release) {
  if (!json.is_array() || json.empty()) return malformed("it has no files");
  if (json.size() > limits::kRecordedFiles.most) {
    return fail(too_many("the record", limits::kRecordedFiles));
  }
  std::vector<RecordedFile> files;
  std::set<std::string> names;
  for (const nlohmann::json& each : json) {
    TRY(RecordedFile file, read_recorded_file(each, release));
    if (!names.insert(file.filename).second) {
      return malformed(fmt::format("it has {} twice", quoted(file.filename)));
    }
    files.push_back(std::move(file));
  }
  return files;
}

/// The build number of a re-cut, which its files have; 0 for another release.
Result<uint64_t> read_build_number(const nlohmann::json& json) {
  if (!json.contains(kBuildNumber)) return 0;
  const auto build = pep::parse_build_number(json[kBuildNumber].dump());
  if (!build) return malformed(fmt::format("{} is not a whole number from 1 on", kBuildNumberKey));
  return *build;
}

Done check_builds(const ReleaseRecord& record) {
  if (record.build == 0) return {};
  for (const RecordedFile& file : record.files) {
    if (build_of_file(file.filename) == pep::BuildTag{record.build}) continue;
    return malformed(
        fmt::format("{} does not have the build number {}", quoted(file.filename), record.build));
  }
  return {};
}

/// The members of a record; the build number only in that of a re-cut.
Done check_record_members(const nlohmann::json& json) {
  nlohmann::json others = json;
  if (others.is_object()) others.erase(kBuildNumber);
  return check_members(others, "the record",
                       {"schema", "project", "version", "tag", "commit", "files"});
}

Result<ReleaseRecord> read_record_json(const nlohmann::json& json) {
  TRY_DONE(check_record_members(json));
  TRY(const std::string schema, record_text(json, "schema"));
  if (schema != kRecordSchema) {
    return malformed(fmt::format("its schema is {}; this pinwheel reads {}", quoted(schema),
                                 quoted(std::string(kRecordSchema))));
  }
  ReleaseRecord record;
  TRY(record.project, record_text(json, "project"));
  TRY(record.version, record_text(json, "version"));
  const auto release = parse_pinned_version(record.project + "==" + record.version);
  if (!release) return malformed("it does not name one version of a project");
  TRY(record.tag, record_text(json, "tag"));
  if (record.tag.size() > kMostTag || visible(record.tag) != record.tag) {
    return malformed("`tag` is not the name of a tag");
  }
  TRY(record.commit, record_text(json, "commit"));
  if (record.commit.size() > kMostCommit || !is_hex(record.commit)) {
    return malformed("`commit` is not that of a commit");
  }
  TRY(record.files, read_recorded_files(json["files"], *release));
  TRY(record.build, read_build_number(json));
  TRY_DONE(check_builds(record));
  return record;
}

std::vector<RecordedFile> sorted_by_name(std::vector<RecordedFile> files) {
  std::sort(files.begin(), files.end(),
            [](const RecordedFile& a, const RecordedFile& b) { return a.filename < b.filename; });
  return files;
}

/// A target and its files, sorted by name.
using TargetFiles = std::pair<std::string, std::vector<RecordedFile>>;

std::map<std::string, std::vector<TargetFiles>> files_by_project(
    const std::vector<Publication>& publications) {
  std::map<std::string, std::vector<TargetFiles>> projects;
  for (const Publication& publication : publications) {
    for (const auto& [project, files] : publication.projects) {
      if (files.empty()) continue;
      projects[project].emplace_back(publication.target, sorted_by_name(files));
    }
  }
  return projects;
}

}  // namespace

PinnedVersion release_of(const ReleaseRecord& record) {
  const auto version = pep::parse_version(record.version);
  return {pep::normalize_name(record.project), version ? *version : pep::Version{}};
}

std::string record_json(const ReleaseRecord& record) {
  RecordJson files = RecordJson::array();
  for (const RecordedFile& file : sorted_by_name(record.files)) {
    files.push_back({{"filename", file.filename}, {"size", file.size}, {"sha256", file.sha256}});
  }
  RecordJson json = {
      {"schema", kRecordSchema}, {"project", record.project}, {"version", record.version}};
  if (record.build > 0) json[kBuildNumber] = record.build;
  json["tag"] = record.tag;
  json["commit"] = record.commit;
  json["files"] = std::move(files);
  return json.dump(2, ' ', false, RecordJson::error_handler_t::replace) + "\n";
}

Result<ReleaseRecord> parse_release_record(std::string_view text) {
  TRY_DONE(check_size("the record", text.size(), limits::kReleaseRecord));
  const auto json = read_json(text);
  if (json.is_discarded()) return malformed("it is not JSON");
  return read_record_json(json);
}

std::map<std::string, ReleaseRecord> records_of(const std::vector<Publication>& publications,
                                                const ReleaseFacts& facts) {
  std::map<std::string, ReleaseRecord> records;
  for (const auto& [project, targets] : files_by_project(publications)) {
    const std::vector<RecordedFile>& first = targets.front().second;
    const bool same = std::all_of(targets.begin(), targets.end(),
                                  [&first](const auto& each) { return each.second == first; });
    for (const auto& [target, files] : targets) {
      const auto version = version_of_file(files.front().filename);
      if (!version) continue;
      std::string name(kRecordStem);
      if (project != pep::normalize_name(facts.package)) name += "-" + project;
      if (!same) name += "-" + target;
      records[name + std::string(kRecordSuffix)] = {
          project,    pep::to_string(pep::public_part(*version)), facts.tag, facts.commit, files,
          facts.build};
      if (same) break;
    }
  }
  return records;
}

bool is_release_record(std::string_view path) {
  std::string_view name = last_part(path);
  if (!name.starts_with(kRecordStem) || !name.ends_with(kRecordSuffix)) return false;
  name.remove_prefix(kRecordStem.size());
  return name == kRecordSuffix || name.starts_with('-');
}

}  // namespace pinwheel::publish
