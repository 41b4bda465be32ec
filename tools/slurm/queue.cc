#include "slurm/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::slurm {
namespace {

struct StateWord {
  std::string_view word;
  JobState state;
};
constexpr std::array kStateWords = {
    StateWord{"PENDING", JobState::pending},
    StateWord{"CONFIGURING", JobState::configuring},
    StateWord{"RUNNING", JobState::running},
    StateWord{"SUSPENDED", JobState::suspended},
    StateWord{"STOPPED", JobState::stopped},
    StateWord{"SIGNALING", JobState::signaling},
    StateWord{"STAGE_OUT", JobState::stage_out},
    StateWord{"RESIZING", JobState::resizing},
    StateWord{"COMPLETING", JobState::completing},
    StateWord{"REQUEUED", JobState::requeued},
    StateWord{"REQUEUE_HOLD", JobState::requeue_hold},
    StateWord{"REQUEUE_FED", JobState::requeue_fed},
    StateWord{"SPECIAL_EXIT", JobState::special_exit},
    StateWord{"COMPLETED", JobState::completed},
    StateWord{"FAILED", JobState::failed},
    StateWord{"TIMEOUT", JobState::timeout},
    StateWord{"DEADLINE", JobState::deadline},
    StateWord{"OUT_OF_MEMORY", JobState::out_of_memory},
    StateWord{"CANCELLED", JobState::cancelled},
    StateWord{"PREEMPTED", JobState::preempted},
    StateWord{"NODE_FAIL", JobState::node_fail},
    StateWord{"BOOT_FAIL", JobState::boot_fail},
    StateWord{"LAUNCH_FAILED", JobState::launch_failed},
    StateWord{"REVOKED", JobState::revoked},
};

JobState state_of_word(std::string_view word) {
  const auto* const found = std::ranges::find(kStateWords, word, &StateWord::word);
  return found == kStateWords.end() ? JobState::unknown : found->state;
}

/// Seconds since 1970; 0 for "Unknown", "N/A", "None".
int64_t time_in(std::string_view text) {
  const uint64_t seconds = parse_unsigned(text).value_or(0);
  return seconds < uint64_t{1} << 40U ? static_cast<int64_t>(seconds) : 0;
}

/// Empty for the words with which Slurm says that there is nothing.
std::string text_in(std::string_view text) {
  const bool nothing = text == "(null)" || text == "N/A" || text == "None";
  return nothing ? std::string() : std::string(text);
}

/// squeue prints "job requeued in held state" where scontrol has underscores.
std::string reason_in(std::string_view text) {
  return replace_all(text_in(text), " ", "_");
}

/// "17", "17_3"; not "17_[0-3]".
bool is_job_id(std::string_view text) {
  const size_t bar = text.find('_');
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, is_digit);
  };
  return digits(text.substr(0, bar)) &&
         (bar == std::string_view::npos || digits(text.substr(bar + 1)));
}

/// How a program ended.
struct ExitWord {
  int code = 0;
  int signal = 0;
};

/// Reads "2:0".
std::optional<ExitWord> exit_in(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<int> code = parse_integer(text.substr(0, colon));
  const std::optional<int> signal = parse_integer(text.substr(colon + 1));
  if (!code || !signal) return std::nullopt;
  return ExitWord{*code, *signal};
}

constexpr char kField = '\x1f';
constexpr char kRecord = '\x1e';
constexpr size_t kSqueueFields = 10;
// Job, number, state, reason, nodes, times of submission, start and end, time limit, comment.
constexpr std::string_view kSqueueFormat =
    "\x1e%i\x1f%A\x1f%T\x1f%r\x1f%N\x1f%V\x1f%S\x1f%e\x1f%l\x1f%k\x1f";

/// The fields before the comment.
using SqueueFields = std::array<std::string_view, kSqueueFields - 1>;

/// The fields at the front of a text, and the text after them.
struct SqueueFront {
  SqueueFields fields = {};
  std::string_view rest = {};
};

