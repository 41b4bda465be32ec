#include "host/store/artifacts_place.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/text.h"
#include "store/attempt.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The names in a directory; none if it cannot be read.
std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator each(directory, code); !code && each != fs::directory_iterator();
       each.increment(code)) {
    names.push_back(each->path().filename().string());
  }
  return names;
}

}  // namespace

ArtifactsPlace::ArtifactsPlace(std::string name, const fs::path& root, const StoreUser& user)
    : name_(std::move(name)) {
  for (const std::string& artifact : store::latest_first(names_in(root))) {
    add(root / artifact, user);
  }
  add(root, user);
}

void ArtifactsPlace::add(const fs::path& artifact, const StoreUser& user) {
  const std::vector<std::string> results = names_in(artifact / "ac");
  const std::vector<std::string> blobs = names_in(artifact / "cas");
  if (results.empty() && blobs.empty()) return;
  artifacts_.push_back(std::make_unique<TreePlace>(
      TreeOptions{name_, artifact, store::PlaceAccess::read_only, Sharing::shared, user}));
  for (const std::string& each : results) results_[each].push_back(artifacts_.back().get());
  for (const std::string& each : blobs) blobs_[each].push_back(artifacts_.back().get());
}

PlaceResult<std::optional<store::StoredResult>> ArtifactsPlace::find(
    const store::Address& address) {
  const auto holders = results_.find(address.hex);
  if (holders == results_.end()) return std::nullopt;
  std::optional<PlaceFault> trouble;
  for (TreePlace* const artifact : holders->second) {
    auto found = artifact->find(address);
    if (found && *found) return found;
    if (!found && !trouble) trouble = std::move(found).error();
  }
  if (trouble) return tl::unexpected(*std::move(trouble));
  return std::nullopt;
}

PlaceResult<bool> ArtifactsPlace::fetch(const store::Blob& blob, const fs::path& target) {
  const auto holders = blobs_.find(blob.sha256);
  if (holders == blobs_.end()) return false;
  std::optional<PlaceFault> trouble;
  for (TreePlace* const artifact : holders->second) {
    auto fetched = artifact->fetch(blob, target);
    if (fetched && *fetched) return true;
    if (!fetched && !trouble) trouble = std::move(fetched).error();
  }
  if (trouble) return tl::unexpected(*std::move(trouble));
  return false;
}

PlaceResult<Kept> ArtifactsPlace::put(const std::vector<store::Address>& /*addresses*/,
                                      const store::StoredResult& /*result*/,
                                      const BlobFiles& /*files*/) {
  return fault(FaultKind::refused,
               {ErrorKind::internal, fmt::format("{} is only read", quoted(name_))});
}

}  // namespace pinwheel::host
