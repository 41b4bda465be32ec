#include "host/wheels/derive_wheels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "host/machine/ignored_directory.h"
#include "host/system/digest_file.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "host/system/mapped_memory.h"
#include "host/system/pending_file.h"
#include "host/wheels/finish_files.h"
#include "host/wheels/written_wheel.h"
#include "inspect/claim.h"
#include "pep/wheel_name.h"
#include "wheel/archive.h"
#include "wheel/finish.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// A wheel of the set, open until all are written.
struct OpenOriginal {
  std::string path;
  std::unique_ptr<FileSource> source;
  wheel::WheelArchive archive;
  wheel::Metadata metadata;
  wheel::Renaming names;
};

/// A derived wheel that is complete, but does not have its name yet.
struct UnnamedWheel {
  std::unique_ptr<PendingFile> file;
  DerivedWheel wheel;
};

Result<OpenOriginal> open_original(const std::string& path, const wheel::NamingRule& rule) {
  if (path.ends_with(".tar.gz")) {
    return fail(ErrorKind::usage, quoted(path) + " is an sdist, and only wheels are derived",
                "an sdist gets its version from its project");
  }
  TRY(std::unique_ptr<FileSource> source, FileSource::open(path));
  TRY(wheel::WheelArchive archive, wheel::open_wheel(fs::path(path).filename().string(), *source));
  TRY_DONE(wheel::check_finishable(archive));
  TRY(const std::string text, archive.read_info("METADATA"));
  TRY(wheel::Metadata metadata, wheel::parse_metadata(text));
  const wheel::Naming original{metadata.name(), metadata.version(), {}};
  TRY(wheel::Naming derived, wheel::derived_naming(archive.file_name, original, rule));
  return OpenOriginal{path,
                      std::move(source),
                      std::move(archive),
                      std::move(metadata),
                      {original, std::move(derived)}};
}

Result<std::string> digest_of_source(const ports::ByteSource& source) {
  constexpr uint64_t kPiece = 1ULL << 20U;
  Sha256 hash;
  for (uint64_t at = 0; at < source.size(); at += kPiece) {
    TRY(const std::string piece, source.read(at, std::min(kPiece, source.size() - at)));
    hash.update(piece);
  }
  return to_hex(hash.finish());
}

/// The build record of the derived wheel.
Result<std::string> derived_record(const OpenOriginal& original, const DeriveRequest& request,
                                   const std::string& sha256) {
  constexpr const char* kRecord = "pinwheel.json";
  std::string record = request.record_json;
  const bool has = original.archive.zip.find(original.archive.info_path(kRecord)) != nullptr;
  if (record.empty() && has) {
    TRY(record, original.archive.read_info(kRecord));
  }
  Result<std::string> made = inspect::with_origin(record, {original.archive.file_name, sha256});
  if (made) return made;
  return fail(Error{ErrorKind::check, fmt::format("`pinwheel.json` of {} cannot be extended",
                                                  quoted(original.archive.file_name))}
                  .with_cause(made.error()));
}

/// The new platform tag of a wheel for plain Linux; empty if its tags are kept.
Result<std::vector<std::string>> derived_platform(const OpenOriginal& original,
                                                  const DeriveRequest& request,
                                                  ports::LargeMemories& memories) {
  TRY(const pep::WheelName name, pep::parse_wheel_name(original.archive.file_name));
  const std::vector<std::string>& tags = name.tags.platform;
  const bool bare = std::any_of(tags.begin(), tags.end(),
                                [](const std::string& tag) { return tag.starts_with("linux_"); });
  if (!bare) return std::vector<std::string>{};
  TRY(const FinishedPlatform platform,
      finished_platform(original.archive, request.external, memories));
  return std::vector<std::string>{platform.tag};
}

/// A wheel of the set before it is written.
struct PlannedWheel {
  wheel::FinishSpec spec;
  std::string name;
  DerivedWheel wheel;
};

Error about_requirement(const std::string& file, const std::string& requirement,
                        const std::string& fault, std::string hint) {
  return Error{ErrorKind::check,
               fmt::format("{} requires {}, {}", quoted(file), quoted(requirement), fault)}
      .with_hint(std::move(hint));
}

