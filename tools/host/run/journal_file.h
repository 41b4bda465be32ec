#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "host/system/unique_fd.h"
#include "ports/clock.h"
#include "ports/files.h"
#include "run/attempt.h"
#include "run/history.h"
#include "store/domain.h"

namespace pinwheel::host {

/// The journal of a state directory, locked for one run: `journal.jsonl`, and a lock on
/// `journal.lock` next to it. Each record is one write, durable before the call returns.
class JournalFile final : public run::Recorder {
 public:
  /// Locks, reads, and truncates a torn last line. `own` is the domain of the run that records.
  /// `environment` if another run holds the lock (names its process id); `config` for a journal
  /// that cannot be read. `clock` must outlive the journal.
  static Result<std::unique_ptr<JournalFile>> open(const std::filesystem::path& state_dir,
                                                   const ports::Clock& clock, store::Domain own);

  /// The records when it was opened, for a run of this domain.
  const run::History& history() const { return history_; }

  Done started(const run::Attempt& attempt) override;
  Done finished(const plan::StepOutcome& outcome) override;

 private:
  JournalFile(std::filesystem::path path, const ports::Clock& clock,
              std::unique_ptr<ports::FileLock> lock, store::Domain own);
  Done load();
  Done append(const std::string& line);
  std::string now() const;

  std::filesystem::path path_;
  const ports::Clock& clock_;
  std::unique_ptr<ports::FileLock> lock_;
  UniqueFd file_;
  run::History history_;
};

/// The history of a state directory for a run of a domain, read without locking it; empty if it has
/// no journal.
Result<run::History> read_journal(const std::filesystem::path& state_dir, store::Domain own);

/// The same for every domain, for display only.
Result<run::History> read_whole_journal(const std::filesystem::path& state_dir);

/// The runs in the journal of a state directory, or in the file of a journal; none if it does not
/// exist.
Result<std::vector<run::RecordedRun>> read_recorded_runs(const std::filesystem::path& path);

/// Whether a run uses the state directory now.
bool is_in_use(const std::filesystem::path& state_dir);

}  // namespace pinwheel::host
