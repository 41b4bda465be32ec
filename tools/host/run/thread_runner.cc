#include "host/run/thread_runner.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/text.h"

namespace pinwheel::host {
namespace {

Result<run::Success> execute_run(const ThreadRunner::Work& work, const run::Attempt& attempt,
                                 const std::stop_token& stop) {
  try {
    return work(attempt, stop);
  } catch (const std::exception& thrown) {
    return fail(ErrorKind::internal,
                fmt::format("step {} threw: {}", quoted(attempt.step->id), thrown.what()),
                "this is a bug in pinwheel; please report it");
  }
}

}  // namespace

ThreadRunner::ThreadRunner(Work work) : work_(std::move(work)) {}

ThreadRunner::~ThreadRunner() {
  for (auto& [token, thread] : threads_) thread.request_stop();
}

void ThreadRunner::submit(const std::vector<run::StepJob>& jobs) {
  for (const run::StepJob& job : jobs) {
    if (jobs_.add(job)) start(job);
  }
}

void ThreadRunner::start(const run::StepJob& job) {
  threads_[job.token] =
      std::jthread([this, attempt = job.attempt, token = job.token](const std::stop_token& stop) {
        Result<run::Success> result = execute_run(work_, attempt, stop);
        const run::StepJobState state =
            result ? run::StepJobState::succeeded : run::StepJobState::failed;
        post(run::Completed{attempt.step->id, std::move(result), token, state});
      });
}

run::Event ThreadRunner::poll(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!changed_.wait_until(lock, deadline, [this] { return !events_.empty(); })) {
    return run::Deadline{};
  }
  run::Event event = std::move(events_.front());
  events_.pop_front();
  lock.unlock();
  if (const run::Completed* completed = std::get_if<run::Completed>(&event)) {
    jobs_.end(*completed);
    threads_.erase(completed->token);
  }
  return event;
}

void ThreadRunner::cancel(const std::vector<std::string>& tokens) {
  for (const std::string& token : tokens) {
    const auto running = threads_.find(token);
    if (running != threads_.end()) running->second.request_stop();
  }
}

std::optional<run::Completed> ThreadRunner::collect(const std::string& token) const {
  return jobs_.find(token);
}

void ThreadRunner::interrupt(int signal) {
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.push_front(run::Interrupted{signal});
  changed_.notify_all();
}

void ThreadRunner::post(run::Event event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.push_back(std::move(event));
  changed_.notify_all();
}

}  // namespace pinwheel::host
