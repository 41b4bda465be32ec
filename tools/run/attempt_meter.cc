#include "run/attempt_meter.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pinwheel::run {

using std::chrono::milliseconds;

AttemptMeter::AttemptMeter(std::string worker, Now now) : now_(std::move(now)) {
  trace_.worker = std::move(worker);
  trace_.queued = now_();
  waits_since_ = *trace_.queued;
}

void AttemptMeter::end_wait() {
  const plan::TraceTime now = now_();
  if (wait_) wait_->spent = now - waits_since_;
  if (wait_ && wait_->spent.count() > 0) trace_.waits.push_back(*wait_);
  wait_.reset();
  waits_since_ = now;
}

void AttemptMeter::wait_for(plan::WaitCause cause, const std::string& on) {
  const std::scoped_lock lock(mutex_);
  if (wait_ && wait_->cause == cause && wait_->on == on) return;
  end_wait();
  wait_ = plan::TracedWait{cause, on};
}

void AttemptMeter::name_wait(const std::string& on) {
  const std::scoped_lock lock(mutex_);
  if (wait_) wait_->on = on;
}

void AttemptMeter::start(int cores, std::optional<uint64_t> memory) {
  const std::scoped_lock lock(mutex_);
  end_wait();
  trace_.ran = plan::TraceSpan{waits_since_, waits_since_};
  trace_.cores = cores;
  trace_.memory = memory;
}

void AttemptMeter::enter(plan::StepPhase phase) {
  const std::scoped_lock lock(mutex_);
  const plan::TraceTime now = now_();
  auto& phases = trace_.phases;
  if (!phases.empty()) phases.back().span.completed = now;
  const auto entered = std::ranges::find(phases, phase, &plan::TracedPhase::phase);
  if (entered == phases.end()) {
    phases.push_back({phase, {now, now}});
  } else {
    phases.erase(entered + 1, phases.end());
  }
}

void AttemptMeter::add_lock(milliseconds waited) {
  if (waited.count() <= 0) return;
  const std::scoped_lock lock(mutex_);
  auto& waits = trace_.waits;
  if (waits.empty() || waits.back().cause != plan::WaitCause::lock) {
    waits.push_back({plan::WaitCause::lock});
  }
  waits.back().spent += waited;
}

void AttemptMeter::add_process(const ports::Exit& exit) {
  const std::scoped_lock lock(mutex_);
  if (exit.peak_memory > 0) {
    trace_.peak_memory = std::max(trace_.peak_memory.value_or(0), exit.peak_memory);
  }
  if (exit.cpu_time) trace_.cpu_time = trace_.cpu_time.value_or(milliseconds(0)) + *exit.cpu_time;
}

void AttemptMeter::add_sent(uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  trace_.sent = trace_.sent.value_or(0) + bytes;
}

void AttemptMeter::add_fetched(uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  trace_.fetched = trace_.fetched.value_or(0) + bytes;
}

void AttemptMeter::add_hits(const plan::CacheHits& hits) {
  if (hits.hits == 0 && hits.misses == 0) return;
  const std::scoped_lock lock(mutex_);
  auto& caches = trace_.caches;
  auto found = std::ranges::lower_bound(caches, hits.cache, {}, &plan::CacheHits::cache);
  if (found == caches.end() || found->cache != hits.cache) {
    found = caches.insert(found, plan::CacheHits{hits.cache});
  }
  found->hits += hits.hits;
  found->misses += hits.misses;
}

void AttemptMeter::add_commands(std::vector<plan::TracedCommand> commands) {
  const std::scoped_lock lock(mutex_);
  commands_.insert(commands_.end(), std::move_iterator(commands.begin()),
                   std::move_iterator(commands.end()));
}

plan::AttemptTrace AttemptMeter::trace() const {
  const std::scoped_lock lock(mutex_);
  plan::AttemptTrace trace = trace_;
  const plan::TraceTime now = now_();
  if (trace.ran) trace.ran->completed = now;
  if (!trace.phases.empty()) trace.phases.back().span.completed = now;
  plan::list_commands(trace, commands_);
  return trace;
}

AttemptMeter::Now run_time(const ports::Clock& clock) {
  const auto wall = std::chrono::floor<milliseconds>(clock.now());
  return [&clock, wall, begun = clock.steady()] {
    return wall + std::chrono::duration_cast<milliseconds>(clock.steady() - begun);
  };
}

}  // namespace pinwheel::run
