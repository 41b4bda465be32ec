#include "host/store/store.h"

#include <fmt/format.h>

#include <mutex>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "host/store/background.h"
#include "host/store/watched_place.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Several, since a server answers slowly rather than works hard, and a digest takes as long as a
/// copy.
constexpr size_t kWriters = 4;

store::Address address_of(const WantedResult& wanted, store::Domain domain) {
  if (!wanted.key.empty()) return store::result_address(domain, wanted.key);
  return store::hand_off_address(domain, wanted.plan, wanted.step);
}

/// Where a result is kept: under its key, and under its step of a frozen plan.
std::vector<store::Address> addresses_of(const store::StoredResult& result) {
  const store::Domain domain = result.writer.domain;
  std::vector<store::Address> out = {store::result_address(domain, result.key)};
  if (!result.plan.empty()) {
    out.push_back(store::hand_off_address(domain, result.plan, result.step));
  }
  return out;
}

}  // namespace

/// The places, and what is being done with them.
class Store::Chain {
 public:
  Chain(std::vector<ChainedPlace> places, Options options) : options_(std::move(options)) {
    for (ChainedPlace& place : places) {
      places_.push_back(std::make_unique<WatchedPlace>(std::move(place), warnings_, options_.log));
    }
  }

  std::optional<FoundResult> find(const WantedResult& wanted);
  Done materialize(const FoundResult& found, const store::StoredOutput& output,
                   const fs::path& target);
  void keep(store::StoredResult result, const std::map<std::string, fs::path>& files);
  std::vector<Error> finish();
  std::vector<std::string> names() const;
  const Options& options() const { return options_; }

 private:
  /// The first that is finished; else, of a test that was skipped everywhere, what shows most.
  std::optional<FoundResult> look_for(const WantedResult& wanted);
  /// The places before the one that had a result of the run's own domain, once all its files are
  /// here.
  void fill(const FoundResult& found, const BlobFiles& files);
  void put(WatchedPlace& place, const std::vector<store::Address>& addresses,
           const store::StoredResult& result, const BlobFiles& files);

  Options options_;
  StoreWarnings warnings_;
  std::vector<std::unique_ptr<WatchedPlace>> places_ = {};
  std::mutex mutex_;
  /// Results of which some files are here, by address; for `fill`.
  std::map<store::Address, BlobFiles> arriving_ = {};
  Background background_{kWriters};  ///< last: its tasks use the others
};

std::optional<FoundResult> Store::Chain::find(const WantedResult& wanted) {
  std::optional<FoundResult> found = look_for(wanted);
  if (!found) return std::nullopt;
  options_.log->write({ports::LogLevel::info,
                       "store_result_found",
                       {{"step", found->result.step},
                        {"place", found->place},
                        {"domain", std::string(store::to_string(found->result.writer.domain))},
                        {"run", found->result.writer.run}}});
  if (found->result.outputs.empty()) fill(*found, {});
  return found;
}

std::optional<FoundResult> Store::Chain::look_for(const WantedResult& wanted) {
  std::optional<FoundResult> best;
  for (size_t i = 0; i < places_.size(); ++i) {
    for (const store::Domain domain : store::readable_from(options_.domain)) {
      const store::Address address = address_of(wanted, domain);
      std::optional<store::StoredResult> result = places_[i]->find(address, domain, wanted);
      if (!result || (best && !store::improves(*result, best->result))) continue;
      best = FoundResult{*std::move(result), places_[i]->name(), i, address};
      if (best->result.ending == store::Ending::done) return best;
    }
  }
  return best;
}

