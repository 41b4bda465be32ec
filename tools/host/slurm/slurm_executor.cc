#include "host/slurm/slurm_executor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "host/system/log_tail.h"
#include "run/executor.h"
#include "slurm/classify.h"
#include "slurm/job_class.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using run::StepJobState;
using std::chrono::milliseconds;

/// A signal waits as long as that at most while the controller does not answer.
constexpr milliseconds kListLimit = std::chrono::seconds(10);
constexpr milliseconds kListToCancel = std::chrono::seconds(3);
constexpr size_t kLargestBatch = 1 << 20;

slurm::Doubled doubled(const run::Growth& growth) {
  return {growth.memory, growth.time};
}

int64_t seconds_now(const ports::Clock& clock) {
  return std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()).count();
}

/// The last lines of what Slurm recorded of an element.
std::string end_of(const fs::path& log) {
  constexpr uint64_t kEnd = 4096;
  return host::log_tail(log.string(), kEnd);
}

ErrorKind kind_of(StepJobState state) {
  switch (state) {
    case StepJobState::time_limit:
      return ErrorKind::timeout;
    case StepJobState::out_of_memory:
      return ErrorKind::out_of_memory;
    case StepJobState::canceled:
    case StepJobState::node_failure:
    case StepJobState::preempted:
    case StepJobState::lost:
    case StepJobState::dependency_failed:
      return ErrorKind::transient;
    default:
      return ErrorKind::environment;
  }
}

bool has_started(slurm::JobState state) {
  switch (state) {
    case slurm::JobState::running:
    case slurm::JobState::suspended:
    case slurm::JobState::stopped:
    case slurm::JobState::signaling:
    case slurm::JobState::stage_out:
    case slurm::JobState::resizing:
    case slurm::JobState::completing:
      return true;
    default:
      return false;
  }
}

Error error_of(const slurm::JobVerdict& verdict) {
  return {verdict.kind, verdict.text, std::nullopt, verdict.hint};
}

/// A job that ended in one of these ways may have a result that is not visible here yet.
bool may_have_result(slurm::JobEnd end) {
  return end == slurm::JobEnd::succeeded || end == slurm::JobEnd::program_failed ||
         end == slurm::JobEnd::killed || end == slurm::JobEnd::unknown;
}

StepJobState state_of(slurm::JobEnd end) {
  switch (end) {
    case slurm::JobEnd::out_of_memory:
      return StepJobState::out_of_memory;
    case slurm::JobEnd::time_limit:
      return StepJobState::time_limit;
    case slurm::JobEnd::node_failed:
    case slurm::JobEnd::launch_failed:
      return StepJobState::node_failure;
    case slurm::JobEnd::preempted:
      return StepJobState::preempted;
    case slurm::JobEnd::cancelled:
      return StepJobState::canceled;
    case slurm::JobEnd::dependency_failed:
      return StepJobState::dependency_failed;
    default:
      return StepJobState::lost;
  }
}

}  // namespace

SlurmExecutor::SlurmExecutor(SlurmSetup setup, SlurmPorts ports)
    : setup_(std::move(setup)), ports_(ports) {}

run::Capabilities SlurmExecutor::capabilities() const {
  return {true, kLargestBatch, run::Lifetime::cluster};
}

run::Scheduling SlurmExecutor::scheduling_of(const plan::Step& step) const {
  return slurm::job_kind_of(step) ? run::Scheduling::executor : run::Scheduling::loop;
}

bool SlurmExecutor::can_grow(const plan::Step& step, StepJobState lacked,
                             const run::Growth& so_far) const {
  if (lacked == StepJobState::out_of_memory) {
    return slurm::can_double_memory(step, setup_.settings, doubled(so_far));
  }
  return slurm::can_double_time(step, setup_.settings, doubled(so_far));
}

run::Placement SlurmExecutor::placement_of(const run::StepJob& job) const {
  const fs::path name = job.attempt.log.filename();
  // The job counts its own attempts.
  const std::string stem = name.stem().stem().string();
  const auto request = slurm::job_class_of(*job.attempt.step, setup_.settings, doubled(job.growth));
  return {(ports_.directory.step_logs(job.token) / (stem + ".1.log")).string(), request.cores};
}

