#include "host/slurm/slurm_executor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "host/slurm/fetch_result.h"
#include "host/system/log_tail.h"
#include "run/executor.h"
#include "slurm/classify.h"
#include "slurm/job_class.h"
#include "slurm/not_run.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using run::StepJobState;
using std::chrono::milliseconds;

constexpr milliseconds kListToCancel = std::chrono::seconds(3);
/// The longest time between two submissions that the cluster refuses temporarily.
constexpr milliseconds kLongestDelay = std::chrono::minutes(1);

slurm::Doubled doubled(const run::Growth& growth) {
  return {growth.memory, growth.time};
}

int64_t seconds_now(const ports::Clock& clock) {
  return std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()).count();
}

/// The last lines of the output that Slurm recorded for an element.
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

/// A job that ended in one of these ways should have a result.
bool should_have_result(slurm::JobEnd end) {
  return end == slurm::JobEnd::succeeded || end == slurm::JobEnd::program_failed ||
         end == slurm::JobEnd::killed || end == slurm::JobEnd::unknown;
}

/// Whether a job never started, or reports that it has no result. The result of any other job may
/// not be visible here yet: slurmstepd can report a lack of memory after a success, too.
bool has_no_result(const slurm::Job& job) {
  return job.exit_code == slurm::kNoResult ||
         slurm::classify_slurm(job, {}).end == slurm::JobEnd::dependency_failed;
}

