#include "host/wheels/finish_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "binary/elf.h"
#include "host/machine/ignored_directory.h"
#include "host/system/digest_file.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "host/system/mapped_memory.h"
#include "host/system/pending_file.h"
#include "host/wheels/written_wheel.h"
#include "inspect/claim.h"
#include "inspect/gather.h"
#include "inspect/needed_library.h"
#include "inspect/platform_tag.h"
#include "wheel/archive.h"
#include "wheel/finish.h"
#include "wheel/large_member.h"
#include "wheel/member_stream.h"
#include "wheel/sdist.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Bytes owned by the caller.
class ViewSource final : public ports::ByteSource {
 public:
  explicit ViewSource(std::string_view bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  Result<std::string> read(uint64_t offset, uint64_t length) const override {
    if (offset > bytes_.size() || length > bytes_.size() - offset) {
      return fail(ErrorKind::check, "the file ends before the data that its headers describe");
    }
    return std::string(bytes_.substr(offset, length));
  }

 private:
  std::string_view bytes_;
};

/// nullopt for a member that is not an ELF file, of which only the beginning is read.
Result<std::optional<binary::Elf>> elf_of(const wheel::ZipReader& zip,
                                          const wheel::ZipMember& member,
                                          ports::LargeMemories& memories) {
  TRY(wheel::MemberStream stream, wheel::MemberStream::open(zip, member));
  TRY(const std::string_view beginning, stream.next());
  if (!binary::is_elf(beginning)) return std::nullopt;
  if (wheel::is_large(member)) {
    TRY(const wheel::LargeContents contents, wheel::read_large(zip, member, memories));
    TRY(binary::Elf elf,
        binary::read_elf(ViewSource({contents.memory->data(), contents.memory->size()})));
    return elf;
  }
  TRY(std::string bytes, zip.read(member));
  TRY(binary::Elf elf, binary::read_elf(ports::MemorySource(std::move(bytes))));
  return elf;
}

/// Every ELF file of the wheel.
Result<std::vector<inspect::ElfMember>> libraries_of(const wheel::WheelArchive& built,
                                                     ports::LargeMemories& memories) {
  std::vector<inspect::ElfMember> files;
  uint64_t total = 0;
  for (const wheel::ZipMember& member : built.zip.members()) {
    if (member.name.ends_with('/')) continue;
    TRY(const std::optional<binary::Elf> found, elf_of(built.zip, member, memories));
    if (!found) continue;
    binary::Elf elf = *found;
    total += inspect::memory_of(elf);
    TRY_DONE(check_size("what the libraries of the wheel contain", total, limits::kWheelSymbols));
    files.push_back({member.name, std::move(elf)});
  }
  return files;
}

Done refuse_bare_linux(const wheel::WheelArchive& built, const inspect::PlatformTag& tag) {
  if (!tag.tag.starts_with("linux_")) return {};
  Error error{ErrorKind::check, fmt::format("{} complies with no manylinux or musllinux policy",
                                            quoted(built.file_name))};
  for (const std::string& reason : tag.reasons) error.causes.push_back({ErrorKind::check, reason});
  return fail(std::move(error).with_hint(
      "build against older libraries, or bundle its dependencies in the wheel"));
}

/// Fills in the wheel's own name and version if none is given.
Result<wheel::Naming> complete_naming(const wheel::WheelArchive& built, wheel::Naming naming) {
  TRY(const std::string text, built.read_info("METADATA"));
  TRY(const wheel::Metadata metadata, wheel::parse_metadata(text));
  if (naming.distribution.empty()) naming.distribution = metadata.name();
  if (naming.version.empty()) naming.version = metadata.version();
  return naming;
}

}  // namespace

Result<FinishedPlatform> finished_platform(const wheel::WheelArchive& built,
                                           const std::vector<std::string>& external,
                                           ports::LargeMemories& memories) {
  TRY(std::vector<inspect::ElfMember> libraries, libraries_of(built, memories));
  TRY(const inspect::PlatformTag tag, inspect::platform_tag(libraries, external));
  TRY_DONE(refuse_bare_linux(built, tag));
  return FinishedPlatform{std::move(libraries), tag.tag};
}

