#include "host/index/index_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/digest.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "base/url.h"
#include "host/system/atomic_write.h"
#include "host/system/open_regular.h"
#include "host/system/system_error.h"
#include "host/system/unique_fd.h"
#include "publish/attestation.h"
#include "publish/simple_page.h"
#include "publish/upload_time.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMetadataSuffix = ".metadata";
constexpr mode_t kReadableByAll = 0644;
constexpr mode_t kEnteredByAll = 0755;

bool is_page(const fs::path& path) {
  return path.filename() == "index.html" || path.filename() == "index.json" ||
         path.filename() == "SHA256SUMS" || publish::is_variants_file(path.filename().string());
}

/// Whether a path of the index is a file of a release that no page lists, or its metadata or
/// bundle.
bool is_unlisted(const fs::path& path, const std::set<std::string>& listed) {
  std::string file = path.generic_string();
  for (const std::string& suffix : {std::string(kMetadataSuffix), publish::bundle_name("")}) {
    if (file.ends_with(suffix)) file.resize(file.size() - suffix.size());
  }
  return (file.ends_with(".whl") || file.ends_with(".tar.gz")) && !listed.contains(file);
}

Error foreign(const fs::path& link) {
  return Error{ErrorKind::config,
               fmt::format("{} exists and is not a pinwheel index", quoted(link.string())),
               std::nullopt,
               "choose a different path for the index, or move that one away",
               {}};
}

Error is_checkout(const fs::path& link) {
  return Error{ErrorKind::config,
               fmt::format("{} is a checkout of its own, which a link cannot replace",
                           quoted(link.string())),
               std::nullopt,
               "put the index in a directory of the checkout",
               {}};
}

Error not_an_index(const fs::path& link) {
  return Error{ErrorKind::config,
               fmt::format("{} is not a package index of pinwheel", quoted(link.string())),
               std::nullopt,
               "name the directory of a target of kind `directory`",
               {}};
}

Error cannot(std::string_view participle, const fs::path& path, const std::error_code& error) {
  return system_error(participle, path, error.value());
}

Done copy_bytes(int in, int out, const fs::path& from, const fs::path& to, Sha256& hash) {
  std::string buffer(1U << 20U, '\0');
  while (true) {
    const ssize_t got = ::read(in, buffer.data(), buffer.size());
    if (got == 0) return {};
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("read", from, errno));
    const std::string_view piece(buffer.data(), static_cast<size_t>(got));
    hash.update(piece);
    if (const int number = write_all(out, piece); number != 0) {
      return fail(system_error("written", to, number));
    }
  }
}

/// Makes a hard link, or a copy if the file system does not support links or its limit is reached.
Done link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (!error) return {};
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (error) return fail(cannot("copied", from, error));
  return {};
}

/// Makes a directory durable, and readable by the index server, regardless of the publisher's
/// umask.
Done publish_directory(const fs::path& directory) {
  if (::chmod(directory.c_str(), kEnteredByAll) != 0) {
    return fail(system_error("made readable", directory, errno));
  }
  return sync_directory(directory);
}

}  // namespace

IndexPaths::IndexPaths(const fs::path& index) {
  std::error_code ignored;
  link = fs::absolute(index, ignored).lexically_normal();
  if (!link.has_filename()) link = link.parent_path();
  generations = link.parent_path() / fmt::format(".{}.generations", link.filename().string());
}

fs::path IndexPaths::generation(uint64_t number) const {
  return generations / std::to_string(number);
}

namespace {

/// The present contents of an index.
struct CurrentIndex {
  fs::path root = {};                       ///< of the pages; empty if there is no index yet
  std::optional<uint64_t> generation = {};  ///< nullopt for a plain copy
};

/// The state of the index at a path, which may be missing, an empty directory or a plain copy. Kind
/// `config` if the path is anything else.
Result<CurrentIndex> current_index(const IndexPaths& paths) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(paths.link, error);
  if (status.type() == fs::file_type::not_found) return CurrentIndex{};
  if (error) return fail(cannot("read", paths.link, error));
  if (status.type() == fs::file_type::directory) {
    if (fs::is_empty(paths.link, error) && !error) return CurrentIndex{};
    if (fs::exists(paths.link / ".git", error)) return fail(is_checkout(paths.link));
    const bool copy = fs::is_regular_file(paths.link / "index.json", error) &&
                      fs::is_regular_file(paths.link / "index.html", error);
    if (copy) return CurrentIndex{paths.link, std::nullopt};
    return fail(foreign(paths.link));
  }
  if (status.type() != fs::file_type::symlink) return fail(foreign(paths.link));
  const fs::path target = fs::read_symlink(paths.link, error);
  const std::optional<uint64_t> number = parse_unsigned(target.filename().string());
  if (error || !number || target.parent_path() != paths.generations.filename()) {
    return fail(foreign(paths.link));
  }
  return CurrentIndex{paths.generation(*number), number};
}