std::string SlurmExecutor::token_of(const std::string& plan_digest, const std::string& step,
                                    int number) {
  if (!ended_before_) ended_before_ = ports_.directory.ended();
  const auto [offset, is_new] = offsets_.try_emplace(step, 0);
  if (is_new) {
    while (ended_before_->contains(run::job_token(plan_digest, step, offset->second + 1))) {
      ++offset->second;
    }
  }
  return run::job_token(plan_digest, step, offset->second + number);
}

void SlurmExecutor::submit(const std::vector<run::StepJob>& jobs) {
  for (const run::StepJob& job : jobs) {
    if (scheduling_of(*job.attempt.step) == run::Scheduling::loop) {
      ports_.local.submit({job});
      continue;
    }
    Tracked tracked;
    tracked.job = job;
    tracked.step = job.attempt.step->id;
    if (jobs_.try_emplace(job.token, std::move(tracked)).second) order_.push_back(job.token);
  }
  send_ready();
}

bool SlurmExecutor::attach(Tracked& job) {
  std::optional<slurm::JobClaim> claim = ports_.directory.claim_of(job.job.token);
  if (!claim) return false;
  job.claim = *std::move(claim);
  job.stage = Stage::sent;
  next_look_ = ports_.clock.steady();
  if (job.claim.submission.empty()) return true;
  // The time of grace began when it was submitted, maybe long ago.
  const auto age = std::chrono::seconds(seconds_now(ports_.clock) - job.claim.seconds);
  job.missing = ports_.clock.steady() - std::max(milliseconds(0), milliseconds(age));
  return true;
}

std::optional<std::vector<slurm::ElementRef>> SlurmExecutor::resolved(const Tracked& job) const {
  std::vector<slurm::ElementRef> after;
  for (const std::string& token : job.job.after) {
    const auto need = jobs_.find(token);
    if (need == jobs_.end() || need->second.stage == Stage::unsent) return std::nullopt;
    if (need->second.stage == Stage::ended) {
      if (ends_.contains(token) && ends_.at(token).result) continue;
      return std::nullopt;
    }
    if (need->second.array.empty()) return std::nullopt;
    after.push_back({need->second.array, need->second.claim.index});
  }
  return after;
}

bool SlurmExecutor::needs_failed(const Tracked& job) const {
  return std::ranges::any_of(job.job.after, [this](const std::string& token) {
    const auto ended = ends_.find(token);
    return ended != ends_.end() && !ended->second.result;
  });
}

void SlurmExecutor::send_ready() {
  while (send_round()) {
  }
}

/// Submits the jobs whose needs have ended or are known to Slurm. False if there are none.
bool SlurmExecutor::send_round() {
  std::vector<slurm::ReadyJob> ready;
  bool attached = false;
  for (const std::string& token : order_) {
    Tracked& job = jobs_.at(token);
    if (job.stage != Stage::unsent) continue;
    if (attach(job)) {
      attached = true;
      continue;
    }
    if (needs_failed(job)) {
      end(job, {job.step, fail(ErrorKind::transient, "a job that it needs failed"), token,
                StepJobState::dependency_failed});
      continue;
    }
    const auto after = resolved(job);
    if (!after) continue;
    ready.push_back(
        {token, job.step,
         slurm::job_class_of(*job.job.attempt.step, setup_.settings, doubled(job.job.growth)),
         *after});
  }
  if (!ready.empty() && !largest_array_) largest_array_ = ports_.commands.largest_array();
  for (const slurm::JobArray& array : slurm::plan_arrays(ready, largest_array_.value_or(1))) {
    send(array);
  }
  if (!ready.empty()) {
    changed_ = ports_.clock.steady();
    next_look_ = changed_ + setup_.poll_every;
  }
  return attached || !ready.empty();
}

std::string SlurmExecutor::new_submission() {
  constexpr size_t kSubmissionDigits = 16;
  return sha256_hex(fmt::format("{} {} {} {}", setup_.site.run, ::getpid(),
                                ports_.clock.now().time_since_epoch().count(), ++submissions_))
      .substr(0, kSubmissionDigits);
}

