#include "host/store/artifacts_place.h"

#include <fmt/format.h>

#include <set>
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

/// The steps whose entries are in the artifact.
std::set<std::string> steps_in(TreePlace& tree, const std::vector<std::string>& entries) {
  std::set<std::string> steps;
  for (const std::string& hex : entries) {
    const auto found = tree.find({hex});
    if (found && *found) steps.insert((*found)->step);
  }
  return steps;
}

}  // namespace

ArtifactsPlace::ArtifactsPlace(std::string name, const fs::path& root, const StoreUser& user)
    : name_(std::move(name)) {
  for (const std::string& artifact : store::latest_first(names_in(root))) {
    if (artifact != "ac" && artifact != "cas") add(root, artifact, user);
  }
  add(root, {}, user);
}

void ArtifactsPlace::add(const fs::path& root, const std::string& name, const StoreUser& user) {
  const fs::path directory = name.empty() ? root : root / name;
  const std::vector<std::string> entries = names_in(directory / "ac");
  const std::vector<std::string> blobs = names_in(directory / "cas");
  if (entries.empty() && blobs.empty()) return;
  artifacts_.push_back(std::make_unique<Artifact>(Artifact{
      name, std::make_unique<TreePlace>(TreeOptions{name_, directory, store::PlaceAccess::read_only,
                                                    Sharing::shared, user})}));
  if (name.empty()) is_of_one_step_ = steps_in(*artifacts_.back()->tree, entries).size() <= 1;
  for (const std::string& each : entries) entries_[each].push_back(artifacts_.back().get());
  for (const std::string& each : blobs) blobs_[each].push_back(artifacts_.back().get());
}

PlaceResult<std::optional<store::Entry>> ArtifactsPlace::find(const store::Address& address) {
  const auto holders = entries_.find(address.hex);
  if (holders == entries_.end()) return std::nullopt;
  std::optional<PlaceFault> trouble;
  for (const Artifact* const artifact : holders->second) {
    auto found = artifact->tree->find(address);
    if (!found) {
      if (!trouble) trouble = std::move(found).error();
      continue;
    }
    if (!*found) continue;
    const auto why = objection_to(**found, address, *artifact);
    if (!why) return found;
    reject(*artifact, **found, *why);
  }
  if (trouble) return tl::unexpected(*std::move(trouble));
  return std::nullopt;
}

PlaceResult<bool> ArtifactsPlace::fetch(const store::Blob& blob, const fs::path& target) {
  const auto holders = blobs_.find(blob.sha256);
  if (holders == blobs_.end()) return false;
  std::optional<PlaceFault> trouble;
  for (const Artifact* const artifact : holders->second) {
    auto fetched = artifact->tree->fetch(blob, target);
    if (fetched && *fetched) return true;
    if (!fetched && !trouble) trouble = std::move(fetched).error();
  }
  if (trouble) return tl::unexpected(*std::move(trouble));
  return false;
}

std::optional<std::string> ArtifactsPlace::objection_to(const store::Entry& entry,
                                                        const store::Address& address,
                                                        const Artifact& artifact) const {
  if (!store::is_address_of(address, entry)) return "it is in the place of another step's result";
  if (artifact.name.empty()) {
    if (is_of_one_step_) return std::nullopt;
    return "an artifact without a directory of its name has the result of one step";
  }
  if (store::is_artifact_of(artifact.name, entry.step)) return std::nullopt;
  return fmt::format("the artifact of that step is {}",
                     quoted(fmt::format("result-{}-ATTEMPT", store::artifact_of(entry.step))));
}

void ArtifactsPlace::reject(const Artifact& artifact, const store::Entry& entry,
                            const std::string& why) {
  const std::string where = artifact.name.empty() ? name_ : artifact.name;
  const std::lock_guard lock(mutex_);
  rejected_.push_back({ErrorKind::check, fmt::format("a result of {} in {} is not used: {}",
                                                     quoted(entry.step), quoted(where), why)});
}

std::vector<Error> ArtifactsPlace::rejected() {
  const std::lock_guard lock(mutex_);
  return std::exchange(rejected_, {});
}

PlaceResult<PutOutcome> ArtifactsPlace::put(const std::vector<store::Address>& /*addresses*/,
                                            const store::Entry& /*entry*/,
                                            const BlobFiles& /*files*/) {
  return fault(FaultKind::refused,
               {ErrorKind::internal, fmt::format("{} is only read", quoted(name_))});
}

}  // namespace pinwheel::host
