#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "host/run/journal_file.h"
#include "host/run/stored_results.h"
#include "pep/version.h"
#include "plan/known_results.h"
#include "prepare/checkout_state.h"
#include "prepare/earlier_results.h"
#include "prepare/http_options.h"
#include "prepare/load.h"
#include "prepare/package_version.h"
#include "prepare/prepare_run.h"
#include "prepare/requested_run.h"
#include "prepare/step_choice.h"
#include "prepare/store_places.h"
#include "publish/release_status.h"
#include "report/table.h"
#include "session/release_status.h"
#include "session/run_store.h"
#include "version/tagged.h"

namespace pinwheel::cli {
namespace {

/// The arguments of `status`, and the version among them.
struct StatusArguments {
  prepare::RunOptions run;
  std::string version = {};
};

StatusArguments split_version(prepare::RunOptions run) {
  StatusArguments split{std::move(run)};
  std::vector<std::string>& arguments = split.run.selection.arguments;
  const auto found = std::find_if(arguments.begin(), arguments.end(), [](const std::string& text) {
    return pep::parse_version(text).has_value();
  });
  if (found == arguments.end()) return split;
  split.version = *found;
  arguments.erase(found);
  return split;
}

Done check_version(const std::string& asked, const std::string& here) {
  if (asked.empty()) return {};
  const auto wanted = pep::parse_version(asked);
  const auto has = pep::parse_version(here);
  if (wanted && has && *wanted == *has) return {};
  return fail(ErrorKind::usage,
              fmt::format("this checkout is version {}, not {}", here, quoted(asked)),
              "check out the commit of that version, or pass its frozen plan with `--plan`");
}

/// The outcomes of steps that have a result, here or in a store. Nothing is fetched.
Result<std::vector<plan::StepOutcome>> outcomes_of(const prepare::Host& host,
                                                   const prepare::PreparedRun& run,
                                                   const prepare::RunStore& store,
                                                   const std::string& plan_digest,
                                                   Streams& streams) {
  const host::Workplace& workplace = run.gathered.workplace;
  plan::Results results;
  if (host.files.resolved_type(workplace.state) != ports::FileType::missing) {
    TRY(const run::History history, host::read_journal(workplace.state, store.domain));
    results = prepare::find_results(run.plan, history);
  }
  TRY(const std::shared_ptr<host::Store> places,
      session::open_run_store(host.files,
                              {store, run.gathered.scope.stores, session::StoreUse::read},
                              workplace, streams));
  if (places->empty()) return plan::known_outcomes(run.plan, results);
  const host::ResultFacts facts = session::result_facts(host, run, plan_digest);
  const host::SearchedResults searched =
      host::search_store(std::move(results), {.store = *places,
                                              .plan = run.plan,
                                              .facts = facts,
                                              .output = workplace.output,
                                              .files = host::ResultFiles::leave,
                                              .log = workplace.log});
  for (const Error& warning : searched.warnings) streams.warn(warning);
  for (const Error& warning : places->finish()) streams.warn(warning);
  return plan::known_outcomes(run.plan, searched.results);
}

bool makes_tag(const plan::Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const plan::Step& step) {
    const auto* const publication = std::get_if<plan::Publish>(&step.action);
    return publication != nullptr && publication->target.kind == matrix::TargetKind::github_release;
  });
}

Error tag_elsewhere(const std::string& tag) {
  return Error{ErrorKind::check, fmt::format("tag {} is at another commit than HEAD", quoted(tag))}
      .with_hint("the release of that tag is compared in a checkout of its commit");
}

/// Fills in the tag of a final or pre-release version. A package that no repository tracks has none
/// to create.
Done add_tag(const prepare::Host& host, const prepare::PreparedRun& run,
             publish::ReleaseStatus& status) {
  const matrix::Matrix& matrix = run.gathered.scope.loaded.matrix;
  const matrix::Package& package = matrix.package;
  if (!package.requirement.empty()) return {};
  TRY(const std::filesystem::path directory, prepare::package_directory(host, matrix));
  const Result<ports::GitFacts> git = prepare::own_repository(host.git, directory);
  if (!git) return {};
  TRY(const std::optional<version::ReleaseTag> tag,
      version::release_tag(*git, package.version.match, package.name, status.version,
                           {status.build, prepare::rules_of(package.version).recuts}));
  if (!tag) return {};
  if (tag->exists) status.tag = tag->name;
  // A release on GitHub makes the tag, and its files show whether it did.
  if (tag->exists || makes_tag(run.plan)) return {};
  if (tag->elsewhere) {
    status.conflicts.push_back(tag_elsewhere(tag->name));
  } else {
    status.wanted_tag = tag->name;
  }
  return {};
}

