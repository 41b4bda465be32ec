#include "host/log/logged_files.h"

#include <utility>

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Writes an event about a change, with the error if there was one.
template <class Outcome>
void log_change(ports::Log& log, std::string name, std::vector<ports::LogField> fields,
                const Outcome& outcome) {
  if (!outcome) fields.push_back({"error", outcome.error().message});
  log.write({ports::LogLevel::debug, std::move(name), std::move(fields)});
}

}  // namespace

LoggedFiles::LoggedFiles(ports::Files& files, ports::Log& log, const ports::Clock& clock)
    : files_(files), log_(log), clock_(clock) {}

Result<std::string> LoggedFiles::read_up_to(const fs::path& path, const ByteLimit& limit) {
  return files_.read(path, limit);
}

Done LoggedFiles::write(const fs::path& path, std::string_view bytes, uint32_t mode) {
  Done done = files_.write(path, bytes, mode);
  log_change(log_, "file_written",
             {{"path", path.string()}, {"bytes", static_cast<int64_t>(bytes.size())}}, done);
  return done;
}

Result<ports::FileStatus> LoggedFiles::status(const fs::path& path) {
  return files_.status(path);
}

ports::FileType LoggedFiles::resolved_type(const fs::path& path) {
  return files_.resolved_type(path);
}

Result<fs::path> LoggedFiles::without_links(const fs::path& path) {
  return files_.without_links(path);
}

Result<std::vector<std::string>> LoggedFiles::list(const fs::path& path) {
  return files_.list(path);
}

Done LoggedFiles::make_directories(const fs::path& path) {
  return files_.make_directories(path);
}

Done LoggedFiles::remove_all(const fs::path& path) {
  Done done = files_.remove_all(path);
  log_change(log_, "removed", {{"path", path.string()}}, done);
  return done;
}

Done LoggedFiles::rename(const fs::path& from, const fs::path& to) {
  Done done = files_.rename(from, to);
  log_change(log_, "file_moved", {{"from", from.string()}, {"path", to.string()}}, done);
  return done;
}

Result<uint64_t> LoggedFiles::free_bytes(const fs::path& path) {
  return files_.free_bytes(path);
}

Result<std::unique_ptr<ports::FileLock>> LoggedFiles::lock(const fs::path& path,
                                                           ports::IfLocked if_locked) {
  const auto begun = clock_.steady();
  Result<std::unique_ptr<ports::FileLock>> acquired = files_.lock(path, if_locked);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.steady() - begun);
  log_change(log_, "locked", {{"path", path.string()}, {"waited_ms", int64_t{ms.count()}}},
             acquired);
  if (on_locked) on_locked(ms);
  return acquired;
}

Result<std::unique_ptr<ports::FileLock>> LoggedFiles::share_lock(const fs::path& path) {
  return files_.share_lock(path);
}

}  // namespace pinwheel::host
