#include "run/history.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "plan/outcome.h"

namespace pinwheel::run {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

Result<store::Domain> domain_of(const nlohmann::json& record) {
  const auto named = record.find("domain");
  if (named == record.end()) return Finished{}.domain;
  const auto name = named->get<std::string>();
  if (const std::optional<store::Domain> domain = store::parse_domain(name)) return *domain;
  return fail(
      ErrorKind::config,
      fmt::format("a line of the journal is not a record: {} is not a domain", quoted(name)));
}

}  // namespace

std::string header_line() {
  return fmt::format("{{\"journal\":{}}}\n", kVersion);
}

std::string to_line(const JournalRecord& record) {
  if (const Started* started = std::get_if<Started>(&record)) {
    const Json json = {{"started",
                        {{"id", started->id},
                         {"key", started->key},
                         {"attempt", started->attempt},
                         {"log", started->log}}},
                       {"at", started->at}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  const Finished& finished = std::get<Finished>(record);
  const Json at = finished.at;
  return fmt::format("{{\"finished\":{},\"at\":{},\"domain\":\"{}\"}}\n",
                     plan::outcome_json(finished.outcome), at.dump(),
                     store::to_string(finished.domain));
}

Result<JournalRecord> parse_line(std::string_view line) {
  try {
    const nlohmann::json json = parse_json(line);
    const std::string at = json.value("at", "");
    if (const auto found = json.find("started"); found != json.end()) {
      return Started{found->at("id").get<std::string>(), found->at("key").get<std::string>(),
                     found->at("attempt").get<int>(), at, found->value("log", "")};
    }
    TRY(plan::StepOutcome outcome, plan::parse_outcome(json.at("finished").dump()));
    TRY(const store::Domain domain, domain_of(json));
    return Finished{std::move(outcome), at, domain};
  } catch (const nlohmann::json::exception& thrown) {
    return fail(ErrorKind::config,
                fmt::format("a line of the journal is not a record: {}", thrown.what()));
  }
}

namespace {

/// `config`, with a hint, if the line is not a header or has another version.
Done check_header(std::string_view line) {
  const nlohmann::json json = read_json(line);
  if (!json.is_object() || !json.contains("journal") || !json["journal"].is_number_integer()) {
    return fail(ErrorKind::config, "the journal does not start with its header",
                "move the file away, or choose another `--state-dir`");
  }
  if (const auto version = json["journal"].get<int64_t>(); version != kVersion) {
    return fail(ErrorKind::config,
                fmt::format("the journal has version {}, this pinwheel reads version {}", version,
                            kVersion),
                "use the pinwheel that wrote it, or choose another `--state-dir`");
  }
  return {};
}

}  // namespace

namespace {

void add_duration(const plan::StepOutcome& outcome, History& history) {
  // The duration of a failure does not predict that of a success.
  const bool skips = outcome.state == plan::StepState::skipped;
  if (!skips && outcome.state != plan::StepState::done) return;
  plan::Samples& samples = history.took.steps[outcome.id];
  if (skips || history.skipped.erase(outcome.id) > 0) samples.clear();
  plan::add_sample(samples, outcome.elapsed);
  if (skips) {
    history.skipped.insert(outcome.id);
    return;
  }
  const std::string kind = plan::prediction_kind(outcome.id, outcome.parts);
  if (!kind.empty()) plan::add_sample(history.took.kinds[kind], outcome.elapsed);
}

}  // namespace

void History::add(const JournalRecord& record) {
  if (const Started* started = std::get_if<Started>(&record)) {
    unfinished[{started->id, started->key}] = started->attempt;
    open[started->id] = *started;
    return;
  }
  const Finished& ended = std::get<Finished>(record);
  const plan::StepOutcome& outcome = ended.outcome;
  unfinished.erase({outcome.id, outcome.key});
  open.erase(outcome.id);
  if (store::may_read(own, ended.domain)) finished[{outcome.id, outcome.key}] = outcome;
  if (outcome.attempts > 0) add_duration(outcome, *this);
  latest[outcome.id] = ended;
}

namespace {

/// Calls `take` for each record of a journal's text, and returns the length of the text up to its
/// last complete line.
Result<size_t> for_each_record(std::string_view text,
                               const std::function<void(const JournalRecord&)>& take) {
  size_t intact = 0;
  int number = 0;
  for (;;) {
    const size_t end = text.find('\n', intact);
    if (end == std::string_view::npos) return intact;
    const std::string_view line = text.substr(intact, end - intact);
    ++number;
    if (number == 1) {
      TRY_DONE(check_header(line));
    } else {
      Result<JournalRecord> record = parse_line(line);
      if (!record) {
        Error error = std::move(record).error();
        error.message = fmt::format("line {} of the journal is damaged", number);
        error.hint = "move the file away, or choose another `--state-dir`";
        return fail(std::move(error));
      }
      take(*record);
    }
    intact = end + 1;
  }
}

/// The run that wrote an outcome, by its log; empty in records without one.
std::string run_of(const plan::StepOutcome& outcome) {
  return std::filesystem::path(outcome.log).parent_path().filename().string();
}

}  // namespace

Result<History> read_history(std::string_view text, store::Domain own) {
  History history{own};
  TRY(history.intact_bytes,
      for_each_record(text, [&history](const JournalRecord& record) { history.add(record); }));
  return history;
}

Result<std::vector<RecordedRun>> read_runs(std::string_view text) {
  std::vector<RecordedRun> runs;
  TRY_DONE(for_each_record(text, [&runs](const JournalRecord& record) {
    const Finished* const finished = std::get_if<Finished>(&record);
    if (finished == nullptr || finished->outcome.log.empty()) return;
    std::string name = run_of(finished->outcome);
    if (runs.empty() || runs.back().name != name) runs.push_back({std::move(name)});
    runs.back().outcomes.push_back(finished->outcome);
  }));
  return runs;
}

}  // namespace pinwheel::run
