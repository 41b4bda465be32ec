#include "host/index/index_directory_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "base/digest.h"
#include "base/text.h"
#include "host/system/atomic_write.h"
#include "host/system/open_regular.h"
#include "host/system/system_error.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kReadableByAll = 0644;
constexpr mode_t kEnteredByAll = 0755;

bool is_page(const fs::path& path) {
  return path.filename() == "index.html" || path.filename() == "index.json" ||
         path.filename() == "SHA256SUMS";
}

/// Whether a path of the index is a file of a release, or the metadata beside one, that no page
/// lists.
bool is_unlisted(const fs::path& path, const std::set<std::string>& listed) {
  std::string file = path.generic_string();
  if (constexpr std::string_view kBeside = ".metadata"; file.ends_with(kBeside)) {
    file.resize(file.size() - kBeside.size());
  }
  return (file.ends_with(".whl") || file.ends_with(".tar.gz")) && !listed.contains(file);
}

std::optional<uint64_t> parse_number(const std::string& text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

Error foreign(const fs::path& link) {
  return Error{ErrorKind::config,
               fmt::format("{} exists and is not a pinwheel index", quoted(link.string())),
               std::nullopt,
               "choose a different path for the index, or move that one away",
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

Result<std::optional<uint64_t>> current_generation(const IndexPaths& paths) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(paths.link, error);
  if (status.type() == fs::file_type::not_found) return std::optional<uint64_t>();
  if (error) return fail(cannot("read", paths.link, error));
  if (status.type() == fs::file_type::directory) {
    if (fs::is_empty(paths.link, error) && !error) return std::optional<uint64_t>();
    return fail(foreign(paths.link));
  }
  if (status.type() != fs::file_type::symlink) return fail(foreign(paths.link));
  const fs::path target = fs::read_symlink(paths.link, error);
  const std::optional<uint64_t> number = parse_number(target.filename().string());
  if (error || !number || target.parent_path() != paths.generations.filename()) {
    return fail(foreign(paths.link));
  }
  return number;
}

Done clear_generations(const IndexPaths& paths, std::optional<uint64_t> kept, ports::Files& files) {
  TRY(const std::vector<std::string> names, files.list(paths.generations));
  for (const std::string& name : names) {
    const std::optional<uint64_t> number = parse_number(name);
    if (number && number != kept) TRY_DONE(files.remove_all(paths.generations / name));
  }
  return {};
}

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

Done switch_to(const IndexPaths& paths, uint64_t number) {
  const fs::path next = paths.generations / "next";
  std::error_code error;
  fs::remove(next, error);
  fs::create_symlink(paths.generations.filename() / std::to_string(number), next, error);
  if (error) return fail(cannot("made", next, error));
  // A rename replaces a link but not a directory; this may be an empty one chosen by the user.
  if (fs::symlink_status(paths.link, error).type() == fs::file_type::directory) {
    fs::remove(paths.link, error);
  }
  fs::rename(next, paths.link, error);
  if (error) return fail(cannot("replaced", paths.link, error));
  return sync_directory(paths.link.parent_path());
}

}  // namespace pinwheel::host
