#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "ci/workflow.h"
#include "cli/ci_workflows.h"
#include "cli/commands.h"
#include "host/run/journal_file.h"
#include "plan/image_tests.h"
#include "plan/promotion.h"
#include "plan/step_id.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/run_scope.h"
#include "report/documentation.h"
#include "report/shipped_documents.h"

namespace pinwheel::cli {
namespace {

using Words = std::vector<std::string>;

/// The matrix on the line; none if it is missing or invalid, which the command itself reports.
std::optional<prepare::Loaded> loaded_matrix(const prepare::Host& host,
                                             const CompletionRequest& request, Streams& streams) {
  const Words named = request.matrix.empty() ? Words() : Words{request.matrix};
  const Result<prepare::MatrixChoice> choice = prepare::choose_matrix(host, named);
  if (!choice) return std::nullopt;
  Result<prepare::Loaded> loaded =
      prepare::load_matrix(host.files, choice->path, streams, prepare::Warnings::print);
  return loaded ? std::optional(*std::move(loaded)) : std::nullopt;
}

void add_ids(const prepare::Loaded& loaded, Words& words) {
  for (const matrix::Variant& variant : loaded.expansion.variants) words.push_back(variant.id);
  for (const matrix::AbiClass& each : loaded.classes) words.push_back(plan::build_id(each.id));
}

void add_installs(const prepare::Loaded& loaded, Words& words) {
  for (const auto& each : plan::channel_installs(loaded.matrix, loaded.expansion)) {
    for (const std::string& variant : each.variants) words.push_back(plan::install_id(variant));
  }
}

/// Adds the ids that `explain` takes, except those of environments.
void add_explained(const prepare::Loaded& loaded, Words& words) {
  add_ids(loaded, words);
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    words.push_back(plan::test_id(variant.id));
  }
  add_installs(loaded, words);
}

void add_matrix_files(ports::Files& files, Words& words) {
  for (const std::string directory : {"", "matrix/"}) {
    const Result<Words> names = files.list(directory.empty() ? "." : directory);
    for (const std::string& name : names.value_or(Words())) {
      if (prepare::is_matrix_name(name)) words.push_back(directory + name);
    }
  }
}

/// Adds the steps that were run, are running or were killed.
void add_steps(const prepare::GlobalOptions& global, const CompletionRequest& request,
               Words& words) {
  const std::string& directory = request.state_dir.empty() ? global.state_dir : request.state_dir;
  const Result<run::History> history = host::read_whole_journal(directory);
  if (!history) return;
  for (const auto& [step, finished] : history->latest) words.push_back(step);
  for (const auto& [step, attempt] : history->unfinished) words.push_back(step.first);
}

/// Adds the builds, the sdists, the tests, the install tests and the publications of the matrix.
void add_planned_steps(const prepare::Loaded& loaded, Words& words) {
  for (const matrix::AbiClass& each : loaded.classes) words.push_back(plan::build_id(each.id));
  if (loaded.matrix.package.sdist) words.push_back(plan::sdist_id());
  for (const matrix::FamilyMember& member : loaded.matrix.family) {
    if (member.package.sdist) words.push_back(plan::sdist_id(member.package.name));
  }
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    words.push_back(plan::test_id(variant.id));
  }
  add_installs(loaded, words);
  for (const matrix::PublishTarget& target : loaded.matrix.targets) {
    words.push_back(plan::publish_id(target.name));
  }
  const Result<plan::PlanOptions> options = prepare::plan_options(plan::Stage::test, {}, {});
  if (!options) return;
  const plan::Outline outline = plan::make_outline(loaded.classes, loaded.expansion.variants);
  const Result<std::vector<plan::ImageTest>> tests =
      plan::image_tests(loaded.matrix, loaded.expansion, outline, *options);
  if (!tests) return;
  for (const plan::ImageTest& test : *tests) words.push_back(test.id);
}

/// Adds the jobs of the workflows, and the rows of builds, tests and install tests.
void add_jobs(const prepare::Loaded& loaded, Words& words) {
  add_planned_steps(loaded, words);
  std::erase_if(words, [](const std::string& word) {
    return plan::kind_of_step(word) == plan::StepKind::publish;
  });
  const Result<std::vector<ci::PlannedWorkflow>> workflows =
      planned_workflows(loaded, {}, loaded.matrix.file);
  if (!workflows) return;
  for (const ci::PlannedWorkflow& each : *workflows) {
    for (const ci::Job& job : ci::make_workflow(each.facts).jobs) words.push_back(job.id);
  }
}

/// Adds "python=", or the values that may follow the last comma of "python=3.12,".
void add_selectors(const prepare::Loaded& loaded, const std::string& current, Words& words) {
  const size_t equals = current.find('=');
  for (const matrix::Axis& axis : loaded.matrix.axes) {
    if (equals == std::string::npos) words.push_back(axis.name + "=");
    if (equals == std::string::npos || current.substr(0, equals) != axis.name) continue;
    const size_t comma = current.rfind(',');
    size_t prefix = 1 + std::max(equals, comma == std::string::npos ? 0 : comma);
    if (prefix < current.size() && current[prefix] == '!') ++prefix;
    for (const std::string& value : axis.values) words.push_back(current.substr(0, prefix) + value);
  }
}

void add_matrix_words(const prepare::Host& host, const CompletionRequest& request, Streams& streams,
                      Words& words) {
  const std::optional<prepare::Loaded> loaded = loaded_matrix(host, request, streams);
  if (!loaded) return;
  if (request.what == Completing::selector) {
    add_selectors(*loaded, request.current, words);
  } else if (request.what == Completing::channel) {
    for (const auto& channel : loaded->matrix.channels) words.push_back(channel.name);
  } else if (request.what == Completing::target) {
    for (const auto& target : loaded->matrix.targets) words.push_back(target.name);
  } else if (request.what == Completing::planned_step) {
    add_planned_steps(*loaded, words);
  } else if (request.what == Completing::job_or_matrix) {
    add_jobs(*loaded, words);
  } else if (request.what == Completing::explained) {
    add_explained(*loaded, words);
  } else {
    add_ids(*loaded, words);
  }
}

Words candidates_for(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const CompletionRequest& request, Streams& streams) {
  Words words = request.words;
  switch (request.what) {
    case Completing::words:
    case Completing::files:
      break;
    case Completing::planned_step:
      add_matrix_words(host, request, streams, words);
      add_steps(global, request, words);
      break;
    case Completing::step_or_matrix:
      add_steps(global, request, words);
      [[fallthrough]];
    case Completing::job_or_matrix:
    case Completing::explained:
    case Completing::id_or_matrix:
      add_matrix_words(host, request, streams, words);
      add_matrix_files(host.files, words);
      break;
    case Completing::id:
    case Completing::selector:
    case Completing::channel:
    case Completing::target:
      add_matrix_words(host, request, streams, words);
      break;
    case Completing::step:
      add_steps(global, request, words);
      break;
    case Completing::subject:
      words = report::documented_subjects(report::shipped_documents());
      break;
  }
  return words;
}

}  // namespace

Result<int> cmd_complete(const prepare::Host& host, const prepare::GlobalOptions& global,
                         const CompleteOptions& options, Streams& streams) {
  const CompletionRequest request = completion_request(options.line);
  const Words words = candidates_for(host, global, request, streams);
  for (const std::string& word : std::set<std::string>(words.begin(), words.end())) {
    if (word.starts_with(request.current)) streams.data(word + "\n");
  }
  return 0;
}

}  // namespace pinwheel::cli