/// Ends a replacement of a plain copy by a link, in which a call was killed: undoes its first half,
/// or completes it.
Done restore_replaced(const IndexPaths& paths) {
  std::error_code error;
  if (!fs::is_directory(paths.replaced(), error)) return {};
  const fs::file_type type = fs::symlink_status(paths.link, error).type();
  if (type == fs::file_type::symlink) fs::remove_all(paths.replaced(), error);
  if (type != fs::file_type::not_found) return {};
  fs::rename(paths.replaced(), paths.link, error);
  if (error) return fail(cannot("moved back", paths.replaced(), error));
  return {};
}

/// Removes every generation except `current`: older ones, and those left by a killed publisher.
Done clear_generations(const IndexPaths& paths, std::optional<uint64_t> current,
                       ports::Files& files) {
  TRY(const std::vector<std::string> names, files.list(paths.generations));
  for (const std::string& name : names) {
    const std::optional<uint64_t> number = parse_unsigned(name);
    if (number && number != current) TRY_DONE(files.remove_all(paths.generations / name));
  }
  return {};
}

}  // namespace

Done link_files(const fs::path& from, const fs::path& to, const std::set<std::string>& listed) {
  std::error_code error;
  fs::create_directories(to, error);
  if (error) return fail(cannot("made", to, error));
  fs::recursive_directory_iterator entry(from, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path path = entry->path().lexically_relative(from);
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      fs::create_directories(to / path, error);
      if (error) return fail(cannot("made", to / path, error));
    } else if (!is_page(path) && !is_unlisted(path, listed)) {
      TRY_DONE(link_or_copy(entry->path(), to / path));
    }
  }
  if (error) return fail(cannot("read", from, error));
  return {};
}

namespace {

/// Copies a file and makes it durable. Kind `publish` if its digest is no longer `sha256`: it was
/// changed while it was being published.
Done copy_checked(const fs::path& from, const fs::path& to, const std::string& sha256) {
  TRY(const UniqueFd in, open_regular_file(from));
  const UniqueFd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kReadableByAll));
  if (!out.valid()) return fail(system_error("written", to, errno));
  Sha256 hash;
  TRY_DONE(copy_bytes(in.get(), out.get(), from, to, hash));
  if (to_hex(hash.finish()) != sha256) {
    return fail(ErrorKind::publish,
                fmt::format("{} changed while it was being published", quoted(from.string())),
                "publish again when nothing is writing to the files");
  }
  // The index server must be able to read it, regardless of the publisher's umask.
  if (::fchmod(out.get(), kReadableByAll) != 0 || ::fsync(out.get()) != 0) {
    return fail(system_error("written", to, errno));
  }
  return {};
}

/// Makes all directories from the parent of `root` on down durable, and readable by everybody
/// regardless of the umask.
Done sync_tree(const fs::path& root) {
  std::error_code error;
  fs::recursive_directory_iterator entry(root, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) TRY_DONE(publish_directory(entry->path()));
  }
  if (error) return fail(cannot("read", root, error));
  TRY_DONE(publish_directory(root));
  return publish_directory(root.parent_path());
}

/// Switches the index to a different generation, by one rename.
Done switch_to(const IndexPaths& paths, uint64_t number) {
  const fs::path next = paths.generations / "next";
  std::error_code error;
  fs::remove(next, error);
  fs::create_symlink(paths.generations.filename() / std::to_string(number), next, error);
  if (error) return fail(cannot("made", next, error));
  // A rename replaces a link but not a directory: an empty one, or a plain copy of an index.
  const bool directory = fs::symlink_status(paths.link, error).type() == fs::file_type::directory;
  if (directory) {
    fs::remove_all(paths.replaced(), error);
    fs::rename(paths.link, paths.replaced(), error);
    if (error) return fail(cannot("moved aside", paths.link, error));
  }
  fs::rename(next, paths.link, error);
  if (error) return fail(cannot("replaced", paths.link, error));
  TRY_DONE(sync_directory(paths.link.parent_path()));
  if (directory) fs::remove_all(paths.replaced(), error);
  return {};
}

