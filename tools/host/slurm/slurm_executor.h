#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "host/slurm/earlier_jobs.h"
#include "host/slurm/queue_watch.h"
#include "host/slurm/run_directory.h"
#include "host/slurm/slurm_commands.h"
#include "host/store/store.h"
#include "ports/clock.h"
#include "run/executor.h"
#include "slurm/job_result.h"
#include "slurm/listing.h"
#include "slurm/plan_jobs.h"
#include "slurm/script.h"
#include "slurm/settings.h"

namespace pinwheel::host {

/// What the jobs of a run share. The references outlive the executor.
struct SlurmSetup {
  slurm::SlurmSettings settings;
  slurm::JobSite site;
  std::filesystem::path output;  ///< the caller's, for the files of finished steps
  /// How long to wait for a job that Slurm does not know and that left no result. A network file
  /// system may show the result late, and a controller that crashed forgets jobs that continue to
  /// run.
  std::chrono::milliseconds grace = std::chrono::seconds(60);
  /// The time between two checks of the queue; up to ten times as long while nothing happens.
  std::chrono::milliseconds poll_every = std::chrono::seconds(2);
  std::function<void(const Error&)> warn = {};
  /// Requested when a signal arrives, after `local` knows it. Then the executor's programs end, it
  /// asks and submits nothing new, and `poll` reports the signal first.
  std::stop_token stop = {};
  /// The job that this process runs in; the jobs of the executor are steps of it. Empty if there is
  /// none.
  std::string allocation = {};
  std::string host = {};  ///< this machine, for the claims of such steps
};

struct SlurmPorts {
  SlurmRunDirectory& directory;
  SlurmCommands& commands;
  Store& store;
  ports::Clock& clock;
  run::Executor& local;  ///< runs the steps that are not jobs, and reports signals
};

/// The executor of Slurm clusters. The steps that `slurm::job_kind_of` knows are elements of job
/// arrays; `local` runs the others.
///
/// A job is identified by its token, in the file system that all machines share
/// (`SlurmRunDirectory`), and by the comment of its array. Each poll looks up, by the comment, the
/// number and the state that Slurm reports. It checks a token in this order:
///
/// 1. The token has a result: the job has ended, whatever Slurm says.
/// 2. Slurm knows the job: its state in Slurm decides.
/// 3. The token has a claim: the executor waits for a grace period, or, if the job is a step of a
///    Slurm job, until that job ends.
/// 4. Otherwise the job is lost, and the loop may submit the step under another token. If the lost
///    job runs after all, its result has a different name, and the store names files by content.
class SlurmExecutor final : public run::Executor {
 public:
  SlurmExecutor(SlurmSetup setup, SlurmPorts ports);

  run::Capabilities capabilities() const override;
  run::Scheduling scheduling_of(const plan::Step& step) const override;
  bool can_grow(const plan::Step& step, run::StepJobState lacked,
                const run::Growth& so_far) const override;
  run::Placement placement_of(const run::StepJob& job) const override;
  void submit(const std::vector<run::StepJob>& jobs) override;
  run::Event poll(std::chrono::steady_clock::time_point deadline) override;
  void cancel(const std::vector<std::string>& tokens) override;
  std::optional<run::Completed> collect(const std::string& token) const override;

  /// The token of the submission of a step with this number. The count starts at the submission of
  /// an earlier caller that may still run, or else after the last submission that ended without
  /// success.
  std::string token_of(const std::string& plan_digest, const std::string& step, int number);

 private:
  static constexpr size_t kLargestBatch = 1 << 20;
  using Time = std::chrono::steady_clock::time_point;
  enum class Stage { unsent, sent, ended };
  /// A job of the cluster.
  struct Tracked {
    run::StepJob job;
    std::string step;
    Stage stage = Stage::unsent;
    slurm::JobClaim claim = {};
    std::string array = {};               ///< the id that Slurm gave it; empty: not known
    std::optional<Time> missing = {};     ///< since when nothing is known about it
    std::optional<slurm::Job> last = {};  ///< as it ended for Slurm, without a result
    std::optional<Time> ended = {};       ///< since when `last` is known
    std::optional<Time> fetching = {};    ///< since when no store has its files
    bool began = false;
  };