/// Problems with requirements that do not make the wheel invalid: PyPI accepts it.
std::vector<Error> requirement_warnings(const std::string& file,
                                        const wheel::DerivedRequirements& requirements,
                                        const std::string& replaced) {
  std::vector<Error> warnings;
  const std::string project = wheel::requirement_project(replaced);
  for (const std::string& text : requirements.local) {
    const bool is_replaced = !replaced.empty() && !wheel::is_of_extra(text) &&
                             wheel::requirement_project(text) == project;
    if (is_replaced) continue;
    warnings.push_back(about_requirement(
        file, text, "a local version, which PyPI does not have",
        "pass the wheel of that version in the same command, or set another requirement"));
  }
  for (const std::string& text : requirements.ambiguous) {
    warnings.push_back(about_requirement(file, text,
                                         "which several of the wheels satisfy; it is unchanged",
                                         "require an exact version, such as `==1.2.0+cu130`"));
  }
  return warnings;
}

Done add_variant_to(wheel::FinishSpec& spec, const OpenOriginal& original,
                    inspect::VariantRequest variant) {
  TRY(const pep::WheelName name, pep::parse_wheel_name(original.archive.file_name));
  const std::string version = pep::to_string(name.version);
  const size_t plus = version.find('+');
  const std::string local = plus == std::string::npos ? "" : version.substr(plus + 1);
  variant.label = replace_all(variant.label, "{label}", local);
  TRY_DONE(pep::check_variant_label(variant.label));
  spec.variant = variant.label;
  TRY(spec.variant_json, variant_json_of(original.archive, variant, {}));
  return {};
}

Result<PlannedWheel> plan_wheel(const OpenOriginal& original, const DeriveRequest& request,
                                const std::vector<wheel::Renaming>& siblings,
                                ports::LargeMemories& memories) {
  PlannedWheel planned;
  TRY(const std::string sha256, digest_of_source(*original.source));
  wheel::DerivedRequirements requirements =
      wheel::derived_requirements(original.metadata, original.names.original, siblings);
  TRY_DONE(wheel::pin_derived(requirements, original.metadata.requires_dist(), request.pins));
  planned.spec.naming = original.names.derived;
  planned.spec.naming.pins = request.pins;
  TRY(planned.spec.platform_tags, derived_platform(original, request, memories));
  planned.spec.source_date_epoch = request.epoch;
  planned.spec.requirement = request.requirement;
  TRY(planned.spec.record_json, derived_record(original, request, sha256));
  planned.spec.requirements = requirements.changed;
  if (request.variant) TRY_DONE(add_variant_to(planned.spec, original, *request.variant));
  TRY(planned.name, wheel::finished_name(original.archive.file_name, planned.spec));
  // Wheels that keep their local versions are for other indexes.
  if (request.rule.local == wheel::LocalPart::keep) requirements.local.clear();
  planned.wheel.warnings = requirement_warnings(planned.name, requirements, request.requirement);
  planned.wheel.derivation = {original.archive.file_name,
                              sha256,
                              original.names.derived,
                              original.archive.dist_info,
                              {},
                              std::move(requirements.changed),
                              {}};
  return planned;
}

Done refuse_equal_names(const std::vector<OpenOriginal>& originals,
                        const std::vector<PlannedWheel>& planned) {
  std::map<std::string, std::string> taken;
  for (size_t i = 0; i < planned.size(); ++i) {
    const auto [first, fresh] = taken.try_emplace(planned[i].name, originals[i].path);
    if (fresh) continue;
    return fail(ErrorKind::usage,
                fmt::format("{} and {} would both be {}", quoted(first->second),
                            quoted(originals[i].path), quoted(planned[i].name)),
                "use `--distribution '{name}-{label}'`, or derive them into different directories");
  }
  return {};
}