/// nullopt: there are fewer fields.
std::optional<SqueueFront> front_of(std::string_view text) {
  SqueueFront front;
  for (std::string_view& field : front.fields) {
    const size_t end = text.find(kField);
    if (end == std::string_view::npos) return std::nullopt;
    field = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  front.rest = text;
  return front;
}

Job squeue_job(const SqueueFields& fields, std::string_view comment) {
  Job job;
  job.id = fields[0];
  job.number = fields[1];
  job.state = parse_job_state(fields[2]);
  job.reason = reason_in(fields[3]);
  job.node = text_in(fields[4]);
  job.submitted = time_in(fields[5]);
  job.started = time_in(fields[6]);
  job.ended = time_in(fields[7]);
  job.time_limit = text_in(fields[8]);
  job.comment = text_in(comment);
  return job;
}

using Fields = std::map<std::string, std::string, std::less<>>;

constexpr std::array<std::string_view, 13> kScontrolFields = {
    "JobId",     "ArrayJobId", "ArrayTaskId", "JobState", "Reason",   "Restarts", "ExitCode",
    "TimeLimit", "SubmitTime", "StartTime",   "EndTime",  "NodeList", "Comment"};

/// Where a blank and `NAME=` begin, from `from` on.
size_t find_field(std::string_view text, std::string_view name, size_t from) {
  return text.find(fmt::format(" {}=", name), from);
}

/// The value of a comment: until the field that follows it (`StdErr`, or `Switches` and others in
/// other releases), a word that begins with an upper case letter and has `=`.
std::string_view comment_at(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  for (size_t blank = text.find(' '); blank != std::string_view::npos;
       blank = text.find(' ', blank + 1)) {
    const size_t word = text.find_first_not_of(' ', blank);
    if (word == std::string_view::npos) return text.substr(0, blank);
    const std::string_view rest = text.substr(word);
    const size_t equals = rest.substr(0, rest.find(' ')).find('=');
    if (equals != std::string_view::npos && rest[0] >= 'A' && rest[0] <= 'Z') {
      return text.substr(0, blank);
    }
  }
  return text;
}

/// The fields of a record, or nullopt if one occurs twice.
std::optional<Fields> scontrol_fields(const std::string& record) {
  Fields fields;
  const std::string text = " " + record;
  for (const std::string_view name : kScontrolFields) {
    const size_t at = find_field(text, name, 0);
    if (at == std::string::npos) continue;
    if (find_field(text, name, at + 1) != std::string::npos) return std::nullopt;
    const std::string_view value = std::string_view(text).substr(at + name.size() + 2);
    fields.emplace(
        name, name == "Comment" ? comment_at(value) : value.substr(0, value.find_first_of(" \n")));
  }
  return fields;
}

std::optional<Job> scontrol_record(const std::string& record) {
  const std::optional<Fields> fields = scontrol_fields(record);
  if (!fields) return std::nullopt;
  const auto at = [&](std::string_view name) {
    const auto found = fields->find(name);
    return found == fields->end() ? std::string() : found->second;
  };
  Job job;
  job.number = at("JobId");
  job.id = fields->contains("ArrayJobId")
               ? fmt::format("{}_{}", at("ArrayJobId"), at("ArrayTaskId"))
               : job.number;
  job.state = parse_job_state(at("JobState"));
  const std::optional<ExitWord> ending = exit_in(at("ExitCode"));
  if (!is_job_id(job.id) || job.state == JobState::unknown || !ending) return std::nullopt;
  job.exit_code = ending->code;
  job.signal = ending->signal;
  job.reason = reason_in(at("Reason"));
  job.restarts = parse_integer(at("Restarts")).value_or(0);
  job.node = text_in(at("NodeList"));
  job.submitted = time_in(at("SubmitTime"));
  job.started = time_in(at("StartTime"));
  job.ended = time_in(at("EndTime"));
  job.time_limit = text_in(at("TimeLimit"));
  job.comment = text_in(at("Comment"));
  return job;
}

constexpr size_t kSacctFields = 10;
constexpr std::string_view kSacctFormat =
    "JobID,JobIDRaw,State,ExitCode,NodeList,Submit,Start,End,MaxRSS,Comment";

/// Bytes of "2048K", "1.5G"; 0 for other text.
uint64_t memory_in(std::string_view text) {
  if (text.empty()) return 0;
  constexpr std::string_view kUnits = "KMGT";
  const size_t unit = kUnits.find(text.back());
  if (unit != std::string_view::npos) text.remove_suffix(1);
  const uint64_t scale = unit == std::string_view::npos ? 1 : uint64_t{1} << (10 * (unit + 1));
  const size_t dot = text.find('.');
  const std::optional<uint64_t> whole = parse_unsigned(text.substr(0, dot));
  // More than any machine has is no size.
  if (!whole || *whole > (uint64_t{1} << 50U) / scale) return 0;
  uint64_t tenths = 0;
  if (dot != std::string_view::npos && dot + 1 < text.size() && is_digit(text[dot + 1])) {
    tenths = static_cast<uint64_t>(text[dot + 1] - '0') * scale / 10;
  }
  return *whole * scale + tenths;
}

/// The lines of a sacct row, without the lines of the job's steps ("17.batch", "17.0"), whose
/// memory is added to the job.
void add_sacct_line(const std::vector<std::string>& fields, std::vector<Job>& jobs) {
  const size_t dot = fields[0].find('.');
  if (dot != std::string::npos) {
    if (!jobs.empty() && jobs.back().id == fields[0].substr(0, dot)) {
      jobs.back().peak_memory = std::max(jobs.back().peak_memory, memory_in(fields[8]));
    }
    return;
  }
  Job job;
  job.id = fields[0];
  job.number = fields[1];
  job.state = parse_job_state(fields[2]);
  const std::optional<ExitWord> ending = exit_in(fields[3]);
  if (!is_job_id(job.id) || job.state == JobState::unknown || !ending) return;
  job.exit_code = ending->code;
  job.signal = ending->signal;
  job.node = fields[4] == "None assigned" ? std::string() : text_in(fields[4]);
  job.submitted = time_in(fields[5]);
  job.started = time_in(fields[6]);
  job.ended = time_in(fields[7]);
  job.peak_memory = memory_in(fields[8]);
  // A comment may have the separator.
  job.comment =
      text_in(join(std::vector<std::string>(fields.begin() + kSacctFields - 1, fields.end()), "|"));
  jobs.push_back(std::move(job));
}

/// Without the jobs whose number occurs twice.
std::vector<Job> without_doubles(std::vector<Job> jobs) {
  std::map<std::string, int> count;
  for (const Job& job : jobs) ++count[job.number];
  std::erase_if(jobs, [&](const Job& job) { return count[job.number] > 1; });
  return jobs;
}

}  // namespace

