#include "base/crew.h"

#include <algorithm>
#include <utility>

namespace pinwheel {

// There is no deadlock: a thread waits here only while another one processes a piece, and that
// thread never waits.

namespace {

// Enough that a helper checks for work only rarely during its own job, yet little memory.
constexpr size_t kWaiting = 8;

}  // namespace

bool Crew::help(Lock& lock, const Relay* than) {
  for (Relay* const relay : relays_) {
    if (relay == than) return false;
    if (!relay->has_work()) continue;
    relay->process_next(lock);
    return true;
  }
  return false;
}

Relay::Relay(Crew& crew, uint64_t length, Process process)
    : crew_(crew), length_(length), process_(std::move(process)) {
  const Crew::Lock lock = crew_.lock();
  std::vector<Relay*>& relays = crew_.relays_;
  const auto shorter = std::find_if(relays.begin(), relays.end(),
                                    [length](const Relay* each) { return each->length_ < length; });
  relays.insert(shorter, this);
}

Relay::~Relay() {
  Crew::Lock lock = crew_.lock();
  waiting_.clear();
  while (is_busy_) crew_.wait(lock);
  crew_.relays_.erase(std::find(crew_.relays_.begin(), crew_.relays_.end(), this));
}

std::string Relay::buffer() {
  const Crew::Lock lock = crew_.lock();
  if (used_.empty()) return {};
  std::string out = std::move(used_.back());
  used_.pop_back();
  return out;
}

void Relay::push(std::string piece) {
  Crew::Lock lock = crew_.lock();
  if (failure_) std::rethrow_exception(failure_);
  waiting_.push_back(std::move(piece));
  // A thread that wakes up while this one has the lock would only wait again.
  lock.unlock();
  crew_.announce();
  lock.lock();
  while (crew_.help(lock, this)) {
  }
  process_until(kWaiting, lock);
}

void Relay::finish() {
  Crew::Lock lock = crew_.lock();
  process_until(0, lock);
}

/// Returns when at most that many pieces wait; with 0, also only when none is being processed.
void Relay::process_until(size_t most_waiting, Crew::Lock& lock) {
  while (waiting_.size() > most_waiting || (most_waiting == 0 && is_busy_)) {
    if (has_work()) {
      process_next(lock);
    } else {
      crew_.wait(lock);
    }
  }
  if (failure_) std::rethrow_exception(failure_);
}

void Relay::process_next(Crew::Lock& lock) {
  is_busy_ = true;
  std::string piece = std::move(waiting_.front());
  waiting_.pop_front();
  lock.unlock();
  std::exception_ptr failure;
  try {
    process_(piece);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  is_busy_ = false;
  used_.push_back(std::move(piece));
  if (failure) {
    failure_ = failure;
    waiting_.clear();
  }
  crew_.announce();
}

}  // namespace pinwheel
