#include "prepare/collect_answers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/parallel.h"
#include "base/text.h"
#include "env/lock.h"
#include "host/provision/backend_answers.h"
#include "host/system/scratch_directory.h"
#include "matrix/family.h"
#include "matrix/variant.h"
#include "plan/environments.h"
#include "plan/locks.h"
#include "prepare/budget.h"
#include "prepare/host.h"
#include "prepare/prepare_environments.h"
#include "prepare/prepared_run.h"
#include "prepare/stoppable.h"
#include "prepare/workplace.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// The digest of a variant's environment without the answer; empty if there is no question about
/// it, or its settings are wrong, which the plan reports.
std::string environment_of(const RunScope& scope, const matrix::Variant& variant) {
  const matrix::Matrix& matrix = scope.loaded.matrix;
  const Result<matrix::Settings> settings = matrix::settings_for(matrix, variant);
  if (!settings || settings->environment.build_requires == matrix::BuildRequires::none) return {};
  const Result<env::Request> request =
      plan::base_request(matrix, variant, *settings, scope.options);
  return request ? env::digest(*request) : std::string();
}

/// The question about an environment: a digest of everything that decides the answer.
std::string question_for(const std::string& environment, const BackendQuestion& question) {
  return sha256_hex(nlohmann::json{environment, question.inputs}.dump());
}

/// The question to the backend of a variant's package; null if nothing is asked.
const BackendQuestion* question_of(const RunScope& scope, const matrix::Variant& variant,
                                   const BackendQuestions& packages) {
  const auto found = packages.find(matrix::package_of(scope.loaded.matrix, variant).name);
  return found == packages.end() ? nullptr : &found->second;
}

/// The digest of the question about a variant's build; empty if there is none.
std::string question_about(const RunScope& scope, const matrix::Variant& variant,
                           const BackendQuestions& packages) {
  const BackendQuestion* const question = question_of(scope, variant, packages);
  if (question == nullptr) return {};
  const std::string environment = environment_of(scope, variant);
  return environment.empty() ? std::string() : question_for(environment, *question);
}

/// The question to the backend of a build's package; null if nothing is asked.
const BackendQuestion* question_of(const RunScope& scope, const plan::BuildWheel& build,
                                   const BackendQuestions& packages) {
  const matrix::VariantIndex variants(scope.loaded.expansion.variants);
  for (const plan::BuildGroup& group : scope.outline.builds) {
    if (group.cls.id != build.class_id) continue;
    const auto variant = variants.find(group.cls.representative);
    return variant ? question_of(scope, **variant, packages) : nullptr;
  }
  return nullptr;
}

/// The answers in the locks of a matrix. A damaged lock is reported when locks are applied.
BackendAnswers locked_answers(ports::Files& files, const std::string& matrix_file) {
  BackendAnswers answers;
  const fs::path directory = plan::lock_directory(matrix_file);
  const Result<std::vector<std::string>> names = files.list(directory);
  if (!names) return answers;
  for (const std::string& name : *names) {
    if (!name.ends_with(".toml")) continue;
    const Result<std::string> text = files.read(directory / name);
    if (!text) continue;
    const Result<env::Lock> lock = env::parse_pylock(*text, name);
    if (lock && lock->backend) answers[lock->backend->question] = lock->backend->texts;
  }
  return answers;
}

BackendAnswers supplied_answers(ports::Files& files, const RunScope& scope,
                                const PackageSource& source) {
  if (const auto* const frozen = std::get_if<FromFrozenPlan>(&source)) return frozen->plan.answers;
  if (const auto* const run = std::get_if<FromRun>(&source)) return run->origin.plan.answers;
  const bool locks =
      std::holds_alternative<FromLocks>(source) || std::holds_alternative<ForLocks>(source);
  return locks ? locked_answers(files, scope.loaded.matrix.file) : BackendAnswers{};
}

Refresh refresh_of(const PackageSource& source) {
  if (const auto* const indexes = std::get_if<FromIndexes>(&source)) return indexes->refresh;
  if (const auto* const locks = std::get_if<FromLocks>(&source)) return locks->refresh;
  if (const auto* const work = std::get_if<ForLocks>(&source)) return work->refresh;
  return Refresh::no;
}

/// Asks the backend in the environment of a build.
Result<std::vector<std::string>> ask_in(const Host& host, const plan::Step& build,
                                        const host::Workplace& workplace,
                                        const project::BuildSystem& system) {
  const OpenMachine local = host.machine(workplace);
  const std::string name = fmt::format("backend-{}", ::getpid());
  TRY(const host::ScratchDirectory scratch,
      host::ScratchDirectory::make(local->files, workplace.state / "shells" / name));
  TRY_DONE(local->files.make_directories(workplace.state / "logs" / "backends"));
  run::Attempt attempt;
  attempt.step = &build;
  attempt.key = build.key;
  attempt.cores = std::min(static_cast<int>(usable_processors()), most_jobs(host.variables));
  attempt.scratch = scratch.path();
  attempt.log = workplace.state / "logs" / "backends" / (build.key.substr(0, 16) + ".log");
  return host.ask_backend(workplace, attempt, system, workplace.stop);
}

