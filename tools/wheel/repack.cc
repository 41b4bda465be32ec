#include "wheel/repack.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "pep/version.h"
#include "pep/wheel_name.h"
#include "wheel/finish.h"
#include "wheel/long_digests.h"
#include "wheel/metadata.h"
#include "wheel/record.h"
#include "wheel/wheel_file.h"

namespace pinwheel::wheel {
namespace {

constexpr uint32_t kAnyExecutable = 0111;
// The first version of METADATA with License-File (PEP 639).
constexpr const char* kWithLicenseFiles = "2.4";

Result<pep::WheelName> changed_name(const std::string& name, const RepackSpec& spec) {
  Result<pep::WheelName> parsed = pep::parse_wheel_name(name);
  if (!parsed) {
    return fail(
        Error{ErrorKind::check, quoted(name) + " is not a wheel"}.with_cause(parsed.error()));
  }
  if (!spec.platform_tags.empty()) parsed->tags.platform = spec.platform_tags;
  std::sort(parsed->tags.platform.begin(), parsed->tags.platform.end());
  return parsed;
}

Result<std::string> changed_metadata(const WheelArchive& wheel, const RepackSpec& spec) {
  TRY(const std::string text, wheel.read_info("METADATA"));
  TRY(Metadata metadata, parse_metadata(text));
  if (spec.requirements.empty() && spec.license_files.empty()) return text;
  for (const std::string& requirement : spec.requirements) set_requirement(metadata, requirement);
  TRY(const pep::Version format, pep::parse_version(metadata.version_of_format()));
  TRY(const pep::Version first, pep::parse_version(kWithLicenseFiles));
  if (format < first) return to_string(metadata);
  for (const std::string& file : spec.license_files) metadata.block.add("License-File", file);
  return to_string(metadata);
}

Result<std::string> changed_wheel_file(const WheelArchive& wheel, const RepackSpec& spec) {
  TRY(const std::string text, wheel.read_info("WHEEL"));
  TRY(WheelFile file, parse_wheel_file(text));
  if (spec.platform_tags.empty()) return text;
  TRY(const pep::WheelName name, changed_name(wheel.file_name, spec));
  std::vector<std::string> tags;
  for (const pep::Tag& tag : pep::expand(name.tags)) tags.push_back(pep::to_string(tag));
  set_tags(file, tags);
  return to_string(file);
}

/// A changed wheel must not hide that its source is damaged.
Done check_record(const WheelArchive& wheel, const std::map<std::string, std::string>& digests) {
  TRY(const std::string text, wheel.read_info("RECORD"));
  TRY(const std::vector<RecordRow> rows, parse_record(text));
  std::vector<MemberDigest> members;
  for (const ZipMember& member : wheel.zip.members()) {
    if (member.is_directory()) continue;
    members.push_back({member.name, value_at(digests, member.name), member.size});
  }
  TRY(members, with_long_digests(std::move(members), rows, wheel.zip));
  const std::vector<RecordFault> faults = record_faults(rows, members, wheel.info_path("RECORD"));
  if (faults.empty()) return {};
  return fail(ErrorKind::check,
              "the wheel contradicts its RECORD: " + quoted(faults.front().path) + " " +
                  faults.front().message +
                  (faults.size() > 1 ? ", and " + plural(faults.size() - 1, "more fault") : ""));
}

/// A member of the result: new, or copied.
struct Entry {
  std::string name;
  const NewMember* made = nullptr;
  const ZipMember* copied = nullptr;
};

bool is_old_record(const WheelArchive& wheel, const std::string& name) {
  const std::string record = wheel.info_path("RECORD");
  return name == record || name == record + ".jws" || name == record + ".p7s";
}

std::vector<Entry> entries_of(const WheelArchive& wheel, const std::vector<NewMember>& made) {
  std::vector<Entry> entries;
  entries.reserve(made.size() + wheel.zip.members().size());
  std::set<std::string_view> replaced;
  for (const NewMember& each : made) {
    entries.push_back({each.member.name, &each});
    replaced.insert(each.member.name);
  }
  for (const ZipMember& member : wheel.zip.members()) {
    if (member.is_directory() || is_old_record(wheel, member.name)) continue;
    if (!replaced.contains(member.name)) entries.push_back({member.name, nullptr, &member});
  }
  const std::string info = wheel.dist_info + "/";
  std::sort(entries.begin(), entries.end(), [&](const Entry& left, const Entry& right) {
    return sorts_before(info, left.name, right.name);
  });
  return entries;
}

}  // namespace

NewMember new_member(std::string name, std::string_view contents, uint32_t mode) {
  Sha256 hash;
  hash.update(contents);
  return {pack_member(std::move(name), contents, mode), base64url(hash.finish())};
}

Result<NewMember> new_member_within(std::string name, std::string_view contents, uint32_t mode,
                                    uint64_t most) {
  Sha256 hash;
  hash.update(contents);
  TRY(PackedMember packed, pack_member_within(std::move(name), contents, mode, most));
  return NewMember{std::move(packed), base64url(hash.finish())};
}

Result<std::string> repacked_name(const std::string& name, const RepackSpec& spec) {
  TRY(const pep::WheelName changed, changed_name(name, spec));
  return pep::to_string(changed);
}

Result<FinishedWheel> repack(const WheelArchive& wheel, RepackSpec spec, const ZipOutput& output) {
  TRY(const std::string file_name, repacked_name(wheel.file_name, spec));
  TRY_DONE(check_record(wheel, spec.digests));
  TRY(const std::string metadata, changed_metadata(wheel, spec));
  TRY(const std::string wheel_file, changed_wheel_file(wheel, spec));
  spec.members.push_back(new_member(wheel.info_path("METADATA"), metadata));
  spec.members.push_back(new_member(wheel.info_path("WHEEL"), wheel_file));
  OutputMeter meter(output);
  ZipWriter writer([&](std::string_view bytes) { return meter.put(bytes); },
                   spec.source_date_epoch);
  std::vector<RecordRow> rows;
  for (const Entry& entry : entries_of(wheel, spec.members)) {
    if (entry.made != nullptr) {
      rows.push_back({entry.name, "sha256", entry.made->sha256, entry.made->member.size});
      TRY_DONE(writer.add(entry.made->member));
    } else {
      rows.push_back(
          {entry.name, "sha256", value_at(spec.digests, entry.name), entry.copied->size});
      const uint32_t mode = (entry.copied->mode & kAnyExecutable) != 0 ? 0755 : 0644;
      TRY_DONE(writer.copy(wheel.zip, *entry.copied, mode));
    }
  }
  rows.push_back({wheel.info_path("RECORD")});
  TRY_DONE(writer.add(wheel.info_path("RECORD"), to_string(rows)));
  TRY_DONE(writer.finish());
  return FinishedWheel{file_name, meter.sha256(), meter.size()};
}

}  // namespace pinwheel::wheel