using publish::Artifact;

/// Reads the pages of one directory, listed by its `index.json`.
Done read_place(publish::Catalog& catalog, const fs::path& root, const std::string& place,
                ports::Files& files) {
  TRY(const std::string page, files.read(root / place / "index.json", limits::kSimplePage));
  TRY(const std::vector<std::string> projects, publish::parse_root_json(page));
  catalog.places[place];
  for (const std::string& project : projects) {
    TRY(const std::string json,
        files.read(root / place / project / "index.json", limits::kSimplePage));
    TRY_DONE(publish::read_back(catalog, place, project, json));
  }
  return {};
}

/// The contents of a generation. Its directories are the root's projects and the sub-indexes.
Result<publish::Catalog> read_catalog(const fs::path& root, ports::Files& files) {
  publish::Catalog catalog;
  TRY_DONE(read_place(catalog, root, "", files));
  TRY(const std::vector<std::string> names, files.list(root));
  const publish::Projects in_root = catalog.places[""];
  for (const std::string& name : names) {
    TRY(const ports::FileStatus status, files.status(root / name));
    if (status.type != ports::FileType::directory || in_root.count(name) == 1) continue;
    TRY_DONE(read_place(catalog, root, name, files));
  }
  return catalog;
}

/// Checks that a plain copy of an index has the files that its pages list: the parts of a mirror
/// may be missing. Kind `config`, naming the first one.
Done check_copy(const fs::path& root, const publish::Catalog& held, ports::Files& files) {
  for (const auto& [place, projects] : held.places) {
    for (const auto& [project, listed] : projects) {
      for (const auto& [filename, file] : listed) {
        if (is_address(file.home)) continue;
        TRY(const ports::FileStatus status, files.status(root / file.home));
        if (status.type == ports::FileType::regular && status.size == file.size) continue;
        return fail(ErrorKind::config,
                    fmt::format("{} is a copy of an index that lacks its file {}",
                                quoted(root.string()), quoted(file.home)),
                    "copy the whole index, or choose a different path");
      }
    }
  }
  return {};
}

/// Copies the files that are new in the index.
Done copy_new_files(const fs::path& root, const std::vector<IndexEntry>& entries,
                    const publish::Merge& merge, ports::Files& files) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool elsewhere = is_address(merge.homes[i]);
    if (merge.outcomes[i] == publish::Outcome::identical || elsewhere) continue;
    const fs::path home = root / merge.homes[i];
    const Artifact& file = entries[i].file;
    TRY_DONE(files.make_directories(home.parent_path()));
    TRY_DONE(copy_checked(file.path, home, file.sha256));
    if (file.kind == publish::FileKind::wheel) {
      TRY_DONE(files.write(home.string() + std::string(kMetadataSuffix), file.metadata));
    }
    for (const publish::Attestation& bundle : file.attestations) {
      TRY_DONE(files.write(publish::bundle_name(home.string()), bundle.document));
    }
  }
  return {};
}

/// An index that no other publisher changes.
struct LockedIndex {
  IndexPaths paths;
  std::unique_ptr<ports::FileLock> lock;
  CurrentIndex current;
  publish::Catalog held;
};

Result<LockedIndex> lock_index(const fs::path& index, ports::Files& files) {
  IndexPaths paths(index);
  TRY_DONE(files.make_directories(paths.generations));
  TRY(std::unique_ptr<ports::FileLock> lock, files.lock(paths.lock(), ports::IfLocked::wait));
  TRY_DONE(restore_replaced(paths));
  TRY(CurrentIndex current, current_index(paths));
  publish::Catalog held;
  if (!current.root.empty()) {
    TRY(held, read_catalog(current.root, files));
  }
  if (!current.root.empty() && !current.generation) TRY_DONE(check_copy(current.root, held, files));
  return LockedIndex{std::move(paths), std::move(lock), std::move(current), std::move(held)};
}

/// Writes the complete tree of the next generation durably: the listed files of the current one,
/// what `add_files` puts there, and the pages.
Done write_generation(const LockedIndex& locked, const fs::path& root,
                      const std::map<std::string, std::string>& pages,
                      const std::function<Done(const fs::path& root)>& add_files,
                      ports::Files& files) {
  if (!locked.current.root.empty()) {
    TRY_DONE(link_files(locked.current.root, root, publish::homes_of(locked.held)));
  }
  TRY_DONE(add_files(root));
  for (const auto& [path, page] : pages) TRY_DONE(files.write(root / path, page));
  return sync_tree(root);
}

