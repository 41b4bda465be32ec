#include "analysis/compare_runs.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "plan/step_id.h"

namespace pinwheel::analysis {
namespace {

using plan::StepOutcome;
using plan::StepState;

bool passed(StepState state) {
  return state == StepState::done || state == StepState::reused;
}

/// Whether an outcome says more about its step than another one that precedes it.
int weight_of(StepState state) {
  switch (state) {
    case StepState::done:
    case StepState::failed:
      return 3;
    case StepState::reused:
    case StepState::skipped:
      return 2;
    case StepState::interrupted:
    case StepState::blocked:
    case StepState::unfinished:
      break;
  }
  return 1;
}

/// The outcome of each step that counts, in the order of their first appearance.
std::vector<const StepOutcome*> outcomes_that_count(const std::vector<StepOutcome>& all) {
  std::vector<const StepOutcome*> out;
  std::map<std::string, size_t> places;
  for (const StepOutcome& each : all) {
    const auto [place, is_new] = places.try_emplace(each.id, out.size());
    if (is_new) {
      out.push_back(&each);
    } else if (weight_of(each.state) >= weight_of(out[place->second]->state)) {
      out[place->second] = &each;
    }
  }
  return out;
}

std::string reason_of(const StepOutcome& outcome) {
  if (outcome.error) return outcome.error->message;
  return outcome.reason;
}

bool is_stopped(StepState state) {
  return state == StepState::interrupted || state == StepState::unfinished;
}

bool has_too_little_evidence(const StepOutcome& outcome) {
  return outcome.error && (passed(outcome.state) || outcome.state == StepState::skipped);
}

void compare_states(const StepOutcome& before, const ComparedStep& step, RunComparison& out) {
  const bool was_red = before.state == StepState::failed;
  switch (step.after) {
    case StepState::failed:
      (was_red ? out.still_red : out.newly_red).push_back(step);
      return;
    case StepState::blocked:
      if (passed(before.state)) out.newly_blocked.push_back(step);
      return;
    case StepState::skipped:
      if (passed(before.state)) out.newly_skipped.push_back(step);
      return;
    case StepState::interrupted:
    case StepState::unfinished:
      if (!is_stopped(before.state)) out.stopped.push_back(step);
      return;
    case StepState::done:
    case StepState::reused:
      break;
  }
  if (was_red) out.fixed.push_back(step);
  if (passed(before.state) && step.now_evidence < step.evidence) {
    out.less_evidence.push_back(step);
  }
}

/// Whether the outcome has the duration of its own work. A reused result has that of the run that
/// made it, if its trace says so.
bool is_timed(const StepOutcome& outcome) {
  return outcome.state == StepState::done ||
         (outcome.state == StepState::reused && !outcome.trace.empty());
}

/// Whether two outcomes are one result that both runs used.
bool is_one_result(const StepOutcome& before, const StepOutcome& after) {
  return before.key == after.key && before.elapsed == after.elapsed && before.trace == after.trace;
}

std::chrono::milliseconds gap(const ComparedStep& step) {
  return step.now_takes > step.took ? step.now_takes - step.took : step.took - step.now_takes;
}

std::optional<UsualDuration> usual_duration(const EarlierDurations& earlier,
                                            const std::string& step) {
  const auto found = earlier.find(step);
  if (found == earlier.end() || found->second.size() < kLeastSamples) return std::nullopt;
  const size_t count = std::min(found->second.size(), plan::kMostSamples);
  plan::Samples sorted(found->second.end() - static_cast<std::ptrdiff_t>(count),
                       found->second.end());
  std::ranges::sort(sorted);
  const auto rank = [&](size_t percent) { return sorted[(count * percent + 99) / 100 - 1]; };
  // Rounded down: with fewer than ten, one slow run would be the 90th percentile and hide the next.
  return UsualDuration{count, rank(10), rank(50), sorted[count * 90 / 100 - 1]};
}

bool is_usual(const UsualDuration& usual, std::chrono::milliseconds took) {
  return took <= usual.p90 + (usual.p90 - usual.p50) && took >= usual.p10 - (usual.p50 - usual.p10);
}

void compare_durations(ComparedStep step, const EarlierDurations& earlier, RunComparison& out) {
  ++out.timed;
  step.usual = usual_duration(earlier, step.id);
  if (step.usual) ++out.with_usual;
  const std::chrono::milliseconds difference = gap(step);
  if (difference <= kLeastDifference || difference * 100 <= step.took * kLeastPercent) return;
  if (step.usual && is_usual(*step.usual, step.now_takes)) {
    ++out.within_usual;
    return;
  }
  (step.now_takes > step.took ? out.slower : out.faster).push_back(std::move(step));
}

bool is_distribution(const plan::Output& output) {
  return output.path.ends_with(".whl") || output.path.ends_with(".tar.gz");
}

std::vector<plan::Output> distributions(const StepOutcome* outcome) {
  std::vector<plan::Output> out;
  if (outcome == nullptr) return out;
  std::copy_if(outcome->outputs.begin(), outcome->outputs.end(), std::back_inserter(out),
               is_distribution);
  return out;
}

enum class LocalPart { kept, dropped };

/// The name of a distribution without its version and build number, by which those of two runs
/// belong together: "my_ops-cp312-cp312-manylinux_2_28_x86_64.whl", "my_ops.tar.gz".
std::string unversioned(const plan::Output& output, LocalPart local) {
  std::string name = output.path.substr(output.path.rfind('/') + 1);
  const size_t begin = name.find('-');
  if (begin == std::string::npos) return name;
  const bool wheel = name.ends_with(".whl");
  size_t end = wheel ? name.find('-', begin + 1) : name.rfind(".tar.gz");
  if (end == std::string::npos) return name;
  const size_t plus = name.find('+', begin);
  const std::string kept =
      local == LocalPart::kept && plus < end ? name.substr(plus, end - plus) : "";
  const bool has_build =
      wheel && end + 1 < name.size() && name[end + 1] >= '0' && name[end + 1] <= '9';
  if (has_build) end = std::min(name.find('-', end + 1), name.size());
  return name.substr(0, begin) + kept + name.substr(end);
}

/// Moves each file of a run to the file of the other with the same name.
void pair_files(std::vector<plan::Output>& before, std::vector<ComparedFile>& files,
                LocalPart local) {
  for (ComparedFile& file : files) {
    if (file.before) continue;
    const auto found = std::ranges::find_if(before, [&](const plan::Output& output) {
      return unversioned(output, local) == unversioned(*file.after, local);
    });
    if (found == before.end()) continue;
    file.before = std::move(*found);
    before.erase(found);
  }
}

void compare_files(const StepOutcome* before, const StepOutcome* after, RunComparison& out) {
  const std::string& id = after == nullptr ? before->id : after->id;
  std::vector<plan::Output> old_files = distributions(before);
  std::vector<ComparedFile> files;
  for (plan::Output& output : distributions(after)) {
    files.push_back({id, std::nullopt, std::move(output)});
  }
  // A local version can be a label, which tells files apart, or a commit, which always differs.
  pair_files(old_files, files, LocalPart::kept);
  pair_files(old_files, files, LocalPart::dropped);
  for (plan::Output& output : old_files) files.push_back({id, std::move(output), std::nullopt});
  for (ComparedFile& file : files) {
    const bool same = file.before && file.after && file.before->sha256 == file.after->sha256;
    if (!same) out.files.push_back(std::move(file));
  }
}

ComparedStep step_of(const StepOutcome& before, const StepOutcome& after) {
  return {after.id,      before.state,    after.state,    before.elapsed,
          after.elapsed, before.evidence, after.evidence, reason_of(after)};
}

/// A step that the earlier run does not have.
void add_new_step(const StepOutcome& outcome, RunComparison& out) {
  out.gained.push_back(outcome.id);
  // It takes the place of a step that did not fail before.
  StepOutcome none = outcome;
  none.state = StepState::done;
  const ComparedStep step = step_of(none, outcome);
  if (has_too_little_evidence(outcome)) {
    out.too_little_evidence.push_back(step);
  } else if (outcome.state == StepState::failed) {
    out.newly_red.push_back(step);
  } else if (is_stopped(outcome.state)) {
    out.stopped.push_back(step);
  }
  if (plan::makes_files(outcome.id)) compare_files(nullptr, &outcome, out);
}

void sort_by_gap(std::vector<ComparedStep>& steps) {
  std::stable_sort(
      steps.begin(), steps.end(),
      [](const ComparedStep& left, const ComparedStep& right) { return gap(left) > gap(right); });
}

}  // namespace

RunComparison compare_runs(const std::vector<StepOutcome>& before,
                           const std::vector<StepOutcome>& after, const EarlierDurations& earlier) {
  RunComparison out;
  std::map<std::string, const StepOutcome*> old_by_id;
  const std::vector<const StepOutcome*> old_outcomes = outcomes_that_count(before);
  for (const StepOutcome* const each : old_outcomes) old_by_id.emplace(each->id, each);
  std::set<std::string> seen;
  for (const StepOutcome* const each : outcomes_that_count(after)) {
    seen.insert(each->id);
    const auto found = old_by_id.find(each->id);
    if (found == old_by_id.end()) {
      add_new_step(*each, out);
      continue;
    }
    ++out.shared;
    const ComparedStep step = step_of(*found->second, *each);
    if (has_too_little_evidence(*each)) {
      out.too_little_evidence.push_back(step);
    } else {
      compare_states(*found->second, step, out);
    }
    if (is_timed(*found->second) && is_timed(*each) && !is_one_result(*found->second, *each)) {
      compare_durations(step, earlier, out);
    }
    // A step without a result has no files, which is no change of them.
    if (plan::makes_files(each->id) && passed(each->state)) compare_files(found->second, each, out);
  }
  for (const StepOutcome* const each : old_outcomes) {
    if (!seen.contains(each->id)) out.lost.push_back(each->id);
  }
  sort_by_gap(out.slower);
  sort_by_gap(out.faster);
  return out;
}

bool is_worse(const RunComparison& comparison) {
  return !comparison.newly_red.empty() || !comparison.newly_blocked.empty() ||
         !comparison.newly_skipped.empty() || !comparison.stopped.empty() ||
         !comparison.too_little_evidence.empty() || !comparison.less_evidence.empty();
}

}  // namespace pinwheel::analysis
