#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/foresee.h"
#include "cli/gather.h"
#include "cli/levels.h"
#include "cli/load.h"
#include "host/git/git.h"
#include "host/system/files.h"
#include "plan/image_tests.h"
#include "plan/make_plan.h"
#include "plan/shards.h"
#include "report/forecast_text.h"
#include "report/plan_json.h"
#include "report/plan_text.h"

namespace pinwheel::cli {
namespace {

/// The formats that the matrix alone decides; they never ask git.
Result<std::string> text_from_matrix(const PlanOptions& options, const Loaded& loaded,
                                     const plan::Outline& outline) {
  const bool builds = options.stage == StageRows::build;
  switch (options.format) {
    case PlanFormat::support_table: {
      TRY(const plan::SupportTable table,
          plan::make_support_table(loaded.matrix, loaded.expansion));
      return report::support_table(table);
    }
    case PlanFormat::github:
      if (options.shards > 0) {
        return report::github_shards(plan::split_into_shards(outline, options.shards));
      }
      return report::github_rows(outline, loaded.expansion.variants,
                                 builds ? report::Rows::builds : report::Rows::tests);
    default:
      return builds ? report::build_ids(outline) : report::variant_ids(outline);
  }
}

Result<std::string> text_from_facts(const PlanOptions& options, const Loaded& loaded,
                                    const plan::Outline& outline, const Facts& facts) {
  if (options.format == PlanFormat::dot) {
    TRY(const plan::PlanOptions whole,
        plan_options(plan::Stage::publish, facts.targets, options.levels));
    TRY(const plan::Plan plan,
        plan::make_plan(loaded.matrix, loaded.expansion, outline, facts.plan, whole));
    return report::plan_dot(plan);
  }
  TRY(const plan::Namings namings, name_builds(loaded, outline, facts));
  TRY(const plan::PlanOptions tests, plan_options(plan::Stage::test, {}, options.levels));
  TRY(const std::vector<plan::ImageTest> images,
      plan::image_tests(loaded.matrix, loaded.expansion, outline, tests));
  if (options.format == PlanFormat::json) {
    return report::outline_json(outline, namings, facts.plan.version.version, images);
  }
  return report::plan_table(outline, images);
}

/// What a run here would do; empty where nothing has been run.
Result<std::string> text_from_journal(const GlobalOptions& global, const LevelOptions& levels,
                                      const Loaded& loaded, const plan::Outline& outline,
                                      const Facts& facts) {
  TRY(const std::optional<Foreseen> foreseen, foresee(global, levels, loaded, outline, facts));
  if (!foreseen) return std::string();
  std::vector<std::optional<std::chrono::seconds>> ages;
  for (const RecordedResolution& each : foreseen->environments) ages.push_back(each.age);
  return fmt::format("\n{}\n{}", report::forecast_table(foreseen->steps),
                     report::resolutions_line(ages));
}

bool needs_facts(const PlanOptions& options) {
  return !options.out.empty() || options.format == PlanFormat::table ||
         options.format == PlanFormat::json || options.format == PlanFormat::dot;
}

}  // namespace

Result<int> cmd_plan(const GlobalOptions& global, const PlanOptions& options, Streams& streams) {
  host::LocalFiles files;
  TRY(const MatrixChoice choice, choose_matrix(files, options.selection.arguments));
  const Warnings warnings = options.selection.strict ? Warnings::refuse : Warnings::tell;
  TRY(const Loaded loaded, load_matrix(files, choice.path, streams, warnings));
  if (!needs_facts(options)) {
    TRY(const plan::Outline outline,
        select_outline(loaded, options.selection, choice.globs, options.selection.channel));
    TRY(const std::string text, text_from_matrix(options, loaded, outline));
    streams.data(text);
    return 0;
  }
  host::LibGit2 git;
  TRY(const Facts facts, gather_version_facts(files, git, loaded, options.selection.channel, {}));
  TRY(const plan::Outline outline,
      select_outline(loaded, options.selection, choice.globs, facts.channel));
  TRY(const std::string text, text_from_facts(options, loaded, outline, facts));
  if (!options.out.empty()) {
    const UseLocks locks = options.no_lock ? UseLocks::no : UseLocks::yes;
    TRY_DONE(freeze_plan(files, global, {options.out, loaded, outline, options.levels, locks},
                         facts, streams));
  }
  streams.data(text);
  if (options.format == PlanFormat::table) {
    TRY(const std::string would, text_from_journal(global, options.levels, loaded, outline, facts));
    streams.data(would);
  }
  return 0;
}

}  // namespace pinwheel::cli