/// The command line of a release with the options of this one.
std::string release_command(const prepare::GlobalOptions& global, const std::string& version) {
  std::vector<std::string> words = global.arguments;
  std::erase_if(words, [&](const std::string& word) {
    return word == "--json" || (!version.empty() && word == version);
  });
  const auto verb = std::find(words.begin(), words.end(), "status");
  if (verb != words.end()) *verb = "release";
  return "pinwheel " + shell_join(words);
}

/// Only an index that does not answer is worth asking again.
std::string hint_for_reading(const std::vector<Error>& unreadable) {
  for (const Error& each : unreadable) {
    if (each.kind != ErrorKind::transient && !each.hint.empty()) return each.hint;
  }
  return "run it again when the index answers";
}

std::string other_bytes_hint(const publish::ReleaseStatus& status) {
  return status.build == 0 ? "publish another version: an index never replaces a file"
                           : "use a higher build number: an index never replaces a file";
}

std::string hint_for(const publish::ReleaseStatus& status, const std::string& release) {
  switch (publish::remedy_of(status)) {
    case publish::Remedy::another_version:
      return status.conflicts.empty()
                 ? other_bytes_hint(status)
                 : "publish another version: no command completes this one, because a tag is not "
                   "moved";
    case publish::Remedy::first_cut:
      return fmt::format("publish version {} without a build number first", status.version);
    case publish::Remedy::release:
      return quoted(release);
    case publish::Remedy::ask_again:
      return hint_for_reading(status.unreadable);
    case publish::Remedy::tag:
      return quoted(fmt::format("git tag {0} && git push origin {0}", status.wanted_tag));
    case publish::Remedy::none:
      break;
  }
  return {};
}

void print_status(const publish::ReleaseStatus& status, bool json, Streams& streams) {
  if (json) {
    streams.json(publish::status_json(status).dump(2) + "\n");
    return;
  }
  streams.data(report::align_columns(publish::status_rows(status), streams.data_columns()));
  for (const std::string& name : status.unplanned) {
    streams.note(fmt::format("not in the plan: {}\n", name));
  }
  if (!status.tag.empty()) streams.note(fmt::format("tag {} is on HEAD\n", quoted(status.tag)));
}

}  // namespace

Result<int> cmd_status(const prepare::Host& host, const prepare::GlobalOptions& all,
                       const StatusCommand& command, Streams& streams) {
  const StatusArguments arguments = split_version(command.run);
  const prepare::RunOptions& options = arguments.run;
  prepare::GlobalOptions global = all;
  global.named_files.push_back(options.plan_file);
  TRY(const prepare::RunStore store, prepare::read_run_store(options.store, host));
  TRY(const host::HttpOptions requests,
      prepare::transfer_options(host.variables, options.transfer));
  TRY(const std::optional<prepare::PlanFile> frozen,
      prepare::read_frozen_plan(host.files, options.plan_file));
  TRY(const prepare::MatrixChoice choice,
      prepare::choose_matrix_of(host, options.selection.arguments, frozen));
  TRY(prepare::RequestedRun asked,
      prepare::read_run(host, {global, options, choice, plan::Stage::publish, frozen}, streams));
  // The packages of earlier runs: a question installs nothing and resolves nothing.
  if (!frozen) asked.source = prepare::FromRecord{};
  TRY(const prepare::PreparedRun run,
      prepare::prepare_run(host, asked.scope, asked.source, streams));
  const std::string& version = run.gathered.scope.version.version.version;
  TRY_DONE(check_version(arguments.version, version));
  TRY(const std::vector<plan::StepOutcome> outcomes,
      outcomes_of(host, run, store, asked.plan_digest, streams));
  publish::ReleaseStatus status =
      session::compare_release(run.plan, session::expected_files(run.plan, outcomes),
                               {host, run.gathered.workplace, host::last_options(requests)});
  status.version = version;
  status.build = run.gathered.scope.version.version.build;
  status.missing_steps = session::steps_without_result(run.plan, outcomes);
  TRY_DONE(add_tag(host, run, status));
  print_status(status, options.json, streams);
  if (publish::remedy_of(status) == publish::Remedy::none) {
    streams.note(fmt::format("release {} is complete\n", publish::release_name(status)));
    return 0;
  }
  Error error = Error{ErrorKind::check, publish::status_sentence(status)}.with_hint(
      hint_for(status, release_command(global, arguments.version)));
  error.causes = status.conflicts;
  error.causes.insert(error.causes.end(), status.unpublished.begin(), status.unpublished.end());
  error.causes.insert(error.causes.end(), status.unreadable.begin(), status.unreadable.end());
  return fail(std::move(error));
}

}  // namespace pinwheel::cli
