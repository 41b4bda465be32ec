#include "wheel/finish.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "pep/name.h"
#include "pep/wheel_name.h"
#include "wheel/large_member.h"
#include "wheel/long_digests.h"
#include "wheel/member_stream.h"
#include "wheel/metadata.h"
#include "wheel/pinned_requirements.h"
#include "wheel/record.h"
#include "wheel/wheel_file.h"

namespace pinwheel::wheel {

bool sorts_before(const std::string& info, std::string_view left, std::string_view right) {
  const auto rank = [&](std::string_view member) {
    if (member == info + "RECORD") return 2;
    return member.starts_with(info) ? 1 : 0;
  };
  return std::pair(rank(left), left) < std::pair(rank(right), right);
}

namespace {

constexpr uint32_t kExecutable = 0111;
constexpr const char* kRecordName = "RECORD";
constexpr const char* kJsonName = "pinwheel.json";
constexpr const char* kVariantName = "variant.json";

struct NewNames {
  std::string stem;  ///< "pinwheel_kernels-1.2.0+cu130"
  pep::WheelName file;
};

Result<NewNames> new_names(const std::string& built_name, const FinishSpec& spec) {
  Result<pep::WheelName> parsed = pep::parse_wheel_name(built_name);
  if (!parsed) {
    return fail(Error{ErrorKind::check, "the built file " + quoted(built_name) + " is not a wheel"}
                    .with_cause(parsed.error()));
  }
  pep::WheelName name = *std::move(parsed);
  name.distribution = pep::escape_name(spec.naming.distribution);
  TRY(name.version, pep::parse_version(spec.naming.version));
  if (spec.naming.build > 0) name.build = pep::BuildTag{spec.naming.build};
  if (!spec.platform_tags.empty()) name.tags.platform = spec.platform_tags;
  std::sort(name.tags.platform.begin(), name.tags.platform.end());
  if (!spec.variant.empty() && !name.variant.empty() && name.variant != spec.variant) {
    return fail(ErrorKind::check,
                quoted(built_name) + " is the variant " + quoted(name.variant) + " already",
                "make variants from the wheel without a label");
  }
  if (!spec.variant.empty()) name.variant = spec.variant;
  return NewNames{name.distribution + "-" + pep::to_string(name.version), std::move(name)};
}

// A member of the finished wheel: its new name and the source of its contents.
struct Planned {
  std::string name;
  const ZipMember* source = nullptr;  ///< null for generated contents
  std::string contents = {};
  uint32_t mode = 0644;
};

std::string renamed(const std::string& name, const std::string& old_stem, const std::string& stem) {
  for (const std::string suffix : {".dist-info/", ".data/"}) {
    if (name.starts_with(old_stem + suffix)) return stem + name.substr(old_stem.size());
  }
  return name;
}

/// The pins of other projects: a wheel does not require itself.
Pins pins_of_others(Pins pins, const std::string& own) {
  std::erase_if(pins, [&own](const auto& pin) {
    return pep::normalize_name(pin.first) == pep::normalize_name(own);
  });
  return pins;
}

Result<std::string> new_metadata(const WheelArchive& built, const FinishSpec& spec,
                                 const NewNames& names) {
  TRY(const std::string text, built.read_info("METADATA"));
  TRY(Metadata metadata, parse_metadata(text));
  TRY(const pep::WheelName old, pep::parse_wheel_name(built.file_name));
  TRY(const pep::Version stated, pep::parse_version(metadata.version()));
  if (pep::escape_name(metadata.name()) != pep::escape_name(old.distribution) ||
      stated != old.version) {
    return fail(ErrorKind::check,
                "the built wheel " + quoted(built.file_name) + " contains METADATA of " +
                    quoted(metadata.name() + " " + metadata.version()),
                "the build backend must write the same name and version into both");
  }
  metadata.block.set("Name", spec.naming.distribution);
  metadata.block.set("Version", pep::to_string(names.file.version));
  for (Header& header : metadata.block.headers) {
    if (to_lower(header.name) != "requires-dist") continue;
    const auto changed = spec.requirements.find(header.value);
    if (changed != spec.requirements.end()) header.value = changed->second;
  }
  if (!spec.requirement.empty()) set_requirement(metadata, spec.requirement);
  TRY_DONE(pin_requirements(metadata, pins_of_others(spec.naming.pins, metadata.name())));
  return to_string(metadata);
}

Result<std::string> new_wheel_file(const WheelArchive& built, const FinishSpec& spec,
                                   const NewNames& names) {
  TRY(const std::string text, built.read_info("WHEEL"));
  TRY(WheelFile file, parse_wheel_file(text));
  std::vector<std::string> tags;
  for (const pep::Tag& tag : pep::expand(names.file.tags)) tags.push_back(pep::to_string(tag));
  set_tags(file, tags);
  if (spec.naming.build > 0) file.block.set("Build", std::to_string(spec.naming.build));
  return to_string(file);
}

bool is_signature(const std::string& name, const std::string& record) {
  return name == record + ".jws" || name == record + ".p7s";
}

struct Outline {
  std::vector<Planned> members;
  std::vector<Dropped> dropped;
};

Result<Outline> outline(const WheelArchive& built, const FinishSpec& spec, const NewNames& names) {
  const std::string old_stem = built.dist_info.substr(0, built.dist_info.rfind(".dist-info"));
  const std::string info = names.stem + ".dist-info/";
  std::map<std::string, std::string> made;
  TRY(made[info + "METADATA"], new_metadata(built, spec, names));
  TRY(made[info + "WHEEL"], new_wheel_file(built, spec, names));
  if (!spec.record_json.empty()) made[info + kJsonName] = spec.record_json;
  if (!spec.variant_json.empty()) made[info + kVariantName] = spec.variant_json;
  Outline plan;
  for (const ZipMember& member : built.zip.members()) {
    const std::string name = renamed(member.name, old_stem, names.stem);
    if (member.is_directory()) {
      plan.dropped.push_back({member.name, "a directory entry"});
    } else if (is_signature(name, info + kRecordName)) {
      plan.dropped.push_back({member.name, "a signature of the replaced RECORD"});
    } else if (made.count(name) == 0 && name != info + kRecordName) {
      const uint32_t mode = (member.mode & kExecutable) != 0 ? 0755 : 0644;
      plan.members.push_back({name, &member, {}, mode});
    }
  }
  for (auto& [name, contents] : made) plan.members.push_back({name, nullptr, std::move(contents)});
  std::sort(plan.members.begin(), plan.members.end(),
            [&](const Planned& l, const Planned& r) { return sorts_before(info, l.name, r.name); });
  return plan;
}

MemberDigest digest_of(const std::string& name, std::string_view contents) {
  Sha256 hash;
  hash.update(contents);
  return {name, base64url(hash.finish()), contents.size()};
}

Result<MemberDigest> streamed_digest(const ZipReader& zip, const ZipMember& member) {
  TRY(MemberStream stream, MemberStream::open(zip, member));
  Sha256 hash;
  while (true) {
    TRY(const std::string_view piece, stream.next());
    if (piece.empty()) return MemberDigest{member.name, base64url(hash.finish()), member.size};
    hash.update(piece);
  }
}

// Finishing replaces RECORD, so the built one is verified here: a backend that writes a wrong
// RECORD is a bug to report, not to hide. Returns the contents of the built wheel.
Result<WheelContents> judge_built_record(const WheelArchive& built,
                                         std::vector<MemberDigest> copied) {
  TRY(const std::string text, built.read_info(kRecordName));
  TRY(const std::vector<RecordRow> rows, parse_record(text));
  std::vector<std::string> have;
  have.reserve(copied.size());
  for (const MemberDigest& member : copied) have.push_back(member.name);
  std::sort(have.begin(), have.end());
  for (const ZipMember& member : built.zip.members()) {
    if (member.is_directory() || std::binary_search(have.begin(), have.end(), member.name))
      continue;
    TRY(MemberDigest digest, streamed_digest(built.zip, member));
    copied.push_back(std::move(digest));
  }
  WheelContents contents{built.dist_info};
  for (const MemberDigest& member : copied) {
    const ZipMember* const found = built.zip.find(member.name);
    const bool executable = found != nullptr && (found->mode & kExecutable) != 0;
    contents.members.push_back({member.name, member.sha256, member.size, executable});
  }
  TRY(copied, with_long_digests(std::move(copied), rows, built.zip));
  const std::vector<RecordFault> faults = record_faults(rows, copied, built.info_path(kRecordName));
  if (faults.empty()) return contents;
  return fail(ErrorKind::check,
              "the built wheel contradicts its RECORD: " + quoted(faults.front().path) + " " +
                  faults.front().message +
                  (faults.size() > 1 ? ", and " + plural(faults.size() - 1, "more fault") : ""),
              "the build backend wrote an invalid wheel; report it to its developers");
}

/// Recompresses a member. Its contents are freed before the next one is read.
Result<MemberDigest> add_member(const WheelArchive& built, const Planned& member,
                                ports::LargeMemories& memories, ZipWriter& writer) {
  if (member.source == nullptr) {
    TRY_DONE(writer.add(pack_member(member.name, member.contents, member.mode)));
    return digest_of(member.name, member.contents);
  }
  const ZipMember& source = *member.source;
  const uint64_t most = most_repacked(source.compressed_size);
  if (is_large(source)) {
    TRY(LargeContents contents, read_large(built.zip, source, memories));
    MemberDigest digest{member.name, contents.sha256, source.size};
    PackedView named{member.name, member.mode, 0, source.crc, source.size};
    TRY(const LargePacked packed,
        pack_large(std::move(named), std::move(contents), memories, most));
    TRY_DONE(writer.add(packed.view));
    return digest;
  }
  TRY(const std::string contents, built.zip.read(source));
  TRY(const PackedMember packed, pack_member_within(member.name, contents, member.mode, most));
  TRY_DONE(writer.add(packed));
  return digest_of(member.name, contents);
}

}  // namespace

Result<std::string> finished_name(const std::string& built_name, const FinishSpec& spec) {
  TRY(const NewNames names, new_names(built_name, spec));
  return pep::to_string(names.file);
}

Done check_finishable(const WheelArchive& built) {
  uint64_t total = 0;
  for (const ZipMember& member : built.zip.members()) total += member.size;
  return check_size("what " + quoted(built.file_name) + " contains", total,
                    limits::kFinishedWheel.of(built.zip.source().size()));
}

Result<FinishedWheel> finish(const WheelArchive& built, const FinishSpec& spec,
                             const ZipOutput& output, ports::LargeMemories& memories) {
  TRY(const NewNames names, new_names(built.file_name, spec));
  TRY(Outline plan, outline(built, spec, names));
  OutputMeter meter(output);
  ZipWriter writer([&](std::string_view bytes) { return meter.put(bytes); },
                   spec.source_date_epoch);
  std::vector<RecordRow> rows;
  std::vector<MemberDigest> copied;
  for (const Planned& member : plan.members) {
    TRY(const MemberDigest digest, add_member(built, member, memories, writer));
    rows.push_back({digest.name, "sha256", digest.sha256, digest.size});
    if (member.source != nullptr) {
      copied.push_back({member.source->name, digest.sha256, digest.size});
    }
  }
  TRY(WheelContents contents, judge_built_record(built, std::move(copied)));
  const std::string record = names.stem + ".dist-info/" + kRecordName;
  rows.push_back({record});
  TRY_DONE(writer.add(record, to_string(rows)));
  TRY_DONE(writer.finish());
  return FinishedWheel{pep::to_string(names.file), meter.sha256(), meter.size(),
                       std::move(plan.dropped), std::move(contents)};
}

}  // namespace pinwheel::wheel