/// Makes a new generation with this content the current one.
Done replace_generation(const LockedIndex& locked, const publish::Catalog& content,
                        const std::function<Done(const fs::path& root)>& add_files,
                        ports::Files& files) {
  const std::map<std::string, std::string> pages = publish::pages_of(content);
  TRY_DONE(publish::check_pages(pages));
  TRY_DONE(clear_generations(locked.paths, locked.current.generation, files));
  const uint64_t next = locked.current.generation.value_or(0) + 1;
  const fs::path root = locked.paths.generation(next);
  const Done written = write_generation(locked, root, pages, add_files, files);
  if (!written) {
    // The partial generation is removed immediately; if that fails too, the next publisher removes
    // it.
    const Done removed = files.remove_all(root);
    return fail(removed ? written.error() : Error(written.error()).with_cause(removed.error()));
  }
  return switch_to(locked.paths, next);
}

Done add_nothing(const fs::path& /*root*/) {
  return {};
}

/// Kind `config` if the index would be inside a generation of another one, whose next generation
/// has only its own files.
Done check_not_nested(const fs::path& index) {
  constexpr std::string_view kGenerationsSuffix = ".generations";
  std::error_code error;
  const IndexPaths paths(index);
  const fs::path parent = fs::weakly_canonical(paths.link.parent_path(), error);
  if (error) return {};
  fs::path above;
  for (const fs::path& part : parent) {
    std::string name = above.filename().string();
    const bool generation = name.starts_with('.') && name.ends_with(kGenerationsSuffix) &&
                            parse_unsigned(part.string()).has_value();
    if (!generation) {
      above /= part;
      continue;
    }
    name = name.substr(1, name.size() - 1 - kGenerationsSuffix.size());
    return fail(Error{
        ErrorKind::config,
        fmt::format("{} is inside another index, {}, whose next change would remove "
                    "it",
                    quoted(paths.link.string()), quoted((above.parent_path() / name).string()))}
                    .with_hint("put it next to the other index"));
  }
  return {};
}

}  // namespace

Result<IndexPublication> publish_to_directory(const fs::path& index,
                                              const std::vector<IndexEntry>& entries,
                                              const RetentionOptions& options, ports::Files& files,
                                              const ports::Clock& clock) {
  TRY_DONE(check_entries(entries));
  TRY_DONE(check_not_nested(index));
  TRY(const LockedIndex locked, lock_index(index, files));
  TRY(const NextContent content,
      next_content(locked.held, entries, {}, options, publish::to_upload_time(clock.now())));
  IndexPublication publication = publication_of(entries, content);
  if (!content.is_new()) return publication;
  TRY_DONE(replace_generation(
      locked, content.merge.catalog,
      [&](const fs::path& root) { return copy_new_files(root, entries, content.merge, files); },
      files));
  return publication;
}

Result<publish::Catalog> read_directory(const fs::path& index, ports::Files& files) {
  const IndexPaths paths(index);
  TRY(const CurrentIndex current, current_index(paths));
  if (current.root.empty()) return fail(not_an_index(paths.link));
  return read_catalog(current.root, files);
}

Result<publish::Yanking> yank_in_directory(const fs::path& index,
                                           const publish::YankRequest& request,
                                           ports::Files& files) {
  // A path that is not an index gets no directory with a lock.
  TRY_DONE(read_directory(index, files));
  TRY(const LockedIndex locked, lock_index(index, files));
  TRY(publish::Yanking yanking, publish::yank(locked.held, request));
  if (yanking.catalog != locked.held) {
    TRY_DONE(replace_generation(locked, yanking.catalog, add_nothing, files));
  }
  return yanking;
}

Result<publish::Pruning> prune_directory(const fs::path& index, const publish::PruneRules& rules,
                                         ports::Files& files, const ports::Clock& clock) {
  TRY_DONE(read_directory(index, files));
  TRY(const LockedIndex locked, lock_index(index, files));
  TRY(publish::Pruning pruning, publish::prune(locked.held, rules, clock.now()));
  if (!pruning.retired.empty()) {
    TRY_DONE(replace_generation(locked, pruning.catalog, add_nothing, files));
  }
  return pruning;
}

}  // namespace pinwheel::host
