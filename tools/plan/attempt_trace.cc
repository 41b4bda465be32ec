#include "plan/attempt_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/parse_integer.h"

namespace pinwheel::plan {
namespace {

using TraceJson = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::array<std::pair<StepPhase, std::string_view>, 3> kPhases = {
    {{StepPhase::input_fetch, "input_fetch"},
     {StepPhase::execution, "execution"},
     {StepPhase::output_upload, "output_upload"}}};

constexpr std::array<std::pair<WaitCause, std::string_view>, 6> kWaitCauses = {
    {{WaitCause::dependency, "dependency"},
     {WaitCause::slot, "slot"},
     {WaitCause::memory, "memory"},
     {WaitCause::pool, "pool"},
     {WaitCause::retry, "retry"},
     {WaitCause::lock, "lock"}}};

constexpr std::array<std::pair<CommandKind, std::string_view>, 5> kCommandKinds = {
    {{CommandKind::compile, "compile"},
     {CommandKind::device_compile, "device_compile"},
     {CommandKind::link, "link"},
     {CommandKind::archive, "archive"},
     {CommandKind::other, "other"}}};

/// A sum of durations must not overflow.
constexpr int64_t kLongest = milliseconds(std::chrono::years(100)).count();

milliseconds duration_at(const nlohmann::json& json, const char* name) {
  return milliseconds(std::clamp<int64_t>(json.at(name).get<int64_t>(), 0, kLongest));
}

/// `other` for a kind that only a newer pinwheel knows.
CommandKind command_kind_at(const nlohmann::json& json) {
  const std::string name = json.at("kind").get<std::string>();
  const auto* const found =
      std::ranges::find(kCommandKinds, name, &std::pair<CommandKind, std::string_view>::second);
  return found == kCommandKinds.end() ? CommandKind::other : found->first;
}

std::optional<TraceTime> time_at(const nlohmann::json& json, const std::string& name) {
  const auto found = json.find(name);
  return found == json.end() ? std::nullopt : parse_trace_time(found->get<std::string>());
}

/// Present only if both ends are, and in order.
std::optional<TraceSpan> span_at(const nlohmann::json& json, const std::string& name) {
  const std::optional<TraceTime> start = time_at(json, name + "_start_timestamp");
  const std::optional<TraceTime> completed = time_at(json, name + "_completed_timestamp");
  if (!start || !completed || *completed < *start) return std::nullopt;
  return TraceSpan{*start, *completed};
}

void put_span(TraceJson& json, const std::string& name, const TraceSpan& span) {
  json[name + "_start_timestamp"] = to_string(span.start);
  json[name + "_completed_timestamp"] = to_string(span.completed);
}

template <class Value>
std::optional<Value> number_at(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? std::nullopt : std::optional(found->get<Value>());
}

/// nullopt for a cause that only a newer pinwheel knows.
std::optional<TracedWait> wait_from(const nlohmann::json& json) {
  const std::string name = json.at("for").get<std::string>();
  for (const auto& [cause, text] : kWaitCauses) {
    if (text == name) {
      return TracedWait{cause, json.value("on", ""), duration_at(json, "ms")};
    }
  }
  return std::nullopt;
}

/// The part of a span that is within `whole`.
TraceSpan within(const TraceSpan& span, const TraceSpan& whole) {
  const TraceTime start = std::clamp(span.start, whole.start, whole.completed);
  return {start, std::clamp(span.completed, start, whole.completed)};
}

/// A command, with its start relative to that of its attempt: half the size of two times.
TraceJson command_object(const TracedCommand& command, TraceTime begun) {
  TraceJson json = {{"output", command.output},
                    {"kind", std::string(to_string(command.kind))},
                    {"start_ms", (command.span.start - begun).count()},
                    {"ms", (command.span.completed - command.span.start).count()}};
  for (const CommandPart& part : command.parts) {
    json["parts"].push_back({{"name", part.name}, {"ms", part.spent.count()}});
  }
  return json;
}

TracedCommand command_from(const nlohmann::json& json, const TraceSpan& ran) {
  TracedCommand command;
  command.output = json.at("output").get<std::string>();
  command.kind = command_kind_at(json);
  const TraceTime start = ran.start + duration_at(json, "start_ms");
  command.span = within({start, start + duration_at(json, "ms")}, ran);
  if (const auto parts = json.find("parts"); parts != json.end()) {
    for (const nlohmann::json& part : *parts) {
      if (command.parts.size() == kMostCommandParts) break;
      command.parts.push_back({part.at("name").get<std::string>(), duration_at(part, "ms")});
    }
  }
  return command;
}

void put_commands(TraceJson& json, const AttemptTrace& trace) {
  for (const CacheHits& use : trace.caches) {
    json["caches"].push_back({{"cache", use.cache}, {"hits", use.hits}, {"misses", use.misses}});
  }
  if (!trace.ran) return;
  for (const TracedCommand& command : trace.commands) {
    json["commands"].push_back(command_object(command, trace.ran->start));
  }
  for (const CommandTotal& total : trace.unlisted) {
    json["unlisted_commands"].push_back({{"kind", std::string(to_string(total.kind))},
                                         {"count", total.count},
                                         {"ms", total.spent.count()}});
  }
}

/// The elements of the list `name`; none without it.
const nlohmann::json& list_at(const nlohmann::json& json, const char* name) {
  static const nlohmann::json kNone = nlohmann::json::array();
  const auto found = json.find(name);
  return found == json.end() ? kNone : *found;
}

void read_commands(AttemptTrace& trace, const nlohmann::json& json) {
  for (const nlohmann::json& one : list_at(json, "caches")) {
    trace.caches.push_back({one.at("cache").get<std::string>(), one.at("hits").get<uint64_t>(),
                            one.at("misses").get<uint64_t>()});
  }
  if (!trace.ran) return;
  for (const nlohmann::json& one : list_at(json, "commands")) {
    if (trace.commands.size() == kMostCommands) break;
    trace.commands.push_back(command_from(one, *trace.ran));
  }
  for (const nlohmann::json& one : list_at(json, "unlisted_commands")) {
    if (trace.unlisted.size() == kCommandKinds.size()) break;
    trace.unlisted.push_back(
        {command_kind_at(one), one.at("count").get<uint64_t>(), duration_at(one, "ms")});
  }
}

milliseconds length_of(const TracedCommand& command) {
  return command.span.completed - command.span.start;
}

void add_total(std::vector<CommandTotal>& totals, const TracedCommand& command) {
  auto found = std::ranges::find(totals, command.kind, &CommandTotal::kind);
  if (found == totals.end()) found = totals.insert(found, CommandTotal{command.kind});
  ++found->count;
  found->spent += length_of(command);
}

}  // namespace

std::string_view to_string(CommandKind kind) {
  return kCommandKinds.at(static_cast<size_t>(kind)).second;
}

std::string_view to_string(StepPhase phase) {
  return kPhases.at(static_cast<size_t>(phase)).second;
}

std::string_view to_string(WaitCause cause) {
  return kWaitCauses.at(static_cast<size_t>(cause)).second;
}

bool is_compiler_cache(const CacheHits& use) {
  return use.cache == "ccache" || use.cache == "sccache" || use.cache == "device code";
}

std::string to_string(TraceTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<milliseconds> clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::optional<TraceTime> parse_trace_time(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00.000Z";
  if (text.size() != kShape.size()) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == '0' ? !digit : text[i] != kShape[i]) return std::nullopt;
  }
  const auto number = [text](size_t at, size_t count) {
    return parse_integer(text.substr(at, count)).value_or(-1);
  };
  const std::chrono::year_month_day date(std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2))));
  // A later year is no time of a run, and its sums could overflow.
  const bool valid = date.ok() && number(0, 4) >= 1970 && number(0, 4) < 2200 &&
                     number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) < 60;
  if (!valid) return std::nullopt;
  return TraceTime(std::chrono::sys_days(date)) + std::chrono::hours(number(11, 2)) +
         std::chrono::minutes(number(14, 2)) + std::chrono::seconds(number(17, 2)) +
         milliseconds(number(20, 3));
}