  struct Round {
    std::vector<slurm::ReadyJob> ready = {};
    bool progressed = false;  ///< a job was attached to, or has ended
  };

  bool interrupted() const { return setup_.stop.stop_requested(); }
  run::Growth growth_of(const run::StepJob& job) const;
  void send_ready();
  bool send_round();
  Round next_round();
  bool may_send() const;
  /// Attaches to a job that an earlier or another caller submitted.
  bool attach(Tracked& job);
  std::optional<std::vector<slurm::ElementRef>> resolved(const Tracked& job) const;
  bool needs_failed(const Tracked& job) const;
  bool send_in_parts(const slurm::JobArray& array);
  bool send(const slurm::JobArray& array);
  /// Claims elements of an array, and attaches to those that already have a claim.
  struct Claimed {
    std::vector<int> indexes = {};
    std::vector<std::string> tokens = {};
    bool progressed = false;
  };
  Claimed claim_elements(const slurm::JobArray& array, const std::string& submission);
  void give_back(const std::vector<std::string>& tokens);
  void postpone(const std::vector<std::string>& tokens, const Error& error);
  void refuse(const std::vector<std::string>& tokens, const Error& error);

  void refresh();
  bool needs_all(const QueueLook& seen) const;
  bool is_step(const Tracked& job) const;
  void look_at(Tracked& job, const QueueLook& look);
  void look_at_listed(Tracked& job, const slurm::Job& listed);
  void look_at_foreign(Tracked& job, const slurm::Job& listed);
  void begin(Tracked& job);
  void end_without_result(Tracked& job, const slurm::Job& listed);
  /// Ends a job that waits without a chance to start.
  void give_up(Tracked& job, run::StepJobState state, Error error);
  void look_at_missing(Tracked& job, const QueueLook& look);
  bool owner_lives(const slurm::JobClaim& claim, const UserJobs& cluster) const;
  void take_result(Tracked& job, const std::string& text);
  void take_no_outcome(Tracked& job, int code);
  /// Ends a job, and marks it as ended for later callers, with its state or with `mark`.
  void fail_job(Tracked& job, run::StepJobState state, Error error, const std::string& mark = {});
  plan::StepOutcome record_of(const Tracked& job) const;
  void end(Tracked& job, run::Completed completed);
  bool waited_since(std::optional<Time>& begun) const;
  std::chrono::milliseconds interval() const;
  std::string new_submission();
  Done cancel_listed(const std::vector<Tracked*>& open);

  const SlurmSetup setup_;
  const SlurmPorts ports_;
  std::optional<int> largest_array_;
  std::map<std::string, Tracked> jobs_;  ///< by token
  std::vector<std::string> open_;        ///< tokens, needs first; some of them may have ended
  std::vector<std::string> unsent_;      ///< those that were not submitted before the last round
  std::deque<run::Event> events_;
  std::map<std::string, run::Completed> ends_;
  EarlierJobs earlier_;
  QueueWatch queue_;
  /// The submissions and the reasons for waiting for which a warning was given.
  std::set<std::pair<std::string, std::string>> warned_;
  Time next_look_ = {};
  Time next_send_ = {};
  int refusals_ = 0;  ///< temporary refusals in a row
  /// In one array: fewer after temporary refusals, since the cluster may limit a user's jobs.
  size_t most_elements_ = kLargestBatch;
  bool warned_refusal_ = false;
  bool reported_signal_ = false;
  Time changed_ = {};  ///< when a job was submitted or ended
  uint64_t submissions_ = 0;
};

}  // namespace pinwheel::host
