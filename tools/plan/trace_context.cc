#include "plan/trace_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"

namespace pinwheel::plan {
namespace {

constexpr size_t kTraceDigits = 32;
constexpr size_t kSpanDigits = 16;
constexpr size_t kShortestContext = 2 + 1 + kTraceDigits + 1 + kSpanDigits + 1 + 2;

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return is_lower_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

/// The first digits of a digest over texts that may contain anything.
std::string id_of(const std::vector<std::string_view>& texts, size_t digits) {
  std::string all;
  for (const std::string_view text : texts) all += fmt::format("{}:{},", text.size(), text);
  std::string id = sha256_hex(all).substr(0, digits);
  // An id of zeros is invalid.
  if (!is_id(id)) id.back() = '1';
  return id;
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view text) {
  if (text.size() < kShortestContext) return std::nullopt;
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(3, kTraceDigits);
  const std::string_view span = text.substr(4 + kTraceDigits, kSpanDigits);
  const std::string_view flags = text.substr(kShortestContext - 2, 2);
  const bool longer = text.size() > kShortestContext;
  if (!is_lower_hex(version) || version == "ff" || (version == "00" && longer)) return std::nullopt;
  if (longer && text[kShortestContext] != '-') return std::nullopt;
  if (text[2] != '-' || text[3 + kTraceDigits] != '-' || text[kShortestContext - 3] != '-') {
    return std::nullopt;
  }
  if (!is_id(trace) || !is_id(span) || !is_lower_hex(flags)) return std::nullopt;
  const bool sampled = std::string_view("13579bdf").find(flags[1]) != std::string_view::npos;
  return TraceContext{std::string(trace), std::string(span),
                      sampled ? Sampling::sampled : Sampling::dropped};
}

std::string traceparent(const TraceContext& context, std::string_view span) {
  const bool sampled = context.sampling == Sampling::sampled;
  return fmt::format("00-{}-{}-{}", context.trace_id, span, sampled ? "01" : "00");
}

std::string parse_tracestate(std::string_view text) {
  constexpr size_t kMostState = 512;
  constexpr size_t kMostMembers = 32;
  const std::string_view state = trim(text);
  const bool printable =
      std::ranges::all_of(state, [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); });
  if (!printable || state.size() > kMostState) return {};
  const std::vector<std::string> members = split(state, ',');
  const bool listed = std::ranges::all_of(members, [](const std::string& each) {
    const std::string_view member = trim(each);
    const size_t key = member.find('=');
    return member.empty() ||
           (key != std::string_view::npos && key > 0 && member.find_first_of(" \t") >= key);
  });
  const bool empty = state.find('=') == std::string_view::npos;
  return listed && !empty && members.size() <= kMostMembers ? std::string(state) : std::string();
}

void put_trace(const PassedTrace& trace, std::map<std::string, std::string>& variables) {
  if (trace.parent.empty()) return;
  variables[kTraceParent] = trace.parent;
  if (!trace.state.empty()) variables[kTraceState] = trace.state;
}

std::string trace_id_of(const std::vector<std::string>& seed) {
  std::vector<std::string_view> texts = {"pinwheel-trace/1"};
  texts.insert(texts.end(), seed.begin(), seed.end());
  return id_of(texts, kTraceDigits);
}

std::string span_of_run(const TraceContext& context, std::string_view run) {
  return id_of({context.trace_id, "run", run}, kSpanDigits);
}

std::string span_of_step(const TraceContext& context, std::string_view run, std::string_view step) {
  return id_of({context.trace_id, "step", run, step}, kSpanDigits);
}

std::string span_of_attempt(const TraceContext& context, std::string_view run,
                            std::string_view step, int attempt) {
  return id_of({context.trace_id, "attempt", run, step, std::to_string(attempt)}, kSpanDigits);
}

std::string span_of_part(const TraceContext& context, std::string_view parent,
                         std::string_view name) {
  return id_of({context.trace_id, "part", parent, name}, kSpanDigits);
}

}  // namespace pinwheel::plan
