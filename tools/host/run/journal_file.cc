#include "host/run/journal_file.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/text.h"
#include "host/system/atomic_write.h"
#include "host/system/files.h"
#include "host/system/system_error.h"
#include "run/history.h"

namespace pinwheel::host {
namespace {

constexpr const char* kJournal = "journal.jsonl";
constexpr const char* kLock = "journal.lock";

Error unreadable(Error error, const std::filesystem::path& path) {
  Error out;
  out.kind = error.kind;
  out.message = fmt::format("{} cannot be used", quoted(path.string()));
  out.hint = std::exchange(error.hint, {});
  out.causes.push_back(std::move(error));
  return out;
}

}  // namespace

JournalFile::JournalFile(std::filesystem::path path, const ports::Clock& clock,
                         std::unique_ptr<ports::FileLock> lock, store::Domain own)
    : path_(std::move(path)), clock_(clock), lock_(std::move(lock)), history_{own} {}

Result<std::unique_ptr<JournalFile>> JournalFile::open(const std::filesystem::path& state_dir,
                                                       const ports::Clock& clock,
                                                       store::Domain own) {
  Result<std::unique_ptr<ports::FileLock>> lock =
      LocalFiles().lock(state_dir / kLock, ports::IfLocked::fail);
  if (!lock) return fail(std::move(lock).error());
  std::unique_ptr<JournalFile> journal(
      new JournalFile(state_dir / kJournal, clock, *std::move(lock), own));
  TRY_DONE(journal->load());
  return journal;
}

Done JournalFile::load() {
  file_ = UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file_.valid()) return fail(system_error("opened", path_, errno));
  TRY(const std::string text, LocalFiles().read(path_, limits::kJournal));
  Result<run::History> history = run::read_history(text, history_.own);
  if (!history) return fail(unreadable(std::move(history).error(), path_));
  history_ = *std::move(history);
  const size_t intact = history_.intact_bytes;
  if (intact < text.size() && ::ftruncate(file_.get(), static_cast<off_t>(intact)) != 0) {
    return fail(system_error("repaired", path_, errno));
  }
  if (intact == 0) TRY_DONE(append(run::header_line()));
  return sync_directory(path_.parent_path());
}

Done JournalFile::append(const std::string& line) {
  const off_t before = ::lseek(file_.get(), 0, SEEK_END);
  int number = write_all(file_.get(), line);
  if (number == 0 && ::fdatasync(file_.get()) != 0) number = errno;
  if (number == 0) return {};
  // A partial line in the middle would corrupt the journal: the next record must start on a new
  // line.
  if (::ftruncate(file_.get(), before) != 0) number = errno;
  return fail(system_error(fmt::format("written ({} bytes)", line.size()), path_, number));
}

std::string JournalFile::now() const {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(clock_.now())));
}

Done JournalFile::started(const run::Attempt& attempt) {
  return append(run::to_line(
      run::Started{attempt.step->id, attempt.key, attempt.number, now(), attempt.log.string()}));
}

Done JournalFile::finished(const plan::StepOutcome& outcome) {
  return append(run::to_line(run::Finished{outcome, now(), history_.own}));
}

Result<run::History> read_journal(const std::filesystem::path& state_dir, store::Domain own) {
  LocalFiles files;
  const std::filesystem::path path = state_dir / kJournal;
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type == ports::FileType::missing) return run::History{own};
  TRY(const std::string text, files.read(path, limits::kJournal));
  Result<run::History> history = run::read_history(text, own);
  if (!history) return fail(unreadable(std::move(history).error(), path));
  return history;
}

Result<run::History> read_whole_journal(const std::filesystem::path& state_dir) {
  return read_journal(state_dir, store::Domain::pull_request);
}

Result<std::vector<run::RecordedRun>> read_recorded_runs(const std::filesystem::path& path) {
  LocalFiles files;
  const bool directory = files.resolved_type(path) == ports::FileType::directory;
  const std::filesystem::path file = directory ? path / kJournal : path;
  if (files.resolved_type(file) == ports::FileType::missing) return std::vector<run::RecordedRun>();
  TRY(const std::string text, files.read(file, limits::kJournal));
  Result<std::vector<run::RecordedRun>> runs = run::read_runs(text);
  if (!runs) return fail(unreadable(std::move(runs).error(), file));
  return runs;
}

bool is_in_use(const std::filesystem::path& state_dir) {
  // Trying the lock could stop a run that starts at this moment, so the process is looked up
  // instead.
  const Result<std::string> text = LocalFiles().read(state_dir / kLock);
  const std::string process(text ? trim(*text) : std::string_view());
  std::error_code missing;
  return !process.empty() && std::filesystem::exists("/proc/" + process, missing);
}

}  // namespace pinwheel::host
