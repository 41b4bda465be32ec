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
      // A sum of waits must not overflow.
      constexpr int64_t kMost = milliseconds(std::chrono::years(100)).count();
      const int64_t spent = std::clamp<int64_t>(json.at("ms").get<int64_t>(), 0, kMost);
      return TracedWait{cause, json.value("on", ""), milliseconds(spent)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(StepPhase phase) {
  return kPhases.at(static_cast<size_t>(phase)).second;
}

std::string_view to_string(WaitCause cause) {
  return kWaitCauses.at(static_cast<size_t>(cause)).second;
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
  return trace;
}

}  // namespace pinwheel::plan
