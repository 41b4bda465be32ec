#include "host/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Several threads, because servers respond slowly but are not busy, and a digest takes as long as
/// a copy.
constexpr size_t kWriters = 4;

constexpr int kMostFaults = 3;

store::Address address_of(const EntryQuery& query, store::Domain domain) {
  if (!query.key.empty()) return store::entry_address(domain, query.key);
  return store::hand_off_address(domain, query.plan, query.step);
}

/// The addresses at which an entry is written: its key, and its step of a frozen plan.
std::vector<store::Address> addresses_of(const store::Entry& entry) {
  const store::Domain domain = entry.writer.domain;
  std::vector<store::Address> out = {store::entry_address(domain, entry.key)};
  if (!entry.plan.empty()) {
    out.push_back(store::hand_off_address(domain, entry.plan, entry.step));
  }
  return out;
}

/// Whether an entry is the requested one, and of the domain of its address.
bool answers(const store::Entry& entry, store::Domain domain, const EntryQuery& query) {
  if (entry.writer.domain != domain) return false;
  if (!query.key.empty()) return entry.key == query.key;
  return entry.plan == query.plan && entry.step == query.step;
}

}  // namespace

/// Performs tasks in the order in which they were added, several at a time. A thread starts when a
/// task finds none idle.
class Store::Background {
 public:
  Background() = default;
  ~Background();  ///< waits
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void add(std::function<void()> task);
  /// Until everything that was added is done.
  void wait();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_ = {};
  size_t busy_ = 0;  ///< threads that perform a task
  bool ending_ = false;
  std::vector<std::thread> threads_ = {};
};

Store::Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Store::Background::add(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  const bool none_idle = tasks_.size() + busy_ > threads_.size();
  if (none_idle && threads_.size() < kWriters) threads_.emplace_back([this] { work(); });
  changed_.notify_all();
}

void Store::Background::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return tasks_.empty() && busy_ == 0; });
}

void Store::Background::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    ++busy_;
    lock.unlock();
    task();
    lock.lock();
    --busy_;
    changed_.notify_all();
  }
}

Store::Store(std::vector<StorePlace> places, Options options)
    : options_(std::move(options)), background_(std::make_unique<Background>()) {
  for (StorePlace& place : places) places_.push_back({std::move(place.place), place.access});
}

Store::~Store() = default;

std::optional<FoundEntry> Store::find(const EntryQuery& query) {
  std::optional<FoundEntry> found = look_for(query);
  if (!found) return std::nullopt;
  options_.log->write({ports::LogLevel::info,
                       "store_result_found",
                       {{"step", found->entry.step},
                        {"place", found->place},
                        {"domain", std::string(store::to_string(found->entry.writer.domain))},
                        {"run", found->entry.writer.run}}});
  if (found->entry.outputs.empty()) fill(*found, {});
  return found;
}

std::optional<FoundEntry> Store::look_for(const EntryQuery& query) {
  std::optional<FoundEntry> best;
  for (size_t i = 0; i < places_.size(); ++i) {
    for (const store::Domain domain : store::readable_from(options_.domain)) {
      const store::Address address = address_of(query, domain);
      std::optional<store::Entry> entry = find_in(places_[i], address, domain, query);
      if (!entry || (best && !store::improves(*entry, best->entry))) continue;
      best = FoundEntry{*std::move(entry), places_[i].place->name(), i, address};
      if (best->entry.ending == store::Ending::done) return best;
    }
  }
  return best;
}

std::optional<store::Entry> Store::find_in(Member& member, const store::Address& address,
                                           store::Domain domain, const EntryQuery& query) {
  if (is_left_alone(member, Use::reading)) return std::nullopt;
  const Time begin = options_.now();
  PlaceResult<std::optional<store::Entry>> found = member.place->find(address);
  for (Error& rejected : member.place->rejected()) warn(std::move(rejected));
  if (!found) {
    failed(member, Use::reading, found.error(), begin);
    return std::nullopt;
  }
  if (member.place->is_remote() && options_.now() - begin >= kSlow) leave_alone(member, begin);
  if (*found && !answers(**found, domain, query)) {
    const std::string why =
        fmt::format("is not the address of the result of {} that it has", quoted((*found)->step));
    failed(member, Use::reading, wrong_bytes(address.hex, why).value(), options_.now());
    return std::nullopt;
  }
  return *std::move(found);
}

Done Store::fetch(const FoundEntry& found, const store::NamedBlob& blob, const fs::path& target) {
  if (target.has_parent_path()) {
    std::error_code code;
    fs::create_directories(target.parent_path(), code);
    if (code) {
      return fail(ErrorKind::environment,
                  fmt::format("{} cannot be created: {}", quoted(target.parent_path().string()),
                              code.message()));
    }
  }
  for (Member& member : places_) {
    PlaceResult<bool> fetched = fetch_from(member, blob.blob, target);
    // Only the machine's own place removes entries to make room.
    if (!fetched && fetched.error().kind == FaultKind::full) {
      return fail(std::move(fetched).error().error);
    }
    if (!fetched || !*fetched) continue;
    BlobFiles files;
    {
      const std::lock_guard lock(mutex_);
      BlobFiles& arrived = arriving_[found.address];
      arrived[blob.blob] = target;
      files = arrived;
    }
    for (const store::NamedBlob& other : found.entry.outputs) {
      if (!files.contains(other.blob)) return {};
    }
    fill(found, files);
    return {};
  }
  return fail(ErrorKind::transient,
              fmt::format("{} of {} is intact in no store: {}", quoted(blob.name),
                          quoted(found.entry.step), quoted_list(queried_places())));
}