/// Whether a process of this machine has ended.
bool is_gone(int64_t process) {
  return ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
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
    : setup_(std::move(setup)),
      ports_(ports),
      earlier_(ports.directory),
      queue_(ports.commands, ports.clock, setup_.warn) {}

run::Capabilities SlurmExecutor::capabilities() const {
  return {true, kLargestBatch, run::Lifetime::cluster};
}

run::Scheduling SlurmExecutor::scheduling_of(const plan::Step& step) const {
  return slurm::job_kind_of(step) ? run::Scheduling::executor : run::Scheduling::loop;
}

bool SlurmExecutor::can_grow(const plan::Step& step, StepJobState lacked,
                             const run::Growth& so_far) const {
  const run::Growth before = earlier_.growth_of(step.id);
  const run::Growth whole{so_far.memory + before.memory, so_far.time + before.time};
  if (lacked == StepJobState::out_of_memory) {
    return slurm::can_double_memory(step, setup_.settings, doubled(whole));
  }
  return slurm::can_double_time(step, setup_.settings, doubled(whole));
}

/// Includes the growth that the jobs of earlier callers led to.
run::Growth SlurmExecutor::growth_of(const run::StepJob& job) const {
  const run::Growth before = earlier_.growth_of(job.attempt.step->id);
  return {job.growth.memory + before.memory, job.growth.time + before.time};
}

run::Placement SlurmExecutor::placement_of(const run::StepJob& job) const {
  const fs::path name = job.attempt.log.filename();
  // The job itself counts its attempts.
  const std::string stem = name.stem().stem().string();
  const auto request =
      slurm::job_class_of(*job.attempt.step, setup_.settings, doubled(growth_of(job)));
  return {(ports_.directory.step_logs(job.token) / (stem + ".1.log")).string(), request.cores};
}

std::string SlurmExecutor::token_of(const std::string& plan_digest, const std::string& step,
                                    int number) {
  return run::job_token(plan_digest, step, earlier_.find(plan_digest, step).ended + number);
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
    if (!jobs_.try_emplace(job.token, std::move(tracked)).second) continue;
    open_.push_back(job.token);
    unsent_.push_back(job.token);
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
  // The grace period began when it was submitted, maybe long ago.
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
  while (!interrupted() && send_round()) {
  }
}

bool SlurmExecutor::may_send() const {
  return !interrupted() && ports_.clock.steady() >= next_send_;
}

/// The jobs whose needs have ended or are known to Slurm.
SlurmExecutor::Round SlurmExecutor::next_round() {
  Round round;
  const std::set<std::string> claimed = ports_.directory.claimed();
  for (const std::string& token : unsent_) {
    Tracked& job = jobs_.at(token);
    if (claimed.contains(token) && attach(job)) {
      round.progressed = true;
      continue;
    }
    if (needs_failed(job)) {
      end(job, {job.step, fail(ErrorKind::transient, "a job that it needs failed"), token,
                StepJobState::dependency_failed});
      round.progressed = true;
      continue;
    }
    const auto after = resolved(job);
    if (!after) continue;
    round.ready.push_back(
        {token, job.step,
         slurm::job_class_of(*job.job.attempt.step, setup_.settings, doubled(growth_of(job.job))),
         *after});
  }
  return round;
}

/// Submits these jobs. False if nothing changed, so another round would not change anything either.
bool SlurmExecutor::send_round() {
  std::erase_if(
      unsent_, [this](const std::string& token) { return jobs_.at(token).stage != Stage::unsent; });
  if (unsent_.empty()) return false;
  const Round round = next_round();
  bool progressed = round.progressed;
  if (round.ready.empty() || !may_send()) return progressed;
  if (!largest_array_) largest_array_ = ports_.commands.largest_array();
  for (const slurm::JobArray& array : slurm::plan_arrays(round.ready, *largest_array_)) {
    progressed = send_in_parts(array) || progressed;
  }
  if (progressed) {
    changed_ = ports_.clock.steady();
    next_look_ = changed_ + setup_.poll_every;
  }
  return progressed;
}

bool SlurmExecutor::send_in_parts(const slurm::JobArray& array) {
  bool progressed = false;
  for (auto next = array.elements.begin(); next != array.elements.end() && may_send();) {
    slurm::JobArray part{array.request, {}, array.corresponds_to, array.after};
    while (next != array.elements.end() && part.elements.size() < most_elements_) {
      part.elements.insert(*next++);
    }
    progressed = send(part) || progressed;
  }
  return progressed;
}

std::string SlurmExecutor::new_submission() {
  constexpr size_t kSubmissionDigits = 16;
  return sha256_hex(fmt::format("{} {} {} {}", setup_.site.run, ::getpid(),
                                ports_.clock.now().time_since_epoch().count(), ++submissions_))
      .substr(0, kSubmissionDigits);
}

SlurmExecutor::Claimed SlurmExecutor::claim_elements(const slurm::JobArray& array,
                                                     const std::string& submission) {
  Claimed claimed;
  for (const auto& [index, element] : array.elements) {
    if (interrupted()) break;
    Tracked& job = jobs_.at(element.token);
    slurm::JobClaim claim{submission, index, seconds_now(ports_.clock)};
    if (!setup_.allocation.empty()) {
      claim.allocation = setup_.allocation;
      claim.host = setup_.host;
      claim.process = ::getpid();
    }
    const Result<bool> is_new = ports_.directory.claim(element.token, claim);
    if (!is_new) {
      refuse({element.token}, is_new.error());
      claimed.progressed = true;
    } else if (!*is_new) {
      claimed.progressed = attach(job) || claimed.progressed;
    } else {
      job.claim = claim;
      job.stage = Stage::sent;
      claimed.indexes.push_back(index);
      claimed.tokens.push_back(element.token);
    }
  }
  return claimed;
}

/// Submits an array. False if nothing changed.
bool SlurmExecutor::send(const slurm::JobArray& array) {
  const std::string submission = new_submission();
  const Claimed own = claim_elements(array, submission);
  if (own.tokens.empty()) return own.progressed;
  if (interrupted()) {
    give_back(own.tokens);
    return own.progressed;
  }
  const std::string script = slurm::script_of(array, submission, setup_.site, own.indexes);
  if (Done written = ports_.directory.write_script(submission, script); !written) {
    refuse(own.tokens, written.error());
    return true;
  }
  const fs::path file = ports_.directory.path() / "scripts" / (submission + ".sh");
  const Result<Submitted> sent =
      ports_.commands.submit(file.string(), slurm::dependency_text(array));
  if (!sent && sent.error().kind == ErrorKind::transient) {
    postpone(own.tokens, sent.error());
    return own.progressed;
  }
  if (!sent) {
    refuse(own.tokens, sent.error());
    return true;
  }
  refusals_ = 0;
  most_elements_ = std::min(most_elements_ * 2, kLargestBatch);
  for (const std::string& token : own.tokens) {
    jobs_.at(token).array = sent->array;
    if (sent->array.empty()) jobs_.at(token).missing = ports_.clock.steady();
  }
  return true;
}

/// Nothing was submitted: removes the claims, so that these jobs can be submitted again.
void SlurmExecutor::give_back(const std::vector<std::string>& tokens) {
  for (const std::string& token : tokens) {
    Tracked& job = jobs_.at(token);
    ports_.directory.release(token);
    job.stage = Stage::unsent;
    job.claim = {};
  }
}

void SlurmExecutor::postpone(const std::vector<std::string>& tokens, const Error& error) {
  give_back(tokens);
  most_elements_ = std::max<size_t>(1, tokens.size() / 2);
  constexpr int kMostDoublings = 10;
  const milliseconds delay = setup_.poll_every * (1 << std::min(refusals_++, kMostDoublings));
  next_send_ = ports_.clock.steady() + std::min(delay, kLongestDelay);
  if (!std::exchange(warned_refusal_, true) && setup_.warn) setup_.warn(error);
}

void SlurmExecutor::refuse(const std::vector<std::string>& tokens, const Error& error) {
  give_back(tokens);
  for (const std::string& token : tokens) {
    Tracked& job = jobs_.at(token);
    end(job, {job.step, fail(error), token, StepJobState::failed});
  }
}

run::Event SlurmExecutor::poll(Time deadline) {
  while (true) {
    if (interrupted() && !std::exchange(reported_signal_, true)) {
      run::Event event = ports_.local.poll(ports_.clock.steady());
      if (!std::holds_alternative<run::Deadline>(event)) return event;
    }
    if (events_.empty() && !interrupted() && ports_.clock.steady() >= next_look_) refresh();
    if (!events_.empty()) {
      run::Event event = std::move(events_.front());
      events_.pop_front();
      return event;
    }
    run::Event event = ports_.local.poll(interrupted() ? deadline : std::min(deadline, next_look_));
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
  std::erase_if(open_,
                [this](const std::string& token) { return jobs_.at(token).stage == Stage::ended; });
  next_look_ = ports_.clock.steady() + interval();
  if (open_.empty()) return;
  const QueueLook look = queue_.look(ports_.directory.with_result(),
                                     [this](const QueueLook& seen) { return needs_all(seen); });
  for (const std::string& token : open_) {
    if (interrupted()) return;
    Tracked& job = jobs_.at(token);
    if (job.stage == Stage::sent) look_at(job, look);
  }
  send_ready();
}

/// Whether there are jobs that the list of this caller's jobs does not include.
bool SlurmExecutor::needs_all(const QueueLook& seen) const {
  return std::ranges::any_of(open_, [&](const std::string& token) {
    const Tracked& job = jobs_.at(token);
    return job.stage == Stage::sent && is_step(job) && !seen.results.contains(token) &&
           !seen.listing->contains({job.claim.submission, job.claim.index});
  });
}

/// Whether this job, or all jobs of this caller, are steps of another job, which the queue does not
/// list.
bool SlurmExecutor::is_step(const Tracked& job) const {
  return !setup_.allocation.empty() || !job.claim.allocation.empty();
}

void SlurmExecutor::look_at(Tracked& job, const QueueLook& look) {
  // Another caller was about to write its claim.
  if (job.claim.submission.empty()) {
    job.claim = ports_.directory.claim_of(job.job.token).value_or(slurm::JobClaim{});
  }
  const std::pair<std::string, int> name{job.claim.submission, job.claim.index};
  const slurm::Job* listed = nullptr;
  const slurm::Job* foreign = nullptr;
  if (look.listing && look.listing->contains(name)) listed = &look.listing->at(name);
  if (look.cluster && look.cluster->elements.contains(name)) {
    foreign = &look.cluster->elements.at(name);
  }
  const slurm::Job* const known = listed == nullptr ? foreign : listed;
  // The list of results may be old.
  const bool may_have_one = look.results.contains(job.job.token) ||
                            (look.listing && (known == nullptr || slurm::has_ended(known->state)));
  if (may_have_one) {
    const std::optional<std::string> text = ports_.directory.result_of(job.job.token);
    if (text) return take_result(job, *text);
  }
  // Nothing is concluded while the controller does not answer.
  if (!look.listing) return;
  if (listed == nullptr) {
    // Another job may have its number now.
    job.array.clear();
    return foreign == nullptr ? look_at_missing(job, look) : look_at_foreign(job, *foreign);
  }
  job.array = slurm::array_of(*listed);
  look_at_listed(job, *listed);
}

/// Whether the grace period is over, so a result will not appear any more.
bool SlurmExecutor::waited_since(std::optional<Time>& begun) const {
  if (!begun) begun = ports_.clock.steady();
  return ports_.clock.steady() - *begun >= setup_.grace;
}

/// Whether the caller of a step may still run: its job has not ended, and nothing shows that the
/// caller has ended.
bool SlurmExecutor::owner_lives(const slurm::JobClaim& claim, const UserJobs& cluster) const {
  const bool gone = claim.host == setup_.host && is_gone(claim.process);
  return !gone && cluster.living.contains(claim.allocation);
}

void SlurmExecutor::look_at_missing(Tracked& job, const QueueLook& look) {
  // The controller has forgotten it since.
  if (job.last) return end_without_result(job, *job.last);
  if (is_step(job)) {
    if (!look.cluster) return;
    if (owner_lives(job.claim, *look.cluster)) return job.missing.reset();
  }
  if (!waited_since(job.missing)) return;
  fail_job(
      job, StepJobState::lost,
      {ErrorKind::transient,
       fmt::format("Slurm no longer knows the job of {}, and it left no result", quoted(job.step)),
       std::nullopt,
       fmt::format("{} must be on a file system that the nodes share", quoted(setup_.site.run))});
}

/// A job of another caller that is outside of this job, so that nothing of this caller can depend
/// on it or cancel it.
void SlurmExecutor::look_at_foreign(Tracked& job, const slurm::Job& listed) {
  if (slurm::has_ended(listed.state)) return end_without_result(job, listed);
  job.missing.reset();
  if (has_started(listed.state)) begin(job);
}

void SlurmExecutor::begin(Tracked& job) {
  if (!std::exchange(job.began, true)) events_.emplace_back(run::Began{job.job.token});
}

void SlurmExecutor::look_at_listed(Tracked& job, const slurm::Job& listed) {
  if (slurm::has_ended(listed.state)) return end_without_result(job, listed);
  job.missing.reset();
  if (has_started(listed.state)) return begin(job);
  const slurm::JobVerdict verdict = slurm::classify_slurm(listed, {});
  if (verdict.end == slurm::JobEnd::dependency_failed) {
    give_up(job, StepJobState::dependency_failed, error_of(verdict));
  } else if (verdict.end == slurm::JobEnd::never_starts) {
    give_up(job, StepJobState::failed, error_of(verdict));
  } else if (slurm::waits_for_person(verdict) && setup_.warn &&
             warned_.emplace(job.claim.submission, listed.reason).second) {
    setup_.warn(error_of(verdict));
  }
}

void SlurmExecutor::give_up(Tracked& job, StepJobState state, Error error) {
  const Done canceled = ports_.commands.cancel({fmt::format("{}_{}", job.array, job.claim.index)});
  // It is still there at the next look.
  if (!canceled) return;
  fail_job(job, state, std::move(error), state == StepJobState::failed ? kNeverStarts : "");
}

void SlurmExecutor::end_without_result(Tracked& job, const slurm::Job& listed) {
  if (!job.last) {
    job.last = listed;
    // squeue does not print how a program ended.
    if (listed.state == slurm::JobState::failed) {
      job.last = ports_.commands.describe(listed.id).value_or(listed);
    }
  }
  if (!has_no_result(*job.last) && !waited_since(job.ended)) return;
  const fs::path log = ports_.directory.log_of(job.claim.submission, job.claim.index);
  const slurm::JobVerdict verdict = slurm::classify_slurm(*job.last, end_of(log));
  const StepJobState state = state_of(verdict.end);
  if (!should_have_result(verdict.end)) {
    return fail_job(job, state, {kind_of(state), verdict.text, std::nullopt, verdict.hint});
  }
  const std::string how = verdict.text.empty() ? "its job ended" : verdict.text;
  fail_job(job, state,
           {kind_of(state), fmt::format("{} left no result: {}", quoted(job.step), how),
            std::nullopt, fmt::format("see {}", quoted(log.string()))});
}

void SlurmExecutor::take_result(Tracked& job, const std::string& text) {
  const std::string& token = job.job.token;
  Result<slurm::JobResult> parsed = slurm::parse_job_result(text, token, job.step);
  if (!parsed) return fail_job(job, StepJobState::lost, parsed.error());
  if (!parsed->outcome) return take_no_outcome(job, parsed->exit_code);
  const plan::StepOutcome& outcome = *parsed->outcome;
  if (outcome.state == plan::StepState::failed || outcome.state == plan::StepState::blocked) {
    Error error = outcome.error.value_or(Error{ErrorKind::step, outcome.reason});
    const bool lacked_memory = error.kind == ErrorKind::out_of_memory;
    const StepJobState mark = lacked_memory ? StepJobState::out_of_memory : StepJobState::failed;
    ports_.directory.mark_ended(token, std::string(to_string(mark)));
    return end(job, {job.step, fail(std::move(error)), token, StepJobState::failed, outcome});
  }
  if (outcome.state == plan::StepState::unfinished) {
    Error error = outcome.error.value_or(Error{ErrorKind::unfinished, outcome.reason});
    ports_.directory.mark_ended(token, std::string(to_string(StepJobState::unfinished)));
    return end(job, {job.step, fail(std::move(error)), token, StepJobState::unfinished, outcome});
  }
  if (outcome.state == plan::StepState::interrupted) {
    return fail_job(job, StepJobState::canceled,
                    {ErrorKind::transient, fmt::format("{} was stopped", quoted(job.step))});
  }
  Result<run::Success> success = fetch_result(outcome, ports_.store, setup_.output, setup_.stop);
  if (success) {
    return end(job, {job.step, *std::move(success), token, StepJobState::succeeded, outcome});
  }
  const Error& error = success.error();
  if (error.kind == ErrorKind::interrupted) return;
  if (error.kind == ErrorKind::transient) {
    // A network file system may not show the files of the job yet.
    if (waited_since(job.fetching)) fail_job(job, StepJobState::lost, error);
    return;
  }
  // The result is good: there is no mark, so that the next run fetches it.
  end(job, {job.step, fail(error), token, StepJobState::failed, outcome});
}

/// pinwheel ended in the job before it ran the step.
void SlurmExecutor::take_no_outcome(Tracked& job, int code) {
  const fs::path log = ports_.directory.log_of(job.claim.submission, job.claim.index);
  // A result of a need is missing: it was submitted for another job of the same number.
  if (code == exit_code(ErrorKind::check)) {
    return fail_job(job, StepJobState::dependency_failed,
                    {ErrorKind::check,
                     fmt::format("{} lacks the result of a step that it needs", quoted(job.step)),
                     std::nullopt, fmt::format("see {}", quoted(log.string()))});
  }
  fail_job(job, StepJobState::failed, slurm::not_run(job.step, code, end_of(log), log.string()));
}

/// What this machine knows about a job without a result.
plan::StepOutcome SlurmExecutor::record_of(const Tracked& job) const {
  plan::StepOutcome record;
  record.id = job.step;
  const fs::path own = ports_.directory.log_of(job.claim.submission, job.claim.index);
  const fs::path step = placement_of(job.job).log.value_or("");
  std::error_code ignored;
  const bool has_own = fs::file_size(step, ignored) == 0 || ignored;
  record.log = has_own ? own.string() : step.string();
  if (job.last && job.last->started > 0 && job.last->ended > job.last->started) {
    record.elapsed = std::chrono::seconds(job.last->ended - job.last->started);
  }
  return record;
}

void SlurmExecutor::fail_job(Tracked& job, StepJobState state, Error error,
                             const std::string& mark) {
  const std::string& token = job.job.token;
  ports_.directory.mark_ended(token, mark.empty() ? std::string(to_string(state)) : mark);
  end(job, {job.step, fail(std::move(error)), token, state, record_of(job)});
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
  const Done canceled = cancel_listed(open);
  if (!canceled && setup_.warn) {
    setup_.warn(Error(canceled.error())
                    .with_hint("jobs may remain, and the next run finds them; `squeue --me` lists "
                               "them when the controller answers"));
  }
  for (Tracked* const job : open) {
    end(*job, {job->step, fail(ErrorKind::interrupted, "the job was canceled"), job->job.token,
               StepJobState::canceled});
  }
}

/// Cancels the jobs that the controller knows now. Only these are marked: a later caller finds the
/// others, which may run.
Done SlurmExecutor::cancel_listed(const std::vector<Tracked*>& open) {
  TRY(const slurm::Listing listing, ports_.commands.list(kListToCancel));
  std::vector<std::string> elements;
  std::vector<std::string> tokens;
  for (const Tracked* const job : open) {
    if (job->stage != Stage::sent) continue;
    const auto listed = listing.find({job->claim.submission, job->claim.index});
    // One that has ended may have a result.
    if (listed == listing.end() || slurm::has_ended(listed->second.state)) continue;
    elements.push_back(listed->second.id);
    tokens.push_back(job->job.token);
  }
  TRY_DONE(ports_.commands.cancel(elements));
  for (const std::string& token : tokens) ports_.directory.mark_ended(token, "canceled");
  return {};
}

std::optional<run::Completed> SlurmExecutor::collect(const std::string& token) const {
  const auto end = ends_.find(token);
  if (end != ends_.end()) return end->second;
  return ports_.local.collect(token);
}

}  // namespace pinwheel::host
