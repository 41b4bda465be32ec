#include "env/classify.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/text.h"

namespace pinwheel::env {
namespace {

/// What any program may report.
constexpr std::array kFullDisk = {
    Symptom{"No space left on device", ErrorKind::environment, kFreeSpace},
    Symptom{"Disk quota exceeded", ErrorKind::environment, kFreeSpace},
};

std::string_view line_around(std::string_view text, size_t at) {
  const size_t begin = text.rfind('\n', at);
  const size_t end = text.find('\n', at);
  const size_t from = begin == std::string_view::npos ? 0 : begin + 1;
  return trim(text.substr(from, end == std::string_view::npos ? end : end - from));
}

/// The position of `pattern` in the text; its parts between `*` must be on one line, in order.
size_t find_pattern(std::string_view text, std::string_view pattern) {
  const std::vector<std::string> parts = split(pattern, '*');
  for (size_t at = text.find(parts[0]); at != std::string_view::npos;
       at = text.find(parts[0], at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    size_t from = parts[0].size();
    bool all = true;
    for (size_t i = 1; all && i < parts.size(); ++i) {
      const size_t next = line.find(parts[i], from);
      all = next != std::string_view::npos;
      if (all) from = next + parts[i].size();
    }
    if (all) return at;
  }
  return std::string_view::npos;
}

std::optional<Diagnosis> first_match(std::string_view output, std::span<const Symptom> table) {
  for (const Symptom& row : table) {
    const size_t at = find_pattern(output, row.text);
    if (at == std::string_view::npos) continue;
    return Diagnosis{row.kind, std::string(line_around(output, at)), std::string(row.hint)};
  }
  return std::nullopt;
}

}  // namespace

Diagnosis diagnose(const ports::Exit& exit, std::string_view output,
                   std::span<const Symptom> table) {
  if (exit.canceled) return {.kind = ErrorKind::interrupted};
  if (exit.timed_out) return {.kind = ErrorKind::timeout};
  if (exit.out_of_memory) {
    return {.kind = ErrorKind::out_of_memory, .hint = "run fewer jobs with `--jobs`"};
  }
  if (auto disk = first_match(output, kFullDisk)) {
    disk->lack = Lack::disk_space;
    return *disk;
  }
  return first_match(output, table).value_or(Diagnosis{});
}

std::string ending(const ports::Exit& exit) {
  if (exit.timed_out) return "exceeded its time limit";
  return exit.signal != 0 ? fmt::format("ended by signal {}", exit.signal)
                          : fmt::format("exit code {}", exit.code);
}

Error to_error(const Diagnosis& diagnosis, std::string_view what, const ports::Exit& exit) {
  const bool told = !diagnosis.line.empty() && !exit.timed_out;
  return Error{.kind = diagnosis.kind,
               .message = fmt::format("{} failed: {}", what, told ? diagnosis.line : ending(exit)),
               .at = diagnosis.at,
               .hint = diagnosis.hint};
}

}  // namespace pinwheel::env
