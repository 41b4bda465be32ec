#include "host/store/watched_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace pinwheel::host {
namespace {

constexpr int kMostFaults = 3;

/// Whether a record is the one that was wanted, and of the domain whose address it has.
bool is_wanted(const store::StoredResult& result, store::Domain domain,
               const WantedResult& wanted) {
  if (result.writer.domain != domain) return false;
  if (!wanted.key.empty()) return result.key == wanted.key;
  return result.plan == wanted.plan && result.step == wanted.step;
}

}  // namespace

void StoreWarnings::add(Error warning) {
  const std::lock_guard lock(mutex_);
  if (std::find(seen_.begin(), seen_.end(), warning.message) != seen_.end()) return;
  seen_.push_back(warning.message);
  warnings_.push_back(std::move(warning));
}

std::vector<Error> StoreWarnings::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

WatchedPlace::WatchedPlace(ChainedPlace chained, StoreWarnings& warnings, ports::LogHandle log,
                           Now now)
    : place_(std::move(chained.place)),
      access_(chained.access),
      warnings_(warnings),
      log_(std::move(log)),
      now_(std::move(now)) {}

bool WatchedPlace::is_left_alone(Use use) const {
  const std::lock_guard lock(mutex_);
  return slow_ || (use == Use::reading ? reading_faults_ : writing_faults_) >= kMostFaults;
}

void WatchedPlace::leave_alone(std::chrono::steady_clock::time_point begin) {
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(now_() - begin);
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(slow_, true)) return;
  }
  warnings_.add(Error{ErrorKind::transient,
                      fmt::format("the store {} is not used any more in this run: it took {}",
                                  quoted(name()), format_duration(took))});
}

void WatchedPlace::failed(Use use, const PlaceFault& failure,
                          std::chrono::steady_clock::time_point begin) {
  // The run was stopped: that is no fault of the place.
  if (failure.kind == FaultKind::stopped) return;
  int count = 0;
  {
    const std::lock_guard lock(mutex_);
    count = ++(use == Use::reading ? reading_faults_ : writing_faults_);
  }
  const std::string_view verb = use == Use::reading ? "read" : "written to";
  log_->write({ports::LogLevel::info,
               "store_fault",
               {{"place", name()},
                {"use", std::string(verb)},
                {"kind", std::string(to_string(failure.kind))},
                {"error", failure.error.message},
                {"count", int64_t{count}}}});
  warnings_.add(Error{
      ErrorKind::transient,
      fmt::format("the store {} could not be {}: {}", quoted(name()), verb, failure.error.message),
      std::nullopt, failure.error.hint});
  if (place_->is_remote() && now_() - begin >= kSlow) return leave_alone(begin);
  if (count != kMostFaults) return;
  warnings_.add(Error{ErrorKind::transient,
                      fmt::format("the store {} is not {} any more in this run: it failed {} times",
                                  quoted(name()), verb, kMostFaults)});
}

std::optional<store::StoredResult> WatchedPlace::find(const store::Address& address,
                                                      store::Domain domain,
                                                      const WantedResult& wanted) {
  if (is_left_alone(Use::reading)) return std::nullopt;
  const auto begin = now_();
  PlaceResult<std::optional<store::StoredResult>> found = place_->find(address);
  for (Error& rejected : place_->rejected()) warnings_.add(std::move(rejected));
  if (!found) {
    failed(Use::reading, found.error(), begin);
    return std::nullopt;
  }
  if (place_->is_remote() && now_() - begin >= kSlow) leave_alone(begin);
  if (*found && !is_wanted(**found, domain, wanted)) {
    const std::string why =
        fmt::format("is not the address of the result of {} that it has", quoted((*found)->step));
    failed(Use::reading, wrong_bytes(address.hex, why).value(), now_());
    return std::nullopt;
  }
  return *std::move(found);
}

PlaceResult<bool> WatchedPlace::fetch(const store::Blob& blob,
                                      const std::filesystem::path& target) {
  if (is_left_alone(Use::reading)) return false;
  const auto begin = now_();
  PlaceResult<bool> fetched = place_->fetch(blob, target);
  if (fetched || fetched.error().kind == FaultKind::full) return fetched;
  failed(Use::reading, fetched.error(), begin);
  return false;
}

void WatchedPlace::put(const std::vector<store::Address>& addresses,
                       const store::StoredResult& result, const BlobFiles& files) {
  if (is_left_alone(Use::writing)) return;
  const auto begin = now_();
  const PlaceResult<Kept> kept = place_->put(addresses, result, files);
  if (!kept) failed(Use::writing, kept.error(), begin);
}

}  // namespace pinwheel::host
