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
  cancel_all();
}

void ThreadRunner::start(const run::Attempt& attempt) {
  // A later attempt of a step replaces the thread of an earlier one, which has reported its
  // completion.
  threads_[attempt.step->id] = std::jthread([this, attempt](const std::stop_token& stop) {
    post(run::Completed{attempt.step->id, execute_run(work_, attempt, stop)});
  });
}

run::Event ThreadRunner::wait(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!changed_.wait_until(lock, deadline, [this] { return !events_.empty(); })) {
    return run::Deadline{};
  }
  run::Event event = std::move(events_.front());
  events_.pop_front();
  lock.unlock();
  if (const run::Completed* completed = std::get_if<run::Completed>(&event)) {
    threads_.erase(completed->step);
  }
  return event;
}

void ThreadRunner::cancel_all() {
  for (auto& [id, thread] : threads_) thread.request_stop();
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
