#include "host/wheels/inspect_path.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "host/system/file_source.h"
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
