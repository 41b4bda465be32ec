#include "cli/recorded_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "cli/frozen_run.h"
#include "cli/levels.h"
#include "cli/load.h"
#include "cli/prepare_containers.h"
#include "cli/stoppable.h"
#include "host/git/git.h"
#include "host/machine/machine_name.h"
#include "host/system/files.h"
#include "plan/step_id.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// A report may come from anywhere: what it calls a file of the repository must be one.
Done check_matrix_path(const std::string& path) {
  const fs::path relative(path);
  const bool leaves = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (!path.empty() && !relative.is_absolute() && !leaves) return {};
  return fail(ErrorKind::config, fmt::format("`{}` is no matrix file of a repository", path),
              "where the run was outside git, name the matrix: `pinwheel reproduce REPORT "
              "MATRIX.yaml`");
}

Done check_machine(const plan::FrozenPlan& frozen) {
  const std::string here = host::machine_name();
  if (here == frozen.machine) return {};
  return fail(ErrorKind::environment,
              fmt::format("the run was on {}, this machine is {}", frozen.machine, here),
              "repeat it on a machine of that architecture");
}

bool serves(const plan::BuildGroup& group, const std::string& step) {
  const bool tests = step.starts_with("test:") &&
                     std::find(group.tests.begin(), group.tests.end(), plan::variant_of(step)) !=
                         group.tests.end();
  return tests || step == "build:" + group.cls.id || step == "sdist";
}

/// Of the run's variants those that the step is about: one for a build or a test, all for an
/// environment.
Result<plan::Outline> outline_of_step(const Loaded& loaded, const plan::FrozenPlan& frozen,
                                      const std::string& step) {
  std::vector<matrix::Variant> selected;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    const auto& ids = frozen.variants;
    if (std::find(ids.begin(), ids.end(), variant.id) != ids.end()) selected.push_back(variant);
  }
  const plan::Outline whole = plan::make_outline(loaded.classes, selected);
  if (step.starts_with("env:")) return whole;
  for (const plan::BuildGroup& group : whole.builds) {
    if (!serves(group, step) || group.tests.empty()) continue;
    const std::string id = step.starts_with("test:") ? plan::variant_of(step) : group.tests.front();
    return outline_of(loaded, id);
  }
  return fail(ErrorKind::config, fmt::format("`{}` has no step `{}`", loaded.matrix.file, step),
              "the matrix is not the one of the run");
}

void tell_differences(const plan::RunOrigin& origin, const std::string& matrix_digest,
                      const Facts& facts, Streams& streams) {
  if (origin.plan.source_digest != facts.plan.source.digest) {
    streams.warn({ErrorKind::drift, origin.dirty
                                        ? "the run's checkout had changes that its commit has not"
                                        : "the package source is not the one of the run"});
  }
  if (origin.plan.matrix_digest != matrix_digest) {
    streams.warn({ErrorKind::drift, "the matrix file is not the one of the run"});
  }
  const bool hosts = origin.plan.levels.engine == env::Engine::host;
  if (hosts && origin.toolchain != facts.plan.toolchain) {
    streams.warn(
        {ErrorKind::environment, fmt::format("the run's compiler was `{}`, this machine's is `{}`",
                                             trim(origin.toolchain), trim(facts.plan.toolchain))});
  }
  for (const Error& image : other_images(facts)) streams.warn(image);
}

}  // namespace

Result<RecordedSource> recorded_source(const plan::RunOrigin& origin, SourceOf of,
                                       const fs::path& place, const host::GitProgram& git) {
  TRY_DONE(check_matrix_path(origin.matrix));
  if (origin.commit.empty()) return RecordedSource{origin.matrix};
  host::LibGit2 repository;
  TRY(const ports::GitFacts checkout, repository.facts(fs::current_path()));
  if (of == SourceOf::this_checkout) {
    return RecordedSource{(checkout.root / origin.matrix).string()};
  }
  TRY(host::Worktree worktree, host::Worktree::add(git, checkout.root, origin.commit, place));
  return RecordedSource{(place / origin.matrix).string(), std::move(worktree)};
}

Result<OneVariant> gather_recorded_run(const GlobalOptions& global, const std::string& matrix,
                                       const plan::RunOrigin& origin, const std::string& step,
                                       const LevelOptions& asked, Streams& streams) {
  host::LocalFiles files;
  TRY_DONE(check_machine(origin.plan));
  TRY(Loaded loaded, load_matrix(files, matrix, streams, Warnings::tell));
  TRY(const std::string matrix_text, files.read(matrix));
  TRY(plan::Outline outline, outline_of_step(loaded, origin.plan, step));
  TRY(host::Workplace workplace, make_workplace(global, loaded));
  Facts facts;
  take_frozen(origin.plan, facts);
  facts.plan.machine = origin.plan.machine;
  TRY_DONE(gather_build_facts(loaded, workplace, facts));
  facts.plan.variables.clear();
  for (const auto& [name, value] : origin.variables) {
    if (decides_build(name)) facts.plan.variables[name] = value;
  }
  TRY(const LevelOptions levels, frozen_levels(asked, origin.plan));
  const bool build = step.starts_with("build:") || step == "sdist";
  TRY(plan::PlanOptions options,
      plan_options(build ? plan::Stage::build : plan::Stage::test, facts.targets, levels));
  const Undertaking what{loaded, outline, options};
  const TestImages images = plan::is_image_test(step) ? TestImages::prepare : TestImages::leave;
  const auto prepare = [&]() -> Done {
    TRY_DONE(prepare_containers(what, levels, images, workplace, streams, facts));
    tell_differences(origin, sha256_hex(matrix_text), facts, streams);
    TRY_DONE(record_frozen(origin.plan, what, workplace, OtherPython::accept, streams, facts));
    return gather_resolutions(what, workplace, Refresh::no, streams, facts);
  };
  TRY_DONE(stoppable(workplace, prepare));
  TRY(plan::Plan plan,
      plan::make_plan(loaded.matrix, loaded.expansion, outline, facts.plan, options));
  return OneVariant{step,
                    std::move(loaded),
                    std::move(outline),
                    std::move(facts),
                    std::move(workplace),
                    std::move(options),
                    std::move(plan)};
}

}  // namespace pinwheel::cli