Result<std::string> variant_json_of(const wheel::WheelArchive& wheel,
                                    const inspect::VariantRequest& variant,
                                    const std::string& record_json) {
  TRY(inspect::WheelFacts facts, inspect::gather(wheel.file_name, wheel.zip.source()));
  if (!record_json.empty()) {
    if (const auto claim = inspect::claim_of(record_json)) facts.claim = *claim;
  }
  return inspect::variant_json(facts, variant);
}

Result<FinishedBuild> finish_wheel(const fs::path& built_path, const FinishRequest& request,
                                   const fs::path& output) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(built_path));
  TRY(const wheel::WheelArchive built, wheel::open_wheel(built_path.filename().string(), *source));
  TRY_DONE(wheel::check_finishable(built));
  LocalFiles files;
  TRY_DONE(make_output_directory(files, output));
  MappedMemories memories(output);
  TRY(const FinishedPlatform platform, finished_platform(built, request.external, memories));
  TRY(const wheel::Naming naming, complete_naming(built, request.naming));
  wheel::FinishSpec spec{
      naming, {platform.tag}, request.epoch, request.requirement, request.record_json};
  if (request.variant) {
    spec.variant = request.variant->label;
    TRY(spec.variant_json, variant_json_of(built, *request.variant, request.record_json));
  }
  TRY(const std::string name, wheel::finished_name(built.file_name, spec));
  PendingFile pending(output / name);
  TRY(const wheel::FinishedWheel finished,
      wheel::finish(
          built, spec, [&pending](std::string_view bytes) { return pending.write(bytes); },
          memories));
  TRY(wheel::WheelContents contents, check_written(pending));
  TRY_DONE(pending.commit());
  return FinishedBuild{{(output / name).string(), finished.sha256, finished.size},
                       inspect::needed_names(platform.libraries),
                       std::move(contents)};
}

Result<std::vector<store::DerivedFile>> compare_finished(const std::vector<FinishedBuild>& builds) {
  std::vector<store::DerivedFile> derived;
  derived.reserve(builds.size());
  for (size_t i = 1; i < builds.size(); ++i) {
    const std::string first = fs::path(builds[0].output.path).filename();
    const std::string other = fs::path(builds[i].output.path).filename();
    wheel::ContentsChanges changes =
        wheel::compare_contents(builds[0].contents, builds[i].contents);
    if (!changes.faults.empty()) {
      Error error{ErrorKind::check, fmt::format("{} and {} are of one build and differ",
                                                quoted(first), quoted(other))};
      for (const std::string& fault : changes.faults) {
        error.causes.push_back({ErrorKind::check, fault});
      }
      return fail(std::move(error).with_hint("does another program write to the built wheel?"));
    }
    derived.push_back({other, first, changes.identical, std::move(changes.rewritten),
                       std::move(changes.added), std::move(changes.dropped)});
  }
  return derived;
}

Result<plan::Output> finish_sdist(const fs::path& built_path, const FinishSdistRequest& request,
                                  const fs::path& output) {
  LocalFiles files;
  TRY(const std::string built, files.read(built_path, limits::kFinishedSdist));
  const std::string name = built_path.filename().string();
  TRY(const wheel::SdistInfo info, wheel::read_sdist(name, built));
  if (!request.distribution.empty()) {
    TRY_DONE(wheel::check_sdist(info, {request.distribution, request.version, {}}));
  }
  TRY(const std::string finished, wheel::finish_sdist(built, request.epoch));
  TRY_DONE(make_output_directory(files, output));
  remove_leftovers(output);
  PendingFile pending(output / name);
  TRY_DONE(pending.write(finished));
  TRY_DONE(pending.commit());
  return plan::Output{(output / name).string(), sha256_hex(finished), finished.size()};
}

Result<plan::Output> put_into(const fs::path& file, const fs::path& output) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(file));
  LocalFiles files;
  TRY_DONE(make_output_directory(files, output));
  remove_leftovers(output);
  const fs::path target = output / file.filename();
  PendingFile pending(target);
  constexpr uint64_t kPiece = 1ULL << 20U;
  for (uint64_t at = 0; at < source->size(); at += kPiece) {
    TRY(const std::string piece, source->read(at, std::min(kPiece, source->size() - at)));
    TRY_DONE(pending.write(piece));
  }
  TRY_DONE(pending.commit());
  TRY(const FileDigest digest, digest_file(target));
  return plan::Output{target.string(), digest.sha256, digest.size};
}

}  // namespace pinwheel::host