void SlurmExecutor::send(const slurm::JobArray& array) {
  const std::string submission = new_submission();
  std::vector<int> own;
  std::vector<std::string> tokens;
  for (const auto& [index, element] : array.elements) {
    Tracked& job = jobs_.at(element.token);
    const slurm::JobClaim claim{submission, index, seconds_now(ports_.clock)};
    Result<bool> claimed = ports_.directory.claim(element.token, claim);
    if (!claimed) {
      refuse({element.token}, claimed.error());
    } else if (!*claimed) {
      attach(job);
    } else {
      job.claim = claim;
      job.stage = Stage::sent;
      own.push_back(index);
      tokens.push_back(element.token);
    }
  }
  if (own.empty()) return;
  const std::string script = slurm::script_of(array, submission, setup_.site, own);
  if (Done written = ports_.directory.write_script(submission, script); !written) {
    return refuse(tokens, written.error());
  }
  const fs::path file = ports_.directory.path() / "scripts" / (submission + ".sh");
  Result<Submitted> sent = ports_.commands.submit(file.string(), slurm::dependency_text(array));
  if (!sent) return refuse(tokens, sent.error());
  for (const std::string& token : tokens) {
    jobs_.at(token).array = sent->array;
    if (sent->array.empty()) jobs_.at(token).missing = ports_.clock.steady();
  }
}

/// Nothing was submitted: the claims are given back, so that a later run can submit them.
void SlurmExecutor::refuse(const std::vector<std::string>& tokens, const Error& error) {
  for (const std::string& token : tokens) {
    Tracked& job = jobs_.at(token);
    ports_.directory.release(token);
    end(job, {job.step, fail(error), token, StepJobState::failed});
  }
}

run::Event SlurmExecutor::poll(Time deadline) {
  while (true) {
    if (events_.empty() && ports_.clock.steady() >= next_look_) refresh();
    if (!events_.empty()) {
      run::Event event = std::move(events_.front());
      events_.pop_front();
      return event;
    }
    run::Event event = ports_.local.poll(std::min(deadline, next_look_));
    if (!std::holds_alternative<run::Deadline>(event)) return event;
    if (ports_.clock.steady() >= deadline) return event;
  }
}

/// Shorter after a change: a controller has many users, and jobs take hours.
std::chrono::milliseconds SlurmExecutor::interval() const {
  constexpr int kShare = 10;
  const auto quiet =
      std::chrono::duration_cast<milliseconds>(ports_.clock.steady() - changed_) / kShare;
  return std::clamp(quiet, setup_.poll_every, setup_.poll_every * kShare);
}

void SlurmExecutor::refresh() {
  const bool open = std::ranges::any_of(
      jobs_, [](const auto& each) { return each.second.stage != Stage::ended; });
  next_look_ = ports_.clock.steady() + interval();
  if (!open) return;
  const Result<slurm::Listing> listing = ports_.commands.list(kListLimit);
  for (const std::string& token : order_) {
    Tracked& job = jobs_.at(token);
    if (job.stage == Stage::sent) look_at(job, listing ? &*listing : nullptr);
  }
  std::erase_if(order_,
                [this](const std::string& token) { return jobs_.at(token).stage == Stage::ended; });
  send_ready();
}

void SlurmExecutor::look_at(Tracked& job, const slurm::Listing* listing) {
  if (const std::optional<std::string> text = ports_.directory.result_of(job.job.token)) {
    return take_result(job, *text);
  }
  // Another caller was about to write its claim.
  if (job.claim.submission.empty()) {
    job.claim = ports_.directory.claim_of(job.job.token).value_or(slurm::JobClaim{});
  }
  // Nothing is concluded while the controller does not answer.
  if (listing == nullptr) return;
  const auto listed = listing->find({job.claim.submission, job.claim.index});
  if (listed == listing->end()) return look_at_missing(job);
  job.array = slurm::array_of(listed->second);
  look_at_listed(job, listed->second);
}

