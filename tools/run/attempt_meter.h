#pragma once
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plan/attempt_trace.h"
#include "ports/clock.h"
#include "ports/process.h"

namespace pinwheel::run {

/// Measures one attempt of a step, from the time when it is queued to its end. The executor reports
/// waits and the start, the thread of the step its phases and processes. Thread-safe.
class AttemptMeter {
 public:
  using Now = std::function<plan::TraceTime()>;

  /// The attempt is queued. `now` never decreases, and may be called by any thread.
  AttemptMeter(std::string worker, Now now);

  /// From now on the attempt waits for this, instead of what it waited for so far.
  void wait_for(plan::WaitCause cause, const std::string& on = {});
  /// Sets the name of what it has waited for.
  void name_wait(const std::string& on);
  /// The attempt starts with these resources; no reserved memory: nullopt.
  void start(int cores, std::optional<uint64_t> memory);

  /// Ends the current phase and begins this one. A phase that was entered before goes on, with what
  /// was between.
  void enter(plan::StepPhase phase);
  void add_lock(std::chrono::milliseconds waited);
  void add_process(const ports::Exit& exit);
  void add_sent(uint64_t bytes);
  void add_fetched(uint64_t bytes);
  /// Adds to the uses of the cache of that name.
  void add_hits(const plan::CacheHits& hits);
  /// Adds commands of a build.
  void add_commands(std::vector<plan::TracedCommand> commands);

  /// What was measured until now.
  plan::AttemptTrace trace() const;

 private:
  void end_wait();

  const Now now_;
  mutable std::mutex mutex_;
  plan::AttemptTrace trace_;  ///< guarded by mutex_, as everything below
  std::optional<plan::TracedWait> wait_;
  plan::TraceTime waits_since_;
  std::vector<plan::TracedCommand> commands_;
};

/// The time of a run: the wall clock when this is called, plus steady time, so that it never
/// decreases. For any thread; the clock must outlive it.
AttemptMeter::Now run_time(const ports::Clock& clock);

}  // namespace pinwheel::run