Done Store::Chain::materialize(const FoundResult& found, const store::StoredOutput& output,
                               const fs::path& target) {
  if (target.has_parent_path()) {
    std::error_code code;
    fs::create_directories(target.parent_path(), code);
    if (code) {
      return fail(ErrorKind::environment,
                  fmt::format("{} cannot be created: {}", quoted(target.parent_path().string()),
                              code.message()));
    }
  }
  for (const std::unique_ptr<WatchedPlace>& place : places_) {
    PlaceResult<bool> fetched = place->fetch(output.blob, target);
    // No other place makes room.
    if (!fetched) return fail(std::move(fetched).error().error);
    if (!*fetched) continue;
    BlobFiles files;
    {
      const std::lock_guard lock(mutex_);
      BlobFiles& arrived = arriving_[found.address];
      arrived[output.blob] = target;
      files = arrived;
    }
    for (const store::StoredOutput& other : found.result.outputs) {
      if (!files.contains(other.blob)) return {};
    }
    fill(found, files);
    return {};
  }
  return fail(ErrorKind::transient,
              fmt::format("{} of {} is intact in no store: {}", quoted(output.name),
                          quoted(found.result.step), quoted_list(names())));
}

void Store::Chain::fill(const FoundResult& found, const BlobFiles& files) {
  // A place that this run reads may claim any domain. Kept under a domain above the run's own, what
  // it says would reach runs that do not read that place.
  if (found.result.writer.domain != options_.domain) return;
  for (size_t i = 0; i < found.place_index; ++i) {
    if (!places_[i]->may_be_written()) continue;
    background_.add([this, place = places_[i].get(), found, files] {
      put(*place, {found.address}, found.result, files);
    });
  }
}

void Store::Chain::put(WatchedPlace& place, const std::vector<store::Address>& addresses,
                       const store::StoredResult& result, const BlobFiles& files) {
  BlobFiles from;
  for (const auto& [blob, path] : files) {
    // A blob of this machine's place cannot change meanwhile; the file of a user may.
    std::optional<fs::path> kept;
    for (const std::unique_ptr<WatchedPlace>& other : places_) {
      if (!kept && other.get() != &place) kept = other->path_of(blob);
    }
    from[blob] = kept.value_or(path);
  }
  place.put(addresses, result, from);
}

void Store::Chain::keep(store::StoredResult result, const std::map<std::string, fs::path>& files) {
  result.writer.domain = options_.domain;
  result.writer.run = options_.run;
  BlobFiles blobs;
  for (const store::StoredOutput& output : result.outputs) {
    const auto path = files.find(output.name);
    if (path == files.end()) {
      warnings_.add(
          Error{ErrorKind::internal, fmt::format("the result of {} was not stored: {} is missing",
                                                 quoted(result.step), quoted(output.name))});
      return;
    }
    blobs[output.blob] = path->second;
  }
  // One place after the other: what the first has kept cannot change while others receive it.
  background_.add([this, result = std::move(result), blobs] {
    for (const std::unique_ptr<WatchedPlace>& place : places_) {
      if (place->may_be_written()) put(*place, addresses_of(result), result, blobs);
    }
  });
}

std::vector<Error> Store::Chain::finish() {
  background_.wait();
  return warnings_.take();
}

std::vector<std::string> Store::Chain::names() const {
  std::vector<std::string> out;
  for (const std::unique_ptr<WatchedPlace>& place : places_) out.push_back(place->name());
  return out;
}

Store::Store(std::vector<ChainedPlace> places, Options options)
    : chain_(std::make_unique<Chain>(std::move(places), std::move(options))) {}
Store::~Store() = default;

std::optional<FoundResult> Store::find(const WantedResult& wanted) {
  return chain_->find(wanted);
}
Done Store::materialize(const FoundResult& found, const store::StoredOutput& output,
                        const fs::path& target) {
  return chain_->materialize(found, output, target);
}
void Store::keep(store::StoredResult result, const std::map<std::string, fs::path>& files) {
  chain_->keep(std::move(result), files);
}
std::vector<Error> Store::finish() {
  return chain_->finish();
}
std::vector<std::string> Store::places_asked() const {
  return chain_->names();
}
store::Domain Store::domain() const {
  return chain_->options().domain;
}
bool Store::empty() const {
  return chain_->names().empty();
}

}  // namespace pinwheel::host
