#include "host/git/source_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "host/git/build_leftovers.h"
#include "host/git/made_directories.h"
#include "host/git/untracked_source.h"
#include "host/system/digest_file.h"
#include "host/system/files.h"
#include "host/system/system_error.h"
#include "project/ignored_files.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Every file below a directory that is not a git checkout, sorted.
Result<std::vector<std::string>> walk(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (!at->is_symlink(ignored) && at->is_directory(ignored)) continue;
    names.push_back(at->path().lexically_relative(directory).string());
  }
  if (error) {
    return fail(ErrorKind::config,
                fmt::format("{} cannot be read: {}", quoted(directory.string()), error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The same without the files that runs and builds made.
Result<std::vector<std::string>> walk_but(const fs::path& directory,
                                          const std::vector<fs::path>& made) {
  TRY(const MadeDirectories below, MadeDirectories::below(directory, made));
  TRY(std::vector<std::string> names, walk(directory));
  std::erase_if(names, [&](const std::string& name) { return below.contains(name); });
  const BuildLeftovers leftovers(directory, names);
  std::vector<std::string> remaining;
  std::copy_if(names.begin(), names.end(), std::back_inserter(remaining),
               [&](const std::string& name) { return !leftovers.contains(name); });
  return remaining;
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

/// The files of a source, sorted.
std::vector<std::string> listed(const fs::path& directory, const ports::GitFiles& files) {
  if (files.untracked.empty()) return files.tracked;
  // It is not known yet which files belong to the project.
  if (files.tracked.empty()) return files.untracked;
  std::vector<std::string> names = files.tracked;
  const UntrackedSource source(directory, files);
  std::copy_if(files.untracked.begin(), files.untracked.end(), std::back_inserter(names),
               [&source](const std::string& name) { return source.contains(name); });
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<std::string>> list_files(ports::Git& git, const fs::path& directory,
                                            const ports::NotSource& others) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return fail(ErrorKind::config,
                fmt::format("package source {} is not a directory", quoted(directory.string())),
                "`package.source` is relative to the matrix file");
  }
  const Result<ports::GitFiles> found = git.files(directory, others.made);
  std::vector<std::string> files;
  if (found) {
    files = listed(directory, *found);
  } else if (is_in_checkout(directory)) {
    // Adding every file would include ignored ones.
    return fail(found.error());
  } else {
    TRY(files, walk_but(directory, others.made));
  }
  TRY(const MadeDirectories named, MadeDirectories::below(directory, others.named));
  // A tracked file that was deleted in the work tree is not part of the package.
  std::erase_if(files, [&](const std::string& name) {
    std::error_code ignored;
    return named.covers(name) || !fs::exists(fs::symlink_status(directory / name, ignored));
  });
  if (files.empty()) {
    return fail(ErrorKind::config,
                fmt::format("package source {} contains no files", quoted(directory.string())),
                found && !found->untracked.empty() ? "track them: `git add`" : "");
  }
  return files;
}

enum class Kind { plain, executable, link };

Kind kind_of(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (fs::is_symlink(status)) return Kind::link;
  const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
  return executable ? Kind::executable : Kind::plain;
}

/// The kind and the contents of a file, in the digest.
Result<std::string> digest_of(const fs::path& path, Kind kind) {
  if (kind == Kind::link) {
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) return fail(system_error("read", path, error.value()));
    return "link " + sha256_hex(target.string());
  }
  TRY(const FileDigest digest, digest_file(path));
  return (kind == Kind::executable ? "exec " : "file ") + digest.sha256;
}

using Digests = std::map<std::string, std::string>;

std::string digest_of_all(const Digests& files) {
  Sha256 whole;
  for (const auto& [name, digest] : files) whole.update(fmt::format("{} {}\n", digest, name));
  return to_hex(whole.finish());
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

void add_size(const fs::path& directory, const std::string& name, Kind kind,
              plan::SourceFiles& files) {
  if (kind == Kind::link) return;
  std::error_code error;
  const auto size = fs::file_size(directory / name, error);
  if (!error) files.sizes[name] = size;
}

Result<plan::Source> read_files(const fs::path& directory, const std::vector<std::string>& names) {
  plan::SourceFiles files;
  for (const std::string& name : names) {
    const Kind kind = kind_of(directory / name);
    TRY(files.digests[name], digest_of(directory / name, kind));
    add_size(directory, name, kind, files);
  }
  plan::Source source{
      fs::absolute(directory).lexically_normal().string(), {}, digest_of_all(files.digests)};
  source.files = std::make_shared<const plan::SourceFiles>(std::move(files));
  return source;
}

/// "`a.py`, `b.py` (new), `c.py` (gone)"; only the first ones.
std::string changes_in_words(const Digests& before, const Digests& now) {
  constexpr size_t kShown = 5;
  std::vector<std::string> changes;
  for (const auto& [name, digest] : before) {
    const auto found = now.find(name);
    if (found == now.end()) changes.push_back(quoted(name) + " (gone)");
    if (found != now.end() && found->second != digest) changes.push_back(quoted(name));
  }
  for (const auto& [name, digest] : now) {
    if (!before.contains(name)) changes.push_back(quoted(name) + " (new)");
  }
  const size_t all = changes.size();
  if (all > kShown) changes.resize(kShown);
  const std::string more = all > kShown ? fmt::format(" and {} more", all - kShown) : "";
  return join(changes, ", ") + more;
}

Error changed_source(const plan::Source& source, const Digests& now) {
  std::string what = quoted(source.directory);
  if (source.files != nullptr) {
    what = fmt::format("{} in {}", changes_in_words(source.files->digests, now), what);
  }
  return {ErrorKind::step, what + " changed during the run", std::nullopt,
          "run the same command again: finished steps are not repeated; let git ignore a file that "
          "is not part of the project"};
}

}  // namespace

Result<plan::Source> read_source(ports::Git& git, const fs::path& directory,
                                 const ports::NotSource& others) {
  TRY(const std::vector<std::string> files, list_files(git, directory, others));
  return read_files(directory, files);
}

Result<plan::Source> list_source(ports::Git& git, const fs::path& directory,
                                 const ports::NotSource& others) {
  TRY(const std::vector<std::string> names, list_files(git, directory, others));
  plan::SourceFiles files;
  for (const std::string& name : names) {
    files.digests[name];
    add_size(directory, name, kind_of(directory / name), files);
  }
  plan::Source source{fs::absolute(directory).lexically_normal().string()};
  source.files = std::make_shared<const plan::SourceFiles>(std::move(files));
  return source;
}

Result<plan::Source> read_wheel_source(const plan::Source& whole, const WheelSource& what) {
  plan::SourceFiles files = *whole.files;
  project::WheelInputs inputs{what.name, {}, {}, what.commands};
  for (const auto& [name, digest] : files.digests) inputs.files.push_back(name);
  for (const std::string& file : project::kBuildFiles) {
    if (!files.digests.contains(file)) continue;
    TRY(inputs.builds[file], LocalFiles().read(fs::path(whole.directory) / file));
  }
  plan::Source source = whole;
  source.ignored = project::not_in_wheels(inputs);
  source.ignored.insert(source.ignored.end(), what.ignored.begin(), what.ignored.end());
  const auto is_ignored = [&source](const auto& file) {
    return project::is_ignored(source.ignored, file.first);
  };
  std::erase_if(files.digests, is_ignored);
  std::erase_if(files.sizes, is_ignored);
  if (files.digests.empty()) {
    // The defaults alone must not leave a source without files.
    if (what.ignored.empty()) return whole;
    return fail(ErrorKind::config,
                fmt::format("`package.ignore` leaves no file of {}", quoted(whole.directory)));
  }
  source.digest = digest_of_all(files.digests);
  source.files = std::make_shared<const plan::SourceFiles>(std::move(files));
  return source;
}

Result<ports::GitChange> last_change(ports::Git& git, const plan::Source& source,
                                     const ports::NotSource& others) {
  TRY(const MadeDirectories named, MadeDirectories::below(source.directory, others.named));
  return git.last_change(source.directory, [&](std::string_view name) {
    return !named.covers(name) && !project::is_ignored(source.ignored, name);
  });
}

Result<plan::Source> read_directory(const fs::path& directory) {
  TRY(std::vector<std::string> names, walk(directory));
  return read_files(directory, names);
}

Done export_source(ports::Git& git, const plan::Source& source, const ports::NotSource& others,
                   const fs::path& destination, int64_t epoch) {
  const fs::path directory = source.directory;
  std::vector<std::string> names;
  if (source.requirement.empty()) {
    TRY(names, list_files(git, directory, others));
  } else {
    TRY(names, walk(directory));
  }
  std::erase_if(names, [&source](const std::string& name) {
    return project::is_ignored(source.ignored, name);
  });
  Digests digests;
  for (const std::string& name : names) {
    const Kind kind = kind_of(directory / name);
    TRY_DONE(copy_one(directory / name, destination / name, kind, epoch));
    // Computed from the copy, to detect edits between reading and copying.
    TRY(digests[name], digest_of(destination / name, kind));
  }
  if (digest_of_all(digests) == source.digest) return {};
  return fail(changed_source(source, digests));
}

}  // namespace pinwheel::host