/// Modules that state the old version: their contents are unchanged, so they will contradict the
/// metadata.
Result<std::vector<Error>> stale_versions(const OpenOriginal& original, const std::string& name) {
  constexpr uint64_t kMostOfModule = 1ULL << 20U;
  const std::string& version = original.names.original.version;
  std::vector<Error> warnings;
  if (version == original.names.derived.version) return warnings;
  for (const wheel::ZipMember& member : original.archive.zip.members()) {
    if (!member.name.ends_with(".py") || member.size > kMostOfModule) continue;
    TRY(const std::string text, original.archive.zip.read(member));
    if (text.find(version) == std::string::npos) continue;
    warnings.push_back(
        Error{ErrorKind::check, fmt::format("{} of {} still states the version {}",
                                            quoted(member.name), quoted(name), quoted(version))}
            .with_hint("read the version from `importlib.metadata` instead"));
  }
  return warnings;
}

Done check_same_code(const std::string& original, const std::string& name,
                     const wheel::ContentsChanges& changes) {
  if (changes.faults.empty()) return {};
  Error error{ErrorKind::check,
              fmt::format("{} would not have the same code as {}", quoted(name), quoted(original))};
  for (const std::string& fault : changes.faults) {
    error.causes.push_back({ErrorKind::check, fault});
  }
  return fail(std::move(error));
}

Result<UnnamedWheel> write_wheel(const OpenOriginal& original, PlannedWheel planned,
                                 const fs::path& output, const std::stop_token& stop,
                                 ports::LargeMemories& memories) {
  UnnamedWheel made{std::make_unique<PendingFile>(output / planned.name), std::move(planned.wheel)};
  const auto write = [&](std::string_view bytes) -> Done {
    if (stop.stop_requested()) return fail(ErrorKind::interrupted, "stopped");
    return made.file->write(bytes);
  };
  TRY(const wheel::FinishedWheel finished,
      wheel::finish(original.archive, planned.spec, write, memories));
  TRY(const wheel::WheelContents written, check_written(*made.file));
  wheel::Derivation& derivation = made.wheel.derivation;
  derivation.new_directory = written.dist_info;
  derivation.changes = wheel::compare_contents(finished.built, written);
  TRY_DONE(check_same_code(derivation.original, planned.name, derivation.changes));
  TRY(std::vector<Error> stale, stale_versions(original, planned.name));
  std::move(stale.begin(), stale.end(), std::back_inserter(made.wheel.warnings));
  made.wheel.output = {(output / planned.name).string(), finished.sha256, finished.size};
  return made;
}

/// A derived wheel never replaces another file, which may be published already.
Done refuse_other_file(const plan::Output& output) {
  std::error_code ignored;
  if (!fs::exists(output.path, ignored)) return {};
  TRY(const FileDigest digest, digest_file(output.path));
  if (digest.sha256 == output.sha256) return {};
  return fail(ErrorKind::check,
              fmt::format("{} exists and has other contents", quoted(output.path)),
              "choose another `--output-dir` or another name");
}

}  // namespace

Result<std::vector<DerivedWheel>> derive_wheels(const DeriveRequest& request,
                                                const fs::path& output,
                                                const std::stop_token& stop) {
  std::vector<OpenOriginal> originals;
  std::vector<wheel::Renaming> siblings;
  for (const std::string& path : request.files) {
    TRY(OpenOriginal original, open_original(path, request.rule));
    siblings.push_back(original.names);
    originals.push_back(std::move(original));
  }
  LocalFiles files;
  TRY_DONE(make_output_directory(files, output));
  remove_leftovers(output);
  MappedMemories memories(output);
  std::vector<PlannedWheel> planned;
  for (const OpenOriginal& original : originals) {
    TRY(PlannedWheel next, plan_wheel(original, request, siblings, memories));
    planned.push_back(std::move(next));
  }
  TRY_DONE(refuse_equal_names(originals, planned));
  std::vector<UnnamedWheel> made;
  for (size_t i = 0; i < originals.size(); ++i) {
    TRY(UnnamedWheel next,
        write_wheel(originals[i], std::move(planned[i]), output, stop, memories));
    made.push_back(std::move(next));
  }
  for (const UnnamedWheel& each : made) TRY_DONE(refuse_other_file(each.wheel.output));
  std::vector<DerivedWheel> wheels;
  for (UnnamedWheel& each : made) {
    TRY_DONE(each.file->commit());
    wheels.push_back(std::move(each.wheel));
  }
  return wheels;
}

}  // namespace pinwheel::host