JobState parse_job_state(std::string_view text) {
  text = text.substr(0, text.find(' '));
  JobState state = JobState::unknown;
  for (const std::string& word : split(text, ',')) {
    const JobState one = state_of_word(word);
    if (state == JobState::unknown || has_ended(one)) state = one;
  }
  return state;
}

bool has_ended(JobState state) {
  switch (state) {
    case JobState::completed:
    case JobState::failed:
    case JobState::timeout:
    case JobState::deadline:
    case JobState::out_of_memory:
    case JobState::cancelled:
    case JobState::preempted:
    case JobState::node_fail:
    case JobState::boot_fail:
    case JobState::launch_failed:
    case JobState::revoked:
      return true;
    case JobState::pending:
    case JobState::configuring:
    case JobState::running:
    case JobState::suspended:
    case JobState::stopped:
    case JobState::signaling:
    case JobState::stage_out:
    case JobState::resizing:
    case JobState::completing:
    case JobState::requeued:
    case JobState::requeue_hold:
    case JobState::requeue_fed:
    case JobState::special_exit:
    case JobState::unknown:
      return false;
  }
  return false;
}

std::vector<std::string> squeue_command(const std::string& user) {
  return {"squeue",       "--noheader",     "--array",
          "--states=all", "--user=" + user, "--format=" + std::string(kSqueueFormat)};
}

std::vector<Job> read_squeue(std::string_view output) {
  std::vector<Job> jobs;
  // A comment may have the separators as well, but ends where the next record begins.
  const std::string_view next = "\x1f\n\x1e";
  while (!output.empty() && output[0] == kRecord) {
    output.remove_prefix(1);
    const std::optional<SqueueFront> front = front_of(output);
    if (!front) break;
    output = front->rest;
    const size_t begin_of_next = output.find(next);
    const bool last = begin_of_next == std::string_view::npos;
    const size_t end = last ? output.rfind(kField) : begin_of_next;
    if (end == std::string_view::npos) break;
    if (is_job_id(front->fields[0])) {
      jobs.push_back(squeue_job(front->fields, output.substr(0, end)));
    }
    if (last) break;
    output.remove_prefix(end + next.size() - 1);
  }
  return jobs;
}

std::vector<std::string> scontrol_command(const std::string& id) {
  return {"scontrol", "show", "job", "--oneliner", id};
}

std::vector<Job> read_scontrol(std::string_view output) {
  std::vector<Job> jobs;
  std::string record;
  const auto finish = [&] {
    if (std::optional<Job> job = scontrol_record(record)) jobs.push_back(std::move(*job));
    record.clear();
  };
  for (const std::string& line : split(output, '\n')) {
    if (line.starts_with("JobId=")) finish();
    record += line + "\n";
  }
  finish();
  return without_doubles(std::move(jobs));
}

std::vector<std::string> sacct_command(const std::string& user, std::chrono::seconds last) {
  return {"sacct",
          "--noheader",
          "--parsable2",
          "--user=" + user,
          fmt::format("--starttime=now-{}seconds", last.count()),
          "--format=" + std::string(kSacctFormat)};
}

std::vector<Job> read_sacct(std::string_view output) {
  std::vector<Job> jobs;
  for (const std::string& line : split(output, '\n')) {
    const std::vector<std::string> fields = split(line, '|');
    if (fields.size() >= kSacctFields) add_sacct_line(fields, jobs);
  }
  return without_doubles(std::move(jobs));
}

}  // namespace pinwheel::slurm
