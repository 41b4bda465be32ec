#include "host/slurm/queue_watch.h"

#include <utility>

namespace pinwheel::host {
namespace {

constexpr std::chrono::milliseconds kListLimit = std::chrono::seconds(10);
/// A controller that is restarted answers again before that.
constexpr std::chrono::milliseconds kSilence = std::chrono::minutes(1);

}  // namespace

QueueLook QueueWatch::look(std::set<std::string> results,
                           const std::function<bool(const QueueLook& seen)>& needs_all) {
  QueueLook seen{std::move(results)};
  Result<slurm::Listing> listing = commands_.list(kListLimit);
  note(listing ? Done() : fail(listing.error()));
  if (!listing) return seen;
  seen.listing = *std::move(listing);
  if (!needs_all(seen)) return seen;
  Result<UserJobs> cluster = commands_.all_jobs(kListLimit);
  note(cluster ? Done() : fail(cluster.error()));
  if (cluster) seen.cluster = *std::move(cluster);
  return seen;
}

void QueueWatch::note(const Done& answer) {
  if (answer) {
    silent_since_.reset();
    if (std::exchange(warned_, false) && warn_) {
      warn_({ErrorKind::environment, "the controller of Slurm answers again"});
    }
    return;
  }
  if (!silent_since_) silent_since_ = clock_.steady();
  if (clock_.steady() - *silent_since_ < kSilence || std::exchange(warned_, true) || !warn_) return;
  warn_(Error(answer.error())
            .with_hint("jobs continue, and pinwheel waits until the controller answers; "
                       "`scontrol ping` shows whether it does"));
}

}  // namespace pinwheel::host
