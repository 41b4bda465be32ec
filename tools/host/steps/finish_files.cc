#include "host/steps/finish_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "binary/elf.h"
#include "host/machine/ignored_directory.h"
#include "host/steps/written_wheel.h"
#include "host/system/digest_file.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "host/system/pending_file.h"
#include "inspect/gather.h"
#include "inspect/needed_library.h"
#include "inspect/platform_tag.h"
#include "ports/read_within.h"
#include "wheel/archive.h"
#include "wheel/finish.h"
#include "wheel/sdist.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Every ELF file of the wheel.
Result<std::vector<inspect::ElfMember>> libraries_of(const wheel::WheelArchive& built) {
  std::vector<inspect::ElfMember> files;
  uint64_t held = 0;
  for (const wheel::ZipMember& member : built.zip.members()) {
    if (member.name.ends_with('/')) continue;
    TRY(std::string bytes, built.zip.read(member));
    if (!binary::is_elf(bytes)) continue;
    TRY(binary::Elf elf, binary::read_elf(ports::MemorySource(std::move(bytes))));
    held += inspect::memory_of(elf);
    TRY_DONE(check_size("what the libraries of the wheel contain", held, limits::kWheelSymbols));
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

Result<FinishedBuild> finish_wheel(const fs::path& built_path, const FinishRequest& request,
                                   const fs::path& output) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(built_path));
  TRY(const wheel::WheelArchive built, wheel::open_wheel(built_path.filename().string(), *source));
  TRY_DONE(wheel::check_finishable(built));
  TRY(const std::vector<inspect::ElfMember> libraries, libraries_of(built));
  TRY(const inspect::PlatformTag tag, inspect::platform_tag(libraries, request.external));
  TRY_DONE(refuse_bare_linux(built, tag));
  TRY(const wheel::Naming naming, complete_naming(built, request.naming));
  const wheel::FinishSpec spec{
      naming, {tag.tag}, request.epoch, request.requirement, request.record_json};
  TRY(const std::string name, wheel::finished_name(built.file_name, spec));
  LocalFiles files;
  TRY_DONE(make_output_directory(files, output));
  PendingFile pending(output / name);
  TRY(const wheel::FinishedWheel finished,
      wheel::finish(built, spec,
                    [&pending](std::string_view bytes) { return pending.write(bytes); }));
  TRY_DONE(check_written(pending));
  TRY_DONE(pending.keep());
  return FinishedBuild{{(output / name).string(), finished.sha256, finished.size},
                       inspect::needed_names(libraries)};
}

Result<plan::Output> finish_sdist(const fs::path& built_path, const FinishSdistRequest& request,
                                  const fs::path& output) {
  LocalFiles files;
  TRY(const std::string built, ports::read_within(files, built_path, limits::kFinishedSdist));
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
  TRY_DONE(pending.keep());
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
  TRY_DONE(pending.keep());
  TRY(const FileDigest digest, digest_file(target));
  return plan::Output{target.string(), digest.sha256, digest.size};
}

}  // namespace pinwheel::host
