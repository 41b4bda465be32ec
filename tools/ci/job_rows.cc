#include "ci/job_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/parse_integer.h"
#include "base/text.h"
#include "matrix/variant.h"
#include "plan/runner_labels.h"
#include "plan/step_id.h"
#include "store/attempt.h"

namespace pinwheel::ci {
namespace {

// Ordered: rows list the axes in the order of the matrix.
using RowJson = nlohmann::ordered_json;

constexpr std::array<std::string_view, 10> kOwnKeys = {
    "step",     "name", "needs",          "minutes", "limit",
    "artifact", "from", "install-driver", "secrets", "trusted"};

// A job that takes half an hour more than three times its predicted duration is stuck. The half
// hour allows for a cold cache and a slower runner.
constexpr int kLimitFactor = 3;
constexpr int kLimitMinutes = 30;

/// The keys that every row has; GitHub passes them to expressions.
RowJson variant_row(const matrix::Variant& variant, const std::string& build) {
  RowJson row = {{"id", variant.id}, {"build", build}};
  for (const auto& [name, value] : variant.axes) row[name] = value;
  for (const auto& [name, value] : variant.attributes) row[name] = value;
  return row;
}

/// The step of a row, with the values that determine its position.
struct RowStep {
  const plan::Step* step;
  const matrix::Variant* variant;
  std::string build;
  double seconds;
  bool trusted;
};

/// The steps and variants from which rows are made, by name.
struct Known {
  std::unordered_map<std::string, const plan::Step*> steps = {};
  matrix::VariantIndex variants;
  std::unordered_map<std::string, std::string> representatives = {};  ///< by "build:CLASS"
};

Known know(const plan::Plan& plan, const plan::Outline& outline,
           const std::vector<matrix::Variant>& variants) {
  Known known{.variants = matrix::VariantIndex(variants)};
  for (const plan::Step& step : plan.steps) known.steps[step.id] = &step;
  for (const plan::BuildGroup& group : outline.builds) {
    known.representatives[plan::build_id(group.cls.id)] = group.cls.representative;
  }
  return known;
}

bool is_job(const std::string& id, Rows rows) {
  switch (rows) {
    case Rows::devices:
      return plan::compiles_device_code(id);
    case Rows::builds:
      return plan::makes_files(id);
    case Rows::tests:
      return plan::kind_of_step(id) == plan::StepKind::test;
    case Rows::installs:
      return plan::kind_of_step(id) == plan::StepKind::install;
  }
  return false;
}

/// The time of a job, which also makes the environments of its step.
double seconds_of(const plan::Step& step, const Known& known) {
  double seconds = step.predicted_seconds;
  for (const std::string& need : step.needs) {
    if (plan::prepares(need)) seconds += seconds_of(*known.steps.at(need), known);
  }
  return seconds;
}

/// Whether a step or one that it needs gets secrets.
bool is_trusted(const plan::Step& step, const Known& known) {
  return !plan::secrets_of(step.action).empty() ||
         std::ranges::any_of(step.needs, [&known](const std::string& need) {
           return is_trusted(*known.steps.at(need), known);
         });
}

/// The steps that it needs of other rows.
std::vector<std::string> needs_of(const plan::Step& step) {
  std::vector<std::string> needs;
  std::copy_if(step.needs.begin(), step.needs.end(), std::back_inserter(needs),
               [](const std::string& need) {
                 return plan::kind_of_step(need) == plan::StepKind::build ||
                        plan::compiles_device_code(need);
               });
  return needs;
}

/// The build that a step is, compiles for or needs; the step itself if there is none.
std::string build_for(const plan::Step& step) {
  if (plan::compiles_device_code(step.id)) return plan::build_of_device_code(step.id);
  if (plan::makes_files(step.id)) return step.id;
  const auto build = std::ranges::find_if(step.needs, [](const std::string& need) {
    return plan::kind_of_step(need) == plan::StepKind::build;
  });
  return build == step.needs.end() ? step.id : *build;
}

/// The variant in whose environment the sdist is made.
std::string variant_of_sdist(const std::string& step, const plan::Outline& outline) {
  const std::string package = plan::parse_step_id(step).value_or(plan::StepId{}).name;
  const plan::BuildGroup* const build = plan::sdist_build(outline, package);
  return (build == nullptr ? outline.builds.front() : *build).cls.representative;
}

Result<RowStep> row_step_of(const plan::Step& step, const plan::Outline& outline,
                            const Known& known) {
  const std::string build = build_for(step);
  std::string variant = plan::variant_of(step.id);
  const std::optional<plan::StepKind> kind = plan::kind_of_step(step.id);
  if (kind == plan::StepKind::build || kind == plan::StepKind::device) {
    variant = known.representatives.at(build);
  }
  if (kind == plan::StepKind::sdist) variant = variant_of_sdist(step.id, outline);
  TRY(const matrix::Variant* const of_job, known.variants.find(variant));
  return RowStep{&step, of_job, build, seconds_of(step, known), is_trusted(step, known)};
}

/// In the order of the plan.
Result<std::vector<RowStep>> row_steps_of(const plan::Plan& plan, const plan::Outline& outline,
                                          const Known& known, Rows rows) {
  std::vector<RowStep> jobs;
  for (const plan::Step& step : plan.steps) {
    if (!is_job(step.id, rows)) continue;
    TRY(RowStep job, row_step_of(step, outline, known));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::string name_of(const std::string& step) {
  std::string name = step;
  if (const size_t colon = name.find(':'); colon != std::string::npos) name[colon] = ' ';
  const char* const between = plan::compiles_device_code(step) ? " for " : " on ";
  if (const size_t at = name.rfind('@'); at != std::string::npos) name.replace(at, 1, between);
  return name;
}

bool is_for_gpu(const plan::Step& step) {
  const auto* const test = std::get_if<plan::TestWheel>(&step.action);
  return test != nullptr && test->settings.hardware == matrix::Hardware::gpu;
}

/// Whether the test needs a GPU. One with a command for machines without a GPU runs on any machine.
plan::NeedsGpu needs_gpu(const plan::Step& step) {
  const bool gpu =
      is_for_gpu(step) && std::get<plan::TestWheel>(step.action).settings.without_gpu.empty();
  return gpu ? plan::NeedsGpu::yes : plan::NeedsGpu::no;
}

std::optional<std::vector<std::string>> runner_of(const RowStep& job,
                                                  const matrix::CiSettings& settings) {
  const bool builds = plan::makes_files(job.step->id) || plan::compiles_device_code(job.step->id);
  return plan::runner_labels(settings, builds ? plan::RunnerUse::build : plan::RunnerUse::test,
                             *job.variant, needs_gpu(*job.step));
}

/// The most jobs in a chain; each is a line in the list of a run.
constexpr int64_t kMostLinks = 20;

/// How many jobs a build needs, by its predicted duration, or by its own time limit if that is
/// longer than a job. Each of them makes the environments. 1 without checkpoints.
size_t links_of(const RowStep& job, const matrix::CiSettings& settings) {
  using std::chrono::seconds;
  const auto* const build = std::get_if<plan::BuildWheel>(&job.step->action);
  if (build == nullptr || !build->settings.build.checkpoint) return 1;
  const auto before = std::chrono::ceil<seconds>(build->settings.build.checkpoint->before);
  const seconds environments(static_cast<int64_t>(job.seconds - job.step->predicted_seconds));
  const seconds usable = std::max(settings.timeout - before - environments, seconds(60));
  const double longest = std::max(job.step->predicted_seconds, job.step->predicted_p90);
  const seconds predicted(static_cast<int64_t>(std::ceil(longest)));
  const auto own = std::chrono::ceil<seconds>(build->settings.build.timeout);
  const seconds most = own > settings.timeout ? std::max(own, predicted) : predicted;
  const int64_t links = (most.count() + usable.count() - 1) / usable.count();
  return static_cast<size_t>(std::clamp(links, int64_t{1}, kMostLinks));
}

/// The limit of a row whose step has a measured duration; at most that of the matrix. A build in
/// several jobs uses the whole time of each but the last, so none of its jobs has a limit of its
/// own.
std::optional<int> limit_of(const RowStep& job, const matrix::CiSettings& settings, int minutes) {
  const bool measured = job.step->prediction == plan::Prediction::measured;
  if (!measured || links_of(job, settings) > 1) return std::nullopt;
  const auto most = std::chrono::ceil<std::chrono::minutes>(settings.timeout).count();
  // A build with checkpoints is stopped before the end of its job.
  const auto* const build = std::get_if<plan::BuildWheel>(&job.step->action);
  const bool stopped = build != nullptr && build->settings.build.checkpoint;
  const std::chrono::milliseconds before =
      stopped ? build->settings.build.checkpoint->before : std::chrono::milliseconds(0);
  const std::int64_t unused = std::chrono::ceil<std::chrono::minutes>(before).count();
  return static_cast<int>(
      std::min<std::int64_t>(most, kLimitFactor * std::int64_t{minutes} + kLimitMinutes + unused));
}

JobRow row_of(const RowStep& job, const matrix::CiSettings& settings) {
  const std::string& step = job.step->id;
  const int minutes = std::max(1, static_cast<int>(std::ceil(job.seconds / 60)));
  return {step,
          name_of(step),
          store::artifact_of(step),
          job.variant->id,
          runner_of(job, settings),
          needs_of(*job.step),
          minutes,
          limit_of(job, settings, minutes),
          job.variant->get("arch"),
          job.variant->get("compute"),
          needs_gpu(*job.step),
          is_for_gpu(*job.step) ? plan::driver_command(settings, *job.variant) : std::string(),
          links_of(job, settings)};
}

/// The part between `result-` and `-*` in the pattern for the artifacts that a row downloads:
/// `build-cpu`, or `{build-a,build-b}` for several.
std::string artifacts_of(const std::vector<std::string>& needs) {
  if (needs.empty()) return {};
  std::vector<std::string> names;
  names.reserve(needs.size());
  for (const std::string& need : needs) names.push_back(store::artifact_of(need));
  return names.size() == 1 ? names.front() : "{" + join(names, ",") + "}";
}

RowJson row_json(const RowStep& job, const JobRow& row) {
  RowJson json = variant_row(*job.variant, job.build);
  json["step"] = row.step;
  json["name"] = row.name;
  json["runner"] = runner_json(*row.runner);
  json["needs"] = row.needs;
  json["minutes"] = row.minutes;
  if (row.limit) json["limit"] = *row.limit;
  json["artifact"] = row.artifact;
  json["from"] = artifacts_of(row.needs);
  if (!row.driver.empty()) json["install-driver"] = row.driver;
  const std::vector<std::string> secrets = plan::secrets_of(job.step->action);
  if (!secrets.empty()) json["secrets"] = secrets;
  if (job.trusted) json["trusted"] = true;
  return json;
}

Done check_names(const std::vector<matrix::Variant>& variants) {
  for (const matrix::Variant& variant : variants) {
    for (const auto* const values : {&variant.axes, &variant.attributes}) {
      for (const auto& [name, value] : *values) {
        if (std::find(kOwnKeys.begin(), kOwnKeys.end(), name) == kOwnKeys.end()) continue;
        return fail(ErrorKind::config,
                    fmt::format("rows of jobs have a key {} of their own, and so has the matrix",
                                quoted(name)),
                    "rename the axis or the attribute");
      }
    }
  }
  return {};
}

struct TimedRow {
  double seconds;
  RowJson json;
};

/// The bytes of a row without the values that depend on earlier runs.
size_t size_of(RowJson row) {
  constexpr size_t kTimes = 40;  // `"minutes":1440,"limit":4350,` at most
  row.erase("minutes");
  row.erase("limit");
  return row.dump().size() + kTimes;
}

/// The rows in order, in chunks of as many rows as fit if all were as long as the longest. So the
/// number of chunks does not depend on measured times.
Result<std::vector<std::vector<TimedRow>>> cut(const std::vector<TimedRow>& rows) {
  size_t longest = 1;
  for (const TimedRow& row : rows) {
    longest = std::max(longest, size_of(row.json));
    if (longest <= kGitHubChunkBytes) continue;
    return fail(ErrorKind::config,
                fmt::format("the row of {} has more than {} bytes, which GitHub does not take",
                            quoted(row.json.at("step").get<std::string>()), kGitHubChunkBytes),
                "shorten its attributes, its labels or its `ci.driver`, which may run a script of "
                "the checkout");
  }
  const size_t most = std::min(kGitHubRowLimit, kGitHubChunkBytes / longest);
  std::vector<std::vector<TimedRow>> chunks(1);
  for (const TimedRow& row : rows) {
    if (chunks.back().size() == most) chunks.emplace_back();
    chunks.back().push_back(row);
  }
  return chunks;
}

/// A chunk as it is printed, the longest first.
std::string printed(std::vector<TimedRow> chunk, size_t chunks) {
  std::ranges::stable_sort(chunk, std::ranges::greater(), &TimedRow::seconds);
  RowJson include = RowJson::array();
  for (TimedRow& row : chunk) include.push_back(std::move(row.json));
  const RowJson line = {{"include", std::move(include)}, {"chunks", chunks}};
  return line.dump() + "\n";
}

Result<std::string> include_line(const RowJson& rows) {
  if (rows.size() > kGitHubRowLimit) {
    return fail(ErrorKind::usage,
                fmt::format("the matrix has {} rows, but GitHub Actions accepts at most {}",
                            rows.size(), kGitHubRowLimit),
                fmt::format("split it: {}, and `--shard ${{{{ matrix.shard }}}}` in the job",
                            quoted(fmt::format("--shards {}", (rows.size() + kGitHubRowLimit - 1) /
                                                                  kGitHubRowLimit))));
  }
  return RowJson{{"include", rows}}.dump() + "\n";
}

}  // namespace

nlohmann::ordered_json runner_json(const std::vector<std::string>& labels) {
  if (labels.size() == 1) return labels.front();
  return labels;
}

Result<std::vector<JobRow>> job_rows(const plan::Plan& plan, const plan::Outline& outline,
                                     const std::vector<matrix::Variant>& variants,
                                     const matrix::CiSettings& settings, Rows rows) {
  TRY(std::vector<RowStep> jobs, row_steps_of(plan, outline, know(plan, outline, variants), rows));
  std::ranges::stable_sort(jobs, std::ranges::greater(), &RowStep::seconds);
  std::vector<JobRow> all;
  all.reserve(jobs.size());
  for (const RowStep& job : jobs) all.push_back(row_of(job, settings));
  return all;
}

Result<RowChunks> row_chunks(const plan::Plan& plan, const plan::Outline& outline,
                             const std::vector<matrix::Variant>& variants,
                             const matrix::CiSettings& settings, Rows rows) {
  TRY_DONE(check_names(variants));
  TRY(const std::vector<RowStep> jobs,
      row_steps_of(plan, outline, know(plan, outline, variants), rows));
  std::vector<TimedRow> made;
  made.reserve(jobs.size());
  RowChunks out;
  for (const RowStep& job : jobs) {
    const JobRow each = row_of(job, settings);
    if (each.runner) {
      made.push_back({job.seconds, row_json(job, each)});
    } else {
      out.unplaced.push_back(each.step);
    }
  }
  TRY(const std::vector<std::vector<TimedRow>> chunks, cut(made));
  for (const std::vector<TimedRow>& chunk : chunks)
    out.chunks.push_back(printed(chunk, chunks.size()));
  return out;
}

Result<ChunkChoice> parse_chunk(const std::string& text) {
  const size_t slash = text.find('/');
  const std::optional<int> number = parse_integer(text.substr(0, slash));
  const std::optional<int> of =
      slash == std::string::npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  const bool whole = slash == std::string::npos || (of && *of >= 1);
  if (number && whole) return ChunkChoice{*number, of};
  return fail(ErrorKind::usage, fmt::format("{} is not a chunk", quoted(text)),
              "write `--chunk 2`, or `--chunk 2/4` for the second of at most four");
}

Result<std::string> chunk_of(const RowChunks& rows, const ChunkChoice& choice) {
  const auto count = static_cast<int>(rows.chunks.size());
  if (choice.of && count > *choice.of) {
    return fail(
        ErrorKind::config,
        fmt::format("the rows have {}, and only {} requested", plural(rows.chunks.size(), "chunk"),
                    *choice.of == 1 ? "1 is" : fmt::format("{} are", *choice.of)),
        "write the workflows again: `pinwheel ci generate`");
  }
  if (choice.number >= 1 && choice.number <= count) {
    return rows.chunks[static_cast<size_t>(choice.number - 1)];
  }
  if (choice.of && choice.number >= 1 && choice.number <= *choice.of) {
    const RowJson none = {{"include", RowJson::array()}, {"chunks", count}};
    return none.dump() + "\n";
  }
  return fail(ErrorKind::usage, fmt::format("there is no chunk {}", choice.number),
              fmt::format("the rows have {}",
                          count == 1 ? "one chunk, 1" : fmt::format("{} chunks, from 1", count)));
}

Result<std::string> github_rows(const plan::Outline& outline,
                                const std::vector<matrix::Variant>& variants, Rows rows) {
  RowJson all = RowJson::array();
  if (rows == Rows::tests) {
    const std::unordered_map<std::string, std::string> build_of = plan::builds_by_variant(outline);
    for (const matrix::Variant& variant : outline.variants) {
      all.push_back(variant_row(variant, build_of.at(variant.id)));
    }
    return include_line(all);
  }
  const matrix::VariantIndex index(variants);
  for (const plan::BuildGroup& group : outline.builds) {
    TRY(const matrix::Variant* const builder, index.find(group.cls.representative));
    all.push_back(variant_row(*builder, plan::build_id(group.cls.id)));
  }
  return include_line(all);
}

Result<std::string> github_shards(const std::vector<plan::Outline>& shards) {
  RowJson all = RowJson::array();
  for (size_t i = 0; i < shards.size(); ++i) {
    if (shards[i].builds.empty()) continue;
    std::vector<std::string> builds;
    std::vector<std::string> variants;
    for (const plan::BuildGroup& group : shards[i].builds) builds.push_back(group.cls.id);
    for (const matrix::Variant& variant : shards[i].variants) variants.push_back(variant.id);
    all.push_back({{"shard", fmt::format("{}/{}", i + 1, shards.size())},
                   {"builds", join(builds, " ")},
                   {"variants", join(variants, " ")}});
  }
  return include_line(all);
}

}  // namespace pinwheel::ci
