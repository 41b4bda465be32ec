#include "journal/history.h"

#include <fmt/format.h>

#include <utility>

namespace pinwheel::journal {

void History::add(const Record& record) {
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
  // The duration of a failure does not predict that of a success.
  const bool well =
      outcome.state == plan::StepState::done || outcome.state == plan::StepState::skipped;
  if (well && outcome.attempts > 0) took[outcome.id] = outcome.elapsed;
  latest[outcome.id] = ended;
}

Result<History> read_history(std::string_view text, store::Domain own) {
  History history{own};
  int number = 0;
  for (;;) {
    const size_t end = text.find('\n', history.intact_bytes);
    if (end == std::string_view::npos) return history;
    const std::string_view line = text.substr(history.intact_bytes, end - history.intact_bytes);
    ++number;
    if (number == 1) {
      TRY_DONE(check_header(line));
    } else {
      Result<Record> record = parse_line(line);
      if (!record) {
        Error error = std::move(record).error();
        error.message = fmt::format("line {} of the journal is damaged", number);
        error.hint = "move the file away, or choose another `--state-dir`";
        return fail(std::move(error));
      }
      history.add(*record);
    }
    history.intact_bytes = end + 1;
  }
}

}  // namespace pinwheel::journal
