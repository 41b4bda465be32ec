#include "host/wheels/inspect_path.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "base/text.h"
#include "host/net/fetch_text.h"
#include "host/system/file_source.h"
#include "inspect/examined_member.h"
#include "inspect/library_lookup.h"
#include "wheel/archive.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

Result<std::string> first_bytes(const ports::ByteSource& source) {
  constexpr uint64_t kMagic = 4;
  return source.read(0, std::min(kMagic, source.size()));
}

inspect::LooseFile loose_file(const fs::path& path, std::string name) {
  return {std::move(name), [path]() -> Result<std::unique_ptr<ports::ByteSource>> {
            TRY(std::unique_ptr<FileSource> source, FileSource::open(path));
            return source;
          }};
}

bool is_elf_file(const fs::path& path) {
  const Result<std::unique_ptr<FileSource>> source = FileSource::open(path);
  if (!source) return false;
  const Result<std::string> head = first_bytes(**source);
  return head && binary::is_elf(*head);
}

Result<inspect::WheelFacts> inspect_directory(const fs::path& directory,
                                              const inspect::GatherOptions& options) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file(error) && !at->is_symlink(error) && is_elf_file(at->path())) {
      paths.push_back(at->path());
    }
  }
  if (error) {
    return fail(ErrorKind::environment, quoted(directory.string()) + " cannot be listed",
                error.message());
  }
  if (paths.empty()) {
    return fail(ErrorKind::config, quoted(directory.string()) + " contains no binary",
                "pass a wheel, a shared library, or a directory that contains some");
  }
  std::sort(paths.begin(), paths.end());
  std::vector<inspect::LooseFile> files;
  files.reserve(paths.size());
  for (const fs::path& path : paths) {
    files.push_back(loose_file(path, path.lexically_relative(directory).string()));
  }
  return inspect::gather_files(directory.lexically_normal().string(), files, options);
}

/// The name of the file, without directories.
std::string file_name(const InputFile& file) {
  return file.name.empty() ? file.path.filename().string() : file.name;
}

Result<inspect::WheelFacts> read_path(const InputFile& file,
                                      const inspect::GatherOptions& options) {
  std::error_code error;
  if (fs::is_directory(file.path, error)) return inspect_directory(file.path, options);
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(file.path));
  const std::string name = file_name(file);
  TRY(const std::string head, first_bytes(*source));
  if (binary::is_elf(head)) {
    return inspect::gather_files(name, {loose_file(file.path, name)}, options);
  }
  return inspect::gather(name, *source, options);
}

Result<inspect::WheelFacts> read_wheel(const InputFile& file,
                                       const inspect::GatherOptions& options) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(file.path));
  return inspect::gather(file_name(file), *source, options);
}

/// The bytes of a member with its headers: up to the next member.
std::vector<ByteRange> member_ranges(const wheel::ZipReader& zip) {
  std::vector<uint64_t> begins;
  begins.reserve(zip.members().size() + 1);
  for (const wheel::ZipMember& member : zip.members()) begins.push_back(member.header_offset);
  begins.push_back(zip.layout().directory_offset);
  std::sort(begins.begin(), begins.end());
  std::vector<ByteRange> ranges;
  ranges.reserve(zip.members().size());
  for (const wheel::ZipMember& member : zip.members()) {
    const auto next = std::upper_bound(begins.begin(), begins.end(), member.header_offset);
    ranges.push_back(
        {member.header_offset, next == begins.end() ? zip.layout().directory_offset : *next});
  }
  return ranges;
}

/// Fetches the examined members of a wheel on a server, and reads them.
Result<inspect::WheelFacts> read_members(const RemoteFile& file, const std::string& name,
                                         inspect::GatherOptions options,
                                         inspect::ReadModules modules) {
  TRY(const wheel::ZipReader zip, wheel::ZipReader::open(file));
  const std::vector<ByteRange> ranges = member_ranges(zip);
  std::vector<ByteRange> wanted;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (inspect::is_examined(zip.members()[i].name, modules)) wanted.push_back(ranges[i]);
  }
  TRY_DONE(file.fetch(wanted));
  std::set<uint64_t> there;  // by the offset of their headers
  for (const ByteRange& range : ranges) {
    if (file.has(range)) there.insert(range.begin);
  }
  options.is_there = [&there](const wheel::ZipMember& member) {
    return there.contains(member.header_offset);
  };
  return inspect::gather(name, file, options);
}