Result<bool> Store::fetch_blob(const store::Blob& blob, const fs::path& target) {
  std::optional<Error> silent;
  for (Member& member : places_) {
    PlaceResult<bool> fetched = fetch_from(member, blob, target);
    if (fetched && *fetched) return true;
    if (fetched || fetched.error().kind == FaultKind::wrong_bytes) continue;
    if (fetched.error().kind == FaultKind::full) return fail(std::move(fetched).error().error);
    silent = std::move(fetched).error().error;
    silent->kind = ErrorKind::transient;
  }
  if (silent) return fail(*std::move(silent));
  return false;
}

PlaceResult<bool> Store::fetch_from(Member& member, const store::Blob& blob,
                                    const fs::path& target) {
  if (is_left_alone(member, Use::reading)) {
    return fault(FaultKind::unreachable,
                 Error{ErrorKind::transient, fmt::format("the store {} is not used any more",
                                                         quoted(member.place->name()))});
  }
  const Time begin = options_.now();
  PlaceResult<bool> fetched = member.place->fetch(blob, target);
  if (!fetched && fetched.error().kind != FaultKind::full) {
    failed(member, Use::reading, fetched.error(), begin);
  }
  return fetched;
}

void Store::fill(const FoundEntry& found, const BlobFiles& files) {
  // A place that this run reads may claim any domain. Written under a domain above the run's own,
  // its entries would reach runs that do not read that place.
  if (found.entry.writer.domain != options_.domain) return;
  for (size_t i = 0; i < found.place_index; ++i) {
    if (!places_[i].may_be_written()) continue;
    background_->add([this, member = &places_[i], found, files] {
      put_in(*member, {found.address}, found.entry, files);
    });
  }
}

void Store::put(store::Entry entry, const std::map<std::string, fs::path>& files) {
  entry.writer.domain = options_.domain;
  entry.writer.run = options_.run;
  BlobFiles blobs;
  for (const store::NamedBlob& output : entry.outputs) {
    const auto path = files.find(output.name);
    if (path == files.end()) {
      return warn(
          Error{ErrorKind::internal, fmt::format("the result of {} was not stored: {} is missing",
                                                 quoted(entry.step), quoted(output.name))});
    }
    blobs[output.blob] = path->second;
  }
  // One place after the other: entries in the first one cannot change while others receive them.
  background_->add([this, entry = std::move(entry), blobs] {
    for (Member& member : places_) {
      if (member.may_be_written()) put_in(member, addresses_of(entry), entry, blobs);
    }
  });
}

void Store::put_in(Member& member, const std::vector<store::Address>& addresses,
                   const store::Entry& entry, const BlobFiles& files) {
  if (is_left_alone(member, Use::writing)) return;
  BlobFiles from;
  for (const auto& [blob, path] : files) {
    // A blob in this machine's place cannot change meanwhile; a user's file may.
    std::optional<fs::path> unchangeable;
    for (Member& other : places_) {
      if (!unchangeable && &other != &member) unchangeable = other.place->path_of(blob);
    }
    from[blob] = unchangeable.value_or(path);
  }
  const Time begin = options_.now();
  const PlaceResult<PutOutcome> put = member.place->put(addresses, entry, from);
  if (!put) failed(member, Use::writing, put.error(), begin);
}

std::vector<Error> Store::finish() {
  background_->wait();
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

std::vector<std::string> Store::queried_places() const {
  std::vector<std::string> out;
  for (const Member& member : places_) out.push_back(member.place->name());
  return out;
}

bool Store::is_left_alone(Member& member, Use use) {
  const std::lock_guard lock(mutex_);
  return member.slow || member.faults(use) >= kMostFaults;
}

void Store::leave_alone(Member& member, Time begin) {
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(options_.now() - begin);
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(member.slow, true)) return;
  }
  warn(Error{ErrorKind::transient,
             fmt::format("the store {} is not used any more in this run: it took {}",
                         quoted(member.place->name()), format_duration(took))});
}

void Store::failed(Member& member, Use use, const PlaceFault& failure, Time begin) {
  // The run was stopped, which is not a fault of the place.
  if (failure.kind == FaultKind::stopped) return;
  int count = 0;
  {
    const std::lock_guard lock(mutex_);
    count = ++member.faults(use);
  }
  const std::string name = member.place->name();
  const std::string_view verb = use == Use::reading ? "read" : "written to";
  options_.log->write({ports::LogLevel::info,
                       "store_fault",
                       {{"place", name},
                        {"use", std::string(verb)},
                        {"kind", std::string(to_string(failure.kind))},
                        {"error", failure.error.message},
                        {"count", int64_t{count}}}});
  warn(Error{
      ErrorKind::transient,
      fmt::format("the store {} could not be {}: {}", quoted(name), verb, failure.error.message),
      std::nullopt, failure.error.hint});
  if (member.place->is_remote() && options_.now() - begin >= kSlow) {
    return leave_alone(member, begin);
  }
  if (count != kMostFaults) return;
  warn(Error{ErrorKind::transient,
             fmt::format("the store {} is not {} any more in this run: it failed {} times",
                         quoted(name), verb, kMostFaults)});
}

void Store::warn(Error warning) {
  const std::lock_guard lock(mutex_);
  if (std::find(warned_.begin(), warned_.end(), warning.message) != warned_.end()) return;
  warned_.push_back(warning.message);
  warnings_.push_back(std::move(warning));
}

}  // namespace pinwheel::host
