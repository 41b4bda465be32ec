#include "session/release_records.h"

#include <algorithm>
#include <set>

#include "plan/action.h"
#include "plan/step_id.h"
#include "session/release_status.h"

namespace pinwheel::session {
namespace {

/// The targets to which everything was published.
std::set<std::string> finished_targets(const plan::Plan& plan,
                                       const std::vector<plan::StepOutcome>& outcomes) {
  std::set<std::string> targets;
  for (const plan::Step& step : plan.steps) {
    const auto* const publication = std::get_if<plan::Publish>(&step.action);
    if (publication == nullptr) continue;
    const bool finished = std::ranges::any_of(outcomes, [&step](const plan::StepOutcome& outcome) {
      const bool good =
          outcome.state == plan::StepState::done || outcome.state == plan::StepState::reused;
      return good && outcome.id == step.id;
    });
    if (finished) targets.insert(publication->target.name);
  }
  return targets;
}

}  // namespace

std::map<std::string, publish::ReleaseRecord> release_records(
    const plan::Plan& plan, const std::vector<plan::StepOutcome>& outcomes,
    const publish::ReleaseFacts& facts) {
  std::vector<publish::Publication> publications;
  const std::set<std::string> targets = finished_targets(plan, outcomes);
  for (const publish::ExpectedFile& file : expected_files(plan, outcomes)) {
    // Files that describe the others, on GitHub, are made by the publication.
    const bool describes = plan::kind_of_step(file.build) == plan::StepKind::publish;
    if (file.filename.empty() || describes || !targets.contains(file.target)) continue;
    if (publications.empty() || publications.back().target != file.target) {
      publications.push_back({file.target});
    }
    publications.back().projects[file.project].push_back({file.filename, file.size, file.sha256});
  }
  return publish::records_of(publications, facts);
}

}  // namespace pinwheel::session
