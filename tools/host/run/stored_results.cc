#include "host/run/stored_results.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "host/system/digest_file.h"
#include "plan/built_wheel.h"
#include "plan/device_code.h"
#include "plan/step_id.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Places respond slowly but are not busy.
constexpr unsigned kSearches = 8;

std::string compiler_of(const plan::Step& step) {
  const plan::BuildWheel* const build = plan::build_run_by(step.action);
  return build == nullptr ? std::string() : std::string(trim(build->toolchain));
}

std::string now(const ports::Clock& clock) {
  const auto time = std::chrono::system_clock::to_time_t(clock.now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

std::string name_of(const plan::Output& output) {
  return fs::path(output.path).filename().string();
}

/// The result of a finished step, or of a skipped test, without the facts that only its files show:
/// when it ended and the digest of its log.
store::Entry stored_result(const plan::Step& step, const plan::StepOutcome& outcome,
                           const ResultFacts& facts) {
  store::Entry result;
  result.step = outcome.id;
  result.key = outcome.key;
  result.parts = outcome.parts;
  const bool skipped = outcome.state == plan::StepState::skipped;
  result.ending = skipped ? store::Ending::skipped : store::Ending::done;
  result.reason = outcome.reason;
  result.evidence = std::string(to_string(outcome.evidence));
  for (const plan::Output& output : outcome.outputs) {
    result.outputs.push_back({name_of(output), {output.sha256, output.size}});
  }
  result.derivations = outcome.derivations;
  result.warnings = outcome.warnings;
  result.elapsed_ms = outcome.elapsed.count();
  result.attempts = outcome.attempts;
  result.span = outcome.span;
  result.machine.compiler = compiler_of(step);
  if (const auto python = facts.pythons.find(step.id); python != facts.pythons.end()) {
    result.machine.python = python->second;
  }
  if (const auto packages = facts.packages.find(step.id); packages != facts.packages.end()) {
    result.packages = packages->second;
  }
  result.plan = facts.plan;
  result.writer = facts.writer;
  return result;
}

void store_result(const plan::Step& step, const plan::StepOutcome& outcome,
                  const ResultFacts& facts, const ports::Clock& clock, Store& store) {
  store::Entry result = stored_result(step, outcome, facts);
  result.finished = now(clock);
  if (!outcome.log.empty()) {
    if (const Result<FileDigest> log = digest_file(outcome.log)) result.log_sha256 = log->sha256;
  }
  std::map<std::string, fs::path> files;
  for (const plan::Output& output : outcome.outputs) files[name_of(output)] = output.path;
  store.put(std::move(result), files);
}

/// A result that was looked up.
struct Hit {
  store::Entry stored;
  plan::StepOutcome outcome;
};

struct LookedUp {
  std::optional<Hit> hit = std::nullopt;
  std::optional<Error> warning = std::nullopt;
};

plan::StepOutcome outcome_of(const store::Entry& result, const fs::path& output) {
  plan::StepOutcome outcome;
  outcome.id = result.step;
  outcome.key = result.key;
  outcome.parts = result.parts;
  const bool skipped = result.ending == store::Ending::skipped;
  outcome.state = skipped ? plan::StepState::skipped : plan::StepState::done;
  outcome.reason = result.reason;
  outcome.evidence = plan::parse_evidence(result.evidence).value_or(plan::Evidence::none);
  outcome.derivations = result.derivations;
  outcome.warnings = result.warnings;
  outcome.span = result.span;
  const fs::path directory = output / plan::output_directory(result.step);
  for (const store::NamedBlob& file : result.outputs) {
    outcome.outputs.push_back(
        {(directory / fs::path(file.name).filename()).string(), file.blob.sha256, file.blob.size});
  }
  return outcome;
}

/// The parts of its key that differ. A test has the files of its build among its inputs: the build
/// must have produced these.
void add_differences(std::vector<std::string>& reasons, const std::vector<std::string>& parts) {
  constexpr std::string_view kBuild = "needs build:";
  std::vector<std::string> others;
  for (const std::string& part : parts) {
    if (!part.starts_with(kBuild)) {
      others.push_back(part);
      continue;
    }
    const std::string build = part.substr(part.find(' ') + 1);
    reasons.push_back(fmt::format("it had other files of {} than are there", quoted(build)));
  }
  if (!others.empty()) reasons.push_back("it differs in " + quoted_list(others));
}

/// The result in a place that has all its files, which are then in the output directory.
LookedUp take(const FoundEntry& found, const ResultSearch& search) {
  LookedUp looked;
  Hit hit{found.entry, outcome_of(found.entry, search.output)};
  hit.outcome.reused_from = found.place;
  const size_t wanted = search.files == ResultFiles::fetch ? hit.outcome.outputs.size() : 0;
  for (size_t i = 0; i < wanted; ++i) {
    Done made = search.store.fetch(found, found.entry.outputs[i], hit.outcome.outputs[i].path);
    if (made) continue;
    looked.warning = std::move(made).error();
    return looked;
  }
  search.log->write({ports::LogLevel::info,
                     "result_found",
                     {{"step", found.entry.step},
                      {"key", found.entry.key},
                      {"place", found.place},
                      {"run", found.entry.writer.run}}});
  looked.hit = std::move(hit);
  return looked;
}

bool will_do(const store::Entry& result, const ResultSearch& search) {
  return result.ending == store::Ending::done || search.skipped_will_do.contains(result.step);
}

Error refusal(const plan::SearchableStep& open, const FoundEntry& found,
              const std::vector<std::string>& reasons) {
  return {ErrorKind::check,
          fmt::format("the result of {} in {} is not of this plan: {}", quoted(open.step->id),
                      quoted(found.place), join(reasons, ", "))};
}

/// The entry with the key of a step, or why it is not usable for the step.
struct OfKey {
  std::optional<FoundEntry> found = std::nullopt;
  std::optional<Error> refused = std::nullopt;
};

OfKey find_by_key(const plan::SearchableStep& open, const ResultSearch& search) {
  std::optional<FoundEntry> found = search.store.find({open.step->id, open.key});
  // A step of another name may have the same key.
  if (!found || !will_do(found->entry, search) || found->entry.step != open.step->id) return {};
  const std::vector<std::string> reasons = objections(open, found->entry, search.facts);
  if (!reasons.empty()) return {std::nullopt, refusal(open, *found, reasons)};
  return {std::move(found)};
}

/// The entry that another machine wrote for the step of this frozen plan, even if it is not usable
/// here.
std::optional<FoundEntry> find_by_plan(const plan::SearchableStep& open,
                                       const ResultSearch& search) {
  if (search.facts.plan.empty()) return std::nullopt;
  std::optional<FoundEntry> found = search.store.find({open.step->id, {}, search.facts.plan});
  return found && will_do(found->entry, search) ? found : std::nullopt;
}

LookedUp look_up(const plan::SearchableStep& open, const ResultSearch& search) {
  const OfKey of_key = find_by_key(open, search);
  const std::optional<FoundEntry>& own = of_key.found;
  if (own && own->entry.ending == store::Ending::done) return take(*own, search);
  const std::optional<FoundEntry> other = find_by_plan(open, search);
  if (own && !(other && store::improves(other->entry, own->entry))) return take(*own, search);
  if (!other) return {std::nullopt, of_key.refused};
  const std::vector<std::string> reasons = objections(open, other->entry, search.facts);
  if (reasons.empty()) return take(*other, search);
  if (own) return take(*own, search);
  return {std::nullopt, refusal(open, *other, reasons)};
}

/// Looks several steps up at the same time.
std::vector<LookedUp> look_up_all(const std::vector<plan::SearchableStep>& open,
                                  const ResultSearch& search) {
  std::vector<LookedUp> looked(open.size());
  run_jobs(std::vector<uint64_t>(open.size(), 1), {.threads = kSearches},
           [&](size_t i) { looked[i] = look_up(open[i], search); });
  return looked;
}

}  // namespace

std::vector<std::string> objections(const plan::SearchableStep& open, const store::Entry& found,
                                    const ResultFacts& facts) {
  std::vector<std::string> reasons;
  if (found.step != open.step->id) reasons.push_back("it is of " + quoted(found.step));
  std::vector<plan::NamedFile> files;
  for (const store::NamedBlob& output : found.outputs) {
    files.push_back({output.name, output.blob.size});
  }
  const std::vector<std::string> strange = plan::unexpected_outputs(open.step->action, files);
  reasons.insert(reasons.end(), strange.begin(), strange.end());
  const bool own_key = plan::key_of(found.parts) == found.key;
  if (!own_key) reasons.push_back("its key does not follow from its parts");
  if (found.key == open.key && own_key) return reasons;
  const std::vector<std::string> parts = plan::disagreements(open.parts, found.parts);
  add_differences(reasons, parts);
  const auto python = facts.pythons.find(open.step->id);
  const bool other_python = python != facts.pythons.end() && !found.machine.python.empty() &&
                            found.machine.python != python->second;
  if (other_python) {
    reasons.push_back(fmt::format("it was made with Python {}, and the plan has {}",
                                  found.machine.python, python->second));
  }
  return reasons;
}

SearchedResults search_store(plan::Results results, const ResultSearch& search) {
  SearchedResults all{std::move(results)};
  std::set<std::string> asked = search.left_out;
  while (true) {
    std::vector<plan::SearchableStep> open = plan::searchable_steps(search.plan, all.results);
    std::erase_if(open,
                  [&](const plan::SearchableStep& each) { return asked.contains(each.step->id); });
    // A build that is found needs none, so it is looked up last.
    const auto device_code = [](const plan::SearchableStep& each) {
      return plan::compiles_device_code(each.step->id);
    };
    if (!std::ranges::all_of(open, device_code)) std::erase_if(open, device_code);
    if (open.empty()) return all;
    std::vector<LookedUp> looked = look_up_all(open, search);
    for (size_t i = 0; i < open.size(); ++i) {
      const std::string& step = open[i].step->id;
      asked.insert(step);
      if (looked[i].warning) all.warnings.push_back(*std::move(looked[i].warning));
      if (!looked[i].hit) continue;
      // Under the key of this machine, where the run looks for it.
      all.results[{step, open[i].key}] = std::move(looked[i].hit->outcome);
      all.found[step] = std::move(looked[i].hit->stored);
    }
  }
}

void store_reused(const plan::Plan& plan, const SearchedResults& known, const ResultFacts& facts,
                  const ports::Clock& clock, Store& store) {
  const std::map<std::string, plan::StepOutcome> reused = plan::reuse(plan, known.results);
  for (const plan::Step& step : plan.steps) {
    const auto outcome = reused.find(step.id);
    if (outcome == reused.end() || !plan::is_shareable(step)) continue;
    const auto found = known.found.find(step.id);
    if (found == known.found.end()) {
      // With its original end time: reusing it took no time.
      const auto earlier = known.results.find({step.id, outcome->second.key});
      if (earlier != known.results.end()) store_result(step, earlier->second, facts, clock, store);
    } else if (!facts.plan.empty() && found->second.plan != facts.plan) {
      store::Entry result = found->second;
      result.plan = facts.plan;
      std::map<std::string, fs::path> files;
      for (size_t i = 0; i < result.outputs.size(); ++i) {
        files[result.outputs[i].name] = outcome->second.outputs[i].path;
      }
      store.put(std::move(result), files);
    }
  }
}

Done StoringRecorder::started(const run::Attempt& attempt) {
  return journal_.started(attempt);
}

Done StoringRecorder::finished(const plan::StepOutcome& outcome) {
  TRY_DONE(journal_.finished(outcome));
  const auto step = std::find_if(plan_.steps.begin(), plan_.steps.end(),
                                 [&](const plan::Step& each) { return each.id == outcome.id; });
  if (step == plan_.steps.end() || !plan::is_shareable(*step)) return {};
  const bool test = std::holds_alternative<plan::TestWheel>(step->action) ||
                    std::holds_alternative<plan::InstallWheel>(step->action);
  const bool over =
      outcome.state == plan::StepState::done || (test && outcome.state == plan::StepState::skipped);
  if (over) store_result(*step, outcome, facts_, clock_, store_);
  return {};
}

}  // namespace pinwheel::host
