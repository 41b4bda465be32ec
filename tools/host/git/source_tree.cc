#include "host/git/source_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "base/digest.h"
#include "base/text.h"
#include "host/git/build_leftovers.h"
#include "host/git/made_directories.h"
#include "host/system/digest_file.h"
#include "host/system/system_error.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Every file below a directory that is not a git checkout, sorted.
Result<std::vector<std::string>> walk(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_directory() && !at->is_symlink()) continue;
    names.push_back(at->path().lexically_relative(directory).string());
  }
  if (error) {
    return fail(ErrorKind::config,
                fmt::format("{} cannot be read: {}", quoted(directory.string()), error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The same without what runs and builds made.
Result<std::vector<std::string>> walk_but(const fs::path& directory,
                                          const std::vector<fs::path>& made) {
  TRY(const MadeDirectories below, MadeDirectories::below(directory, made));
  TRY(std::vector<std::string> names, walk(directory));
  std::erase_if(names, [&](const std::string& name) { return below.contains(name); });
  const BuildLeftovers leftovers(directory, names);
  std::vector<std::string> kept;
  std::copy_if(names.begin(), names.end(), std::back_inserter(kept),
               [&](const std::string& name) { return !leftovers.contains(name); });
  return kept;
}

/// Whether the directory or a parent has a `.git`.
bool is_in_checkout(const fs::path& directory) {
  std::error_code ignored;
  fs::path at = fs::weakly_canonical(directory, ignored);
  while (!fs::exists(at / ".git", ignored)) {
    if (!at.has_relative_path()) return false;
    at = at.parent_path();
  }
  return true;
}

Result<std::vector<std::string>> list_files(ports::Git& git, const fs::path& directory,
                                            const ports::NotSource& others) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return fail(ErrorKind::config,
                fmt::format("package source {} is not a directory", quoted(directory.string())),
                "`package.source` is relative to the matrix file");
  }
  Result<std::vector<std::string>> names = git.files(directory, others.made);
  // A checkout that git cannot read is an error: taking every file would include ignored ones.
  if (!names && !is_in_checkout(directory)) names = walk_but(directory, others.made);
  if (!names) return names;
  TRY(const MadeDirectories named, MadeDirectories::below(directory, others.named));
  // A tracked file that was deleted in the work tree is not part of the package.
  std::erase_if(*names, [&](const std::string& name) {
    std::error_code ignored;
    return named.covers(name) || !fs::exists(fs::symlink_status(directory / name, ignored));
  });
  if (names->empty()) {
    return fail(ErrorKind::config,
                fmt::format("package source {} contains no files", quoted(directory.string())));
  }
  return names;
}

enum class Kind { plain, executable, link };

Kind kind_of(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (fs::is_symlink(status)) return Kind::link;
  const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
  return executable ? Kind::executable : Kind::plain;
}

/// A line of the digest: kind, contents, name.
Result<std::string> digest_line(const fs::path& path, const std::string& name, Kind kind) {
  if (kind == Kind::link) {
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) return fail(system_error("read", path, error.value()));
    return fmt::format("link {} {}\n", sha256_hex(target.string()), name);
  }
  TRY(const FileDigest digest, digest_file(path));
  return fmt::format("{} {} {}\n", kind == Kind::executable ? "exec" : "file", digest.sha256, name);
}

Done copy_one(const fs::path& from, const fs::path& to, Kind kind, int64_t epoch) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (!error && kind == Kind::link) fs::copy_symlink(from, to, error);
  if (!error && kind != Kind::link) fs::copy_file(from, to, error);
  if (error) {
    return fail(ErrorKind::environment,
                fmt::format("{} cannot be copied to {}: {}", quoted(from.string()),
                            quoted(to.string()), error.message()));
  }
  if (kind != Kind::link && ::chmod(to.c_str(), kind == Kind::executable ? 0755 : 0644) != 0) {
    return fail(system_error("made readable", to, errno));
  }
  const timespec times[2] = {{epoch, 0}, {epoch, 0}};
  if (::utimensat(AT_FDCWD, to.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail(system_error("dated", to, errno));
  }
  return {};
}

Result<plan::Source> read_files(const fs::path& directory, const std::vector<std::string>& names) {
  Sha256 whole;
  for (const std::string& name : names) {
    const fs::path path = directory / name;
    TRY(const std::string line, digest_line(path, name, kind_of(path)));
    whole.update(line);
  }
  return plan::Source{
      fs::absolute(directory).lexically_normal().string(), {}, to_hex(whole.finish())};
}

}  // namespace

Result<plan::Source> read_source(ports::Git& git, const fs::path& directory,
                                 const ports::NotSource& others) {
  TRY(const std::vector<std::string> names, list_files(git, directory, others));
  return read_files(directory, names);
}

Result<plan::Source> read_directory(const fs::path& directory) {
  TRY(const std::vector<std::string> names, walk(directory));
  return read_files(directory, names);
}

Done export_source(ports::Git& git, const plan::Source& source, const ports::NotSource& others,
                   const fs::path& destination, int64_t epoch) {
  const fs::path directory = source.directory;
  TRY(const std::vector<std::string> names,
      source.requirement.empty() ? list_files(git, directory, others) : walk(directory));
  Sha256 whole;
  for (const std::string& name : names) {
    const Kind kind = kind_of(directory / name);
    TRY_DONE(copy_one(directory / name, destination / name, kind, epoch));
    // Computed from the copy, to detect edits between reading and copying.
    TRY(const std::string line, digest_line(destination / name, name, kind));
    whole.update(line);
  }
  if (to_hex(whole.finish()) != source.digest) {
    return fail(ErrorKind::step, fmt::format("{} changed during the run", quoted(source.directory)),
                "run the same command again: finished steps are not repeated");
  }
  return {};
}

}  // namespace pinwheel::host