/// Makes the environments of these variants and asks the backend in each.
Result<BackendAnswers> ask_all(const RunView& run, const std::vector<matrix::Variant>& variants,
                               const BackendQuestions& packages, Refresh refresh,
                               ports::Notices& notices) {
  RunScope part = run.scope;
  part.outline = plan::make_outline(part.loaded.classes, variants);
  part.options.stage = plan::Stage::build;
  part.executed.reset();  // these environments are made, whichever steps the run executes
  TRY(const PreparedEnvironments made,
      prepare_environments({run.host, part, run.workplace, run.facts}, FromIndexes{refresh},
                           notices));
  TRY(const plan::Plan plan, decide_plan(part, made.facts));
  const host::Workplace workplace = with_path_mode(run.host, made.workplace);
  return stoppable<BackendAnswers>([&](const std::stop_token& stop) -> Result<BackendAnswers> {
    host::Workplace stopped = workplace;
    stopped.stop = stop;
    const OpenMachine local = run.host.machine(stopped);
    BackendAnswers answers;
    for (const plan::Step& step : plan.steps) {
      const auto* const build = std::get_if<plan::BuildWheel>(&step.action);
      const BackendQuestion* const question =
          build == nullptr ? nullptr : question_of(part, *build, packages);
      if (question == nullptr) continue;
      const std::string id = question_for(env::digest(build->environment), *question);
      if (answers.contains(id)) continue;
      notices.note(fmt::format("asking {} what {} requires\n", quoted(question->system.backend),
                               quoted(step.id)));
      TRY(answers[id], ask_in(run.host, step, stopped, question->system));
      TRY_DONE(host::record_answer(*local, id, answers[id]));
    }
    return answers;
  });
}

AvailableAnswers gather_answers(const host::EnvMachine& machine, const RunScope& scope,
                                const std::map<std::string, matrix::Variant>& questions,
                                const PackageSource& source) {
  AvailableAnswers available{supplied_answers(machine.files, scope, source)};
  for (const auto& [id, variant] : questions) {
    if (available.supplied.contains(id)) continue;
    if (auto recorded = host::load_answer(machine, id)) {
      available.recorded[id] = *std::move(recorded);
    }
  }
  return available;
}

matrix::Matrix with_answers(const RunScope& scope, const BackendAnswers& answers,
                            const BackendQuestions& packages) {
  matrix::Matrix matrix = scope.loaded.matrix;
  for (const matrix::Variant& variant : scope.loaded.expansion.variants) {
    const auto found = answers.find(question_about(scope, variant, packages));
    if (found == answers.end()) continue;
    matrix.backend_answers[variant.id] = {found->first, found->second};
  }
  return matrix;
}

}  // namespace

std::map<std::string, matrix::Variant> questions_of(const RunScope& scope,
                                                    const BackendQuestions& packages) {
  const matrix::VariantIndex variants(scope.loaded.expansion.variants);
  std::map<std::string, matrix::Variant> questions;
  for (const plan::BuildGroup& group : scope.outline.builds) {
    const auto variant = variants.find(group.cls.representative);
    if (!variant) continue;
    const std::string question = question_about(scope, **variant, packages);
    if (!question.empty()) questions.emplace(question, **variant);
  }
  return questions;
}

AnswerPlan plan_answers(const std::map<std::string, matrix::Variant>& questions,
                        const AvailableAnswers& available, Asking asking) {
  AnswerPlan plan;
  for (const auto& [id, variant] : questions) {
    if (const auto found = available.supplied.find(id); found != available.supplied.end()) {
      plan.known.insert(*found);
      plan.to_record.insert(*found);
    } else if (const auto old = available.recorded.find(id); old != available.recorded.end()) {
      plan.known.insert(*old);
    } else if (asking == Asking::allowed) {
      plan.to_ask.push_back(variant);
    }
  }
  return plan;
}

Result<matrix::Matrix> collect_answers(const RunView& run, const BackendQuestions& packages,
                                       const PackageSource& source, ports::Notices& notices) {
  if (packages.empty()) return run.scope.loaded.matrix;
  const OpenMachine local = run.host.machine(run.workplace);
  const std::map<std::string, matrix::Variant> questions = questions_of(run.scope, packages);
  const Refresh refresh = refresh_of(source);
  const AvailableAnswers available = refresh == Refresh::yes
                                         ? AvailableAnswers{}
                                         : gather_answers(*local, run.scope, questions, source);
  const bool forecast = std::holds_alternative<FromRecord>(source);
  AnswerPlan plan = plan_answers(questions, available, forecast ? Asking::never : Asking::allowed);
  for (const auto& [id, answer] : plan.to_record) {
    TRY_DONE(host::record_answer(*local, id, answer));
  }
  if (!plan.to_ask.empty()) {
    TRY(BackendAnswers answered, ask_all(run, plan.to_ask, packages, refresh, notices));
    plan.known.merge(answered);
  }
  return with_answers(run.scope, plan.known, packages);
}

}  // namespace pinwheel::prepare