Result<inspect::WheelFacts> read_remote(const RemoteFile& file, const std::string& name,
                                        const std::string& sha256,
                                        inspect::GatherOptions& options) {
  TRY(inspect::WheelFacts facts,
      read_members(file, name, options, inspect::ReadModules::of_top_level));
  // Only then does it matter whether a module opens libraries.
  const bool modules_matter = facts.partial && facts.library_openers.empty() &&
                              !inspect::unreachable_libraries(facts, {}).empty();
  if (modules_matter) {
    TRY(facts, read_members(file, name, options, inspect::ReadModules::all));
  }
  if (facts.partial) {
    facts.partial->fetched = file.bytes_fetched();
    facts.partial->requests = file.requests();
    facts.partial->sha256 = sha256;
  } else if (!sha256.empty()) {
    TRY_DONE(check_digest(file, name, sha256));
  }
  return facts;
}

Result<bool> have_same_bytes(const ports::ByteSource& left, const ports::ByteSource& right) {
  constexpr uint64_t kPiece = uint64_t{1} << 20U;
  if (left.size() != right.size()) return false;
  for (uint64_t at = 0; at < left.size(); at += kPiece) {
    const uint64_t length = std::min(kPiece, left.size() - at);
    TRY(const std::string one, left.read(at, length));
    TRY(const std::string other, right.read(at, length));
    if (one != other) return false;
  }
  return true;
}

Result<std::string> member_of(const wheel::ZipReader& zip, const std::string& name) {
  constexpr uint64_t kMost = uint64_t{256} << 20U;
  const wheel::ZipMember* const member = zip.find(name);
  if (member == nullptr || member->size > kMost) {
    return fail(ErrorKind::check, quoted(name) + " is too large to compare");
  }
  return zip.read(*member);
}

template <class Value>
Result<Value> naming(const InputFile& file, Result<Value> result) {
  if (result) return result;
  const std::string shown = file.name.empty() ? file.path.string() : file.name;
  Error error{result.error().kind, quoted(shown) + " cannot be inspected"};
  return fail(std::move(error).with_cause(std::move(result).error()));
}

}  // namespace

Result<inspect::WheelFacts> inspect_path(const InputFile& file,
                                         const inspect::GatherOptions& options) {
  return naming(file, read_path(file, options));
}

Result<inspect::WheelFacts> inspect_wheel(const InputFile& file,
                                          const inspect::GatherOptions& options) {
  return naming(file, read_wheel(file, options));
}

Result<inspect::WheelFacts> inspect_remote(const RemoteFile& file, const std::string& name,
                                           const std::string& sha256,
                                           inspect::GatherOptions options) {
  return naming({{}, name}, read_remote(file, name, sha256, options));
}

Result<ComparedWheels> compare_wheels(const InputFile& old_file, const InputFile& new_file,
                                      const inspect::GatherOptions& options) {
  ComparedWheels out;
  TRY(out.old_wheel, inspect_path(old_file, options));
  TRY(out.new_wheel, inspect_path(new_file, options));
  TRY(const std::unique_ptr<FileSource> old_source, FileSource::open(old_file.path));
  TRY(const std::unique_ptr<FileSource> new_source, FileSource::open(new_file.path));
  TRY(const wheel::ZipReader old_zip, naming(old_file, wheel::ZipReader::open(*old_source)));
  TRY(const wheel::ZipReader new_zip, naming(new_file, wheel::ZipReader::open(*new_source)));
  TRY(const bool same, have_same_bytes(*old_source, *new_source));
  out.difference = inspect::difference(
      out.old_wheel, out.new_wheel, same, [&](inspect::Side side, const std::string& name) {
        return member_of(side == inspect::Side::old_wheel ? old_zip : new_zip, name);
      });
  return out;
}

}  // namespace pinwheel::host