void list_commands(AttemptTrace& trace, std::vector<TracedCommand> commands) {
  trace.commands.clear();
  trace.unlisted.clear();
  if (!trace.ran) return;
  for (TracedCommand& command : commands) command.span = within(command.span, *trace.ran);
  if (commands.size() > kMostCommands) {
    std::ranges::stable_sort(commands, std::ranges::greater(), length_of);
    for (size_t i = kMostCommands; i < commands.size(); ++i) add_total(trace.unlisted, commands[i]);
    commands.resize(kMostCommands);
    std::ranges::sort(trace.unlisted, {}, &CommandTotal::kind);
  }
  std::ranges::stable_sort(commands, {}, [](const TracedCommand& one) { return one.span.start; });
  trace.commands = std::move(commands);
}

TraceJson trace_object(const AttemptTrace& trace) {
  TraceJson json = TraceJson::object();
  if (!trace.worker.empty()) json["worker"] = trace.worker;
  if (trace.queued) json["queued_timestamp"] = to_string(*trace.queued);
  if (trace.ran) put_span(json, "worker", *trace.ran);
  for (const TracedPhase& each : trace.phases) {
    put_span(json, std::string(to_string(each.phase)), each.span);
  }
  for (const TracedWait& wait : trace.waits) {
    TraceJson one = {{"for", std::string(to_string(wait.cause))}};
    if (!wait.on.empty()) one["on"] = wait.on;
    one["ms"] = wait.spent.count();
    json["waits"].push_back(std::move(one));
  }
  if (trace.cores) json["cores"] = *trace.cores;
  if (trace.memory) json["memory_bytes"] = *trace.memory;
  if (trace.peak_memory) json["peak_bytes"] = *trace.peak_memory;
  if (trace.cpu_time) json["cpu_ms"] = trace.cpu_time->count();
  if (trace.sent) json["sent_bytes"] = *trace.sent;
  if (trace.fetched) json["fetched_bytes"] = *trace.fetched;
  put_commands(json, trace);
  return json;
}

AttemptTrace trace_from(const nlohmann::json& json) {
  AttemptTrace trace;
  trace.worker = json.value("worker", "");
  trace.queued = time_at(json, "queued_timestamp");
  trace.ran = span_at(json, "worker");
  for (const auto& [phase, name] : kPhases) {
    if (const auto span = span_at(json, std::string(name))) trace.phases.push_back({phase, *span});
  }
  if (const auto waits = json.find("waits"); waits != json.end()) {
    for (const nlohmann::json& one : *waits) {
      if (auto wait = wait_from(one)) trace.waits.push_back(*std::move(wait));
    }
  }
  trace.cores = number_at<int>(json, "cores");
  trace.memory = number_at<uint64_t>(json, "memory_bytes");
  trace.peak_memory = number_at<uint64_t>(json, "peak_bytes");
  if (const auto ms = number_at<int64_t>(json, "cpu_ms")) trace.cpu_time = milliseconds(*ms);
  trace.sent = number_at<uint64_t>(json, "sent_bytes");
  trace.fetched = number_at<uint64_t>(json, "fetched_bytes");
  read_commands(trace, json);
  return trace;
}

}  // namespace pinwheel::plan