/// Whether the time of grace is over in which a result may still appear.
bool SlurmExecutor::waited_since(std::optional<Time>& begun) const {
  if (!begun) begun = ports_.clock.steady();
  return ports_.clock.steady() - *begun >= setup_.grace;
}

void SlurmExecutor::look_at_missing(Tracked& job) {
  // Another job may have its number now.
  job.array.clear();
  if (!waited_since(job.missing)) return;
  fail_job(
      job, StepJobState::lost,
      {ErrorKind::transient,
       fmt::format("Slurm does not know the job of {} any more, and it left no result",
                   quoted(job.step)),
       std::nullopt,
       fmt::format("{} must be on a file system that the nodes share", quoted(setup_.site.run))});
}

void SlurmExecutor::look_at_listed(Tracked& job, const slurm::Job& listed) {
  if (slurm::has_ended(listed.state)) return end_without_result(job, listed);
  job.missing.reset();
  if (has_started(listed.state)) {
    if (!std::exchange(job.began, true)) events_.emplace_back(run::Began{job.job.token});
    return;
  }
  const slurm::JobVerdict verdict = slurm::classify_slurm(listed, {});
  if (verdict.end == slurm::JobEnd::dependency_failed) {
    give_up(job, StepJobState::dependency_failed, error_of(verdict));
  } else if (verdict.end == slurm::JobEnd::never_starts) {
    give_up(job, StepJobState::failed, error_of(verdict));
  } else if (verdict.end == slurm::JobEnd::held && !std::exchange(job.held, true) && setup_.warn) {
    setup_.warn(error_of(verdict));
  }
}

void SlurmExecutor::give_up(Tracked& job, StepJobState state, Error error) {
  const Done canceled = ports_.commands.cancel({fmt::format("{}_{}", job.array, job.claim.index)});
  // It is still there at the next look.
  if (!canceled) return;
  fail_job(job, state, std::move(error));
}

void SlurmExecutor::end_without_result(Tracked& job, slurm::Job listed) {
  // squeue does not print how a program ended.
  if (listed.state == slurm::JobState::failed) {
    listed = ports_.commands.describe(listed.id).value_or(listed);
  }
  const fs::path log = ports_.directory.log_of(job.claim.submission, job.claim.index);
  const slurm::JobVerdict verdict = slurm::classify_slurm(listed, end_of(log));
  const StepJobState state = state_of(verdict.end);
  if (!may_have_result(verdict.end)) {
    return fail_job(job, state, {kind_of(state), verdict.text, std::nullopt, verdict.hint});
  }
  if (!waited_since(job.ended)) return;
  const std::string how = verdict.text.empty() ? "its job ended" : verdict.text;
  fail_job(job, state,
           {kind_of(state), fmt::format("{} left no result: {}", quoted(job.step), how),
            std::nullopt, fmt::format("see {}", quoted(log.string()))});
}

Result<run::Success> SlurmExecutor::fetch(const plan::StepOutcome& outcome) {
  run::Success success;
  success.derivations = outcome.derivations;
  success.evidence = outcome.evidence;
  success.warnings = outcome.warnings;
  success.installing = outcome.installing;
  if (outcome.state == plan::StepState::skipped) success.skipped = outcome.reason;
  std::error_code ignored;
  fs::create_directories(setup_.output, ignored);
  for (const plan::Output& output : outcome.outputs) {
    const fs::path target = setup_.output / fs::path(output.path).filename();
    TRY(const bool fetched, ports_.store.fetch_blob({output.sha256, output.size}, target));
    if (!fetched) {
      return fail(ErrorKind::transient,
                  fmt::format("no store has {}, which the job of {} made",
                              quoted(target.filename().string()), quoted(outcome.id)),
                  "the store must be one that all nodes share");
    }
    success.outputs.push_back({target.string(), output.sha256, output.size});
  }
  return success;
}

void SlurmExecutor::take_result(Tracked& job, const std::string& text) {
  const std::string& token = job.job.token;
  Result<slurm::JobResult> parsed = slurm::parse_job_result(text, token, job.step);
  const fs::path log = ports_.directory.log_of(job.claim.submission, job.claim.index);
  if (!parsed) return fail_job(job, StepJobState::lost, parsed.error());
  if (!parsed->outcome) {
    // A result of a need is missing: it was submitted for another job of the same number.
    if (parsed->exit_code == exit_code(ErrorKind::check)) {
      return fail_job(job, StepJobState::dependency_failed,
                      {ErrorKind::check,
                       fmt::format("{} lacks the result of a step that it needs", quoted(job.step)),
                       std::nullopt, fmt::format("see {}", quoted(log.string()))});
    }
    return fail_job(job, StepJobState::failed,
                    {ErrorKind::environment,
                     fmt::format("{} did not run: pinwheel exited with {} in its job",
                                 quoted(job.step), parsed->exit_code),
                     std::nullopt, fmt::format("see {}", quoted(log.string()))});
  }
  const plan::StepOutcome& outcome = *parsed->outcome;
  if (outcome.state == plan::StepState::failed || outcome.state == plan::StepState::blocked) {
    Error error = outcome.error.value_or(Error{ErrorKind::step, outcome.reason});
    ports_.directory.mark_ended(token, "failed");
    return end(job, {job.step, fail(std::move(error)), token, StepJobState::failed, outcome});
  }
  if (outcome.state == plan::StepState::interrupted) {
    return fail_job(job, StepJobState::canceled,
                    {ErrorKind::transient, fmt::format("{} was stopped", quoted(job.step))});
  }
  Result<run::Success> success = fetch(outcome);
  if (!success) return fail_job(job, StepJobState::lost, success.error());
  end(job, {job.step, *std::move(success), token, StepJobState::succeeded, outcome});
}

void SlurmExecutor::fail_job(Tracked& job, StepJobState state, Error error) {
  const std::string& token = job.job.token;
  ports_.directory.mark_ended(token, std::string(to_string(state)));
  plan::StepOutcome record;
  record.id = job.step;
  const fs::path own = ports_.directory.log_of(job.claim.submission, job.claim.index);
  const fs::path step = placement_of(job.job).log.value_or("");
  std::error_code ignored;
  const bool has_own = fs::file_size(step, ignored) == 0 || ignored;
  record.log = has_own ? own.string() : step.string();
  end(job, {job.step, fail(std::move(error)), token, state, std::move(record)});
}

void SlurmExecutor::end(Tracked& job, run::Completed completed) {
  job.stage = Stage::ended;
  changed_ = ports_.clock.steady();
  ends_.insert_or_assign(job.job.token, completed);
  events_.emplace_back(std::move(completed));
}

void SlurmExecutor::cancel(const std::vector<std::string>& tokens) {
  std::vector<Tracked*> open;
  std::vector<std::string> local;
  for (const std::string& token : tokens) {
    const auto found = jobs_.find(token);
    if (found == jobs_.end()) {
      local.push_back(token);
    } else if (found->second.stage != Stage::ended) {
      open.push_back(&found->second);
    }
  }
  if (!local.empty()) ports_.local.cancel(local);
  if (open.empty()) return;
  const Result<slurm::Listing> listing = ports_.commands.list(kListToCancel);
  std::vector<std::string> elements;
  for (const Tracked* const job : open) {
    if (!listing || job->stage != Stage::sent) continue;
    const auto listed = listing->find({job->claim.submission, job->claim.index});
    if (listed == listing->end()) continue;
    elements.push_back(listed->second.id);
  }
  Done canceled = listing ? ports_.commands.cancel(elements) : Done(fail(listing.error()));
  if (!canceled && setup_.warn) {
    setup_.warn(Error(canceled.error())
                    .with_hint("jobs may be left: `squeue --me` lists them when the controller "
                               "answers"));
  }
  for (Tracked* const job : open) {
    if (job->stage == Stage::sent) ports_.directory.mark_ended(job->job.token, "canceled");
    end(*job, {job->step, fail(ErrorKind::interrupted, "the job was canceled"), job->job.token,
               StepJobState::canceled});
  }
}

std::optional<run::Completed> SlurmExecutor::collect(const std::string& token) const {
  const auto end = ends_.find(token);
  if (end != ends_.end()) return end->second;
  return ports_.local.collect(token);
}

}  // namespace pinwheel::host
