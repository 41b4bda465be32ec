#include "env/classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "env/first_error.h"
#include "env/missing_compiler.h"

namespace pinwheel::env {
namespace {

/// Messages that any program may print.
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
  const bool has_line = !diagnosis.line.empty() && !exit.timed_out;
  return Error{
      .kind = diagnosis.kind,
      .message = fmt::format("{} failed: {}", what, has_line ? diagnosis.line : ending(exit)),
      .at = diagnosis.at,
      .hint = diagnosis.hint};
}

namespace {

using Lines = std::vector<std::string>;

bool starts_with_one_of(std::string_view line, const std::vector<std::string_view>& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [line](std::string_view start) { return line.starts_with(start); });
}

/// pip's own words before and after the reason.
bool is_frame(std::string_view line) {
  return line.empty() ||
         starts_with_one_of(
             line, {"hint:", "note:", "[notice]", "[end of output]", "×", "╰─>", "│",
                    "error: metadata-generation-failed", "error: subprocess-exited-with-error",
                    "ERROR: Failed to build", "ERROR: Failed building wheel", "Failed to build",
                    "Running setup.py clean", "full command:", "cwd:"});
}

/// The output of the last build backend that failed: the lines between pip's two marks.
Lines backend_output(const Lines& lines) {
  const auto ends = [](const std::string& line) { return line == "[end of output]"; };
  const auto end = std::find_if(lines.rbegin(), lines.rend(), ends);
  if (end == lines.rend()) return {};
  const auto begin = std::find_if(end, lines.rend(), [](const std::string& line) {
    return line.starts_with("╰─> [") && line.ends_with("of output]");
  });
  return {begin.base(), end.base() - 1};
}

template <class Iterator, class Test>
std::string first_in(Iterator begin, Iterator end, Test test) {
  const auto found = std::find_if(begin, end, test);
  return found == end ? std::string() : *found;
}

/// The line of pip's output that explains the failure, trimmed: in the output of a build backend
/// the compiler's first error, else the backend's last one; else pip's last line that is neither a
/// hint nor a note. Empty for output without text.
std::string pip_reason(std::string_view output) {
  Lines lines;
  for (const std::string& line : split(output, '\n')) lines.emplace_back(trim(line));
  const Lines inner = backend_output(lines);
  std::string reason = first_error(inner);
  const auto is_text = [](const std::string& line) { return !is_frame(line); };
  if (reason.empty()) reason = first_in(inner.rbegin(), inner.rend(), is_text);
  if (reason.empty()) reason = first_in(lines.rbegin(), lines.rend(), is_text);
  return reason;
}

constexpr std::string_view kIndexHint =
    "check the network, the proxy and the index, then run again";
constexpr std::string_view kLogin = "check the credentials of the index";
constexpr std::string_view kNoPackage =
    "check the name, the version and the indexes of the pip configuration (`pip config list`)";

constexpr std::string_view kPipMismatch = "THESE PACKAGES DO NOT MATCH THE HASHES";
constexpr std::string_view kOtherBytes =
    "the index serves other bytes than the release has: publish another version";

constexpr std::string_view kPrivate =
    "the first index of a release must be readable without credentials";

constexpr std::string_view kPipConflict =
    "because these package versions have conflicting dependencies";

// Permanent failures come first; then the network, because pip also reports "No matching
// distribution" when the index could not be reached, after lines that name the cause; then
// rejections by the index.
constexpr std::array kPipTable = {
    Symptom{
        kPipMismatch, ErrorKind::environment,
        "the index serves a different file under the same name: resolve again with `--refresh`"},
    Symptom{kPipConflict, ErrorKind::config, "relax one of the requirements it names"},
    Symptom{"ERROR: ResolutionImpossible", ErrorKind::config,
            "relax one of the requirements it names"},
    Symptom{"Invalid requirement", ErrorKind::config, "write it as in PEP 508, `name>=1.0`"},
    Symptom{"is not a supported wheel on this platform", ErrorKind::config,
            "the wheel is for another Python or machine"},
    Symptom{"CERTIFICATE_VERIFY_FAILED", ErrorKind::environment,
            "set `PIP_CERT` to the certificate authority of the index"},
    Symptom{"is not a trusted or secure host and is being ignored", ErrorKind::environment,
            "use https, or set `PIP_TRUSTED_HOST` to the host"},
    Symptom{"Server Error", ErrorKind::transient, kIndexHint},
    Symptom{"429 Client Error", ErrorKind::transient, kIndexHint},
    Symptom{"too many * error responses", ErrorKind::transient, kIndexHint},
    Symptom{"onnection broken by", ErrorKind::transient, kIndexHint},
    Symptom{"IncompleteRead", ErrorKind::transient, kIndexHint},
    Symptom{"Read timed out", ErrorKind::transient, kIndexHint},
    Symptom{"Connection reset by peer", ErrorKind::transient, kIndexHint},
    Symptom{"Temporary failure in name resolution", ErrorKind::transient, kIndexHint},
    Symptom{"Max retries exceeded", ErrorKind::transient, kIndexHint},
    // A truncated download: pip does not check the length if the server closes the connection
    // early.
    Symptom{"Wheel * located at * is invalid", ErrorKind::transient, kIndexHint},
    Symptom{"401 Client Error", ErrorKind::environment, kLogin},
    Symptom{"403 Client Error", ErrorKind::environment, kLogin},
    Symptom{"Could not find a version that satisfies", ErrorKind::config, kNoPackage},
    Symptom{"No matching distribution found for", ErrorKind::config, kNoPackage},
    Symptom{"404 Client Error", ErrorKind::config, kNoPackage},
    Symptom{"Could not install packages due to an OSError", ErrorKind::environment,
            "fix the cause that pip names"},
};

/// pip's reasons for a conflict, without duplicates, in its order: "one 1.0 depends on tiny==1.0".
/// They are a separate paragraph, which a build's output may indent.
std::vector<std::string> conflict_reasons(std::string_view output) {
  constexpr std::string_view kHead = "The conflict is caused by:";
  std::vector<std::string> reasons;
  size_t at = output.find(kHead);
  if (at == std::string_view::npos) return reasons;
  while ((at = output.find('\n', at)) != std::string_view::npos) {
    ++at;
    const std::string reason(trim(output.substr(at, output.find('\n', at) - at)));
    if (reason.empty() || reason.starts_with("ERROR: ")) break;
    // Old versions of pip repeat a reason for each version that they tried of another package.
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
  return reasons;
}

/// "ERROR: Cannot install ... have conflicting dependencies: REASON; REASON, and 3 more".
std::string conflict_line(std::string line, std::vector<std::string> reasons) {
  constexpr size_t kShown = 5;
  if (reasons.empty()) return line;
  const size_t others = reasons.size() - std::min(reasons.size(), kShown);
  reasons.resize(reasons.size() - others);
  if (line.ends_with('.')) line.pop_back();
  line += ": " + join(reasons, "; ");
  return others == 0 ? line : line + fmt::format(", and {} more", others);
}

}  // namespace

Diagnosis classify_pip(const ports::Exit& exit, std::string_view output) {
  Diagnosis diagnosis = diagnose(exit, output, kPipTable);
  if (diagnosis.line.find(kPipConflict) != std::string::npos) {
    diagnosis.line = conflict_line(std::move(diagnosis.line), conflict_reasons(output));
  }
  if (diagnosis.kind != ErrorKind::step) return diagnosis;
  if (const std::optional<Diagnosis> compiler = missing_compiler(output)) return *compiler;
  diagnosis.line = pip_reason(output);
  return diagnosis;
}

Diagnosis classify_pip_of_release(const ports::Exit& exit, std::string_view output) {
  Diagnosis diagnosis = classify_pip(exit, output);
  const bool mismatch = diagnosis.line.find(kPipMismatch) != std::string::npos;
  if (!mismatch && diagnosis.hint != kLogin) return diagnosis;
  diagnosis.kind = ErrorKind::check;
  diagnosis.hint = mismatch ? kOtherBytes : kPrivate;
  return diagnosis;
}

namespace {

constexpr std::array kUvTable = {
    Symptom{"Hash mismatch for", ErrorKind::check, kOtherBytes},
    Symptom{"401 Unauthorized", ErrorKind::check, kPrivate},
    Symptom{"403 Forbidden", ErrorKind::check, kPrivate},
    Symptom{"invalid peer certificate", ErrorKind::environment,
            "set `SSL_CERT_FILE` to the certificate authority of the index"},
    Symptom{"error sending request", ErrorKind::transient, kIndexHint},
    Symptom{"Connection reset", ErrorKind::transient, kIndexHint},
    Symptom{"operation timed out", ErrorKind::transient, kIndexHint},
    Symptom{"HTTP status server error", ErrorKind::transient, kIndexHint},
    Symptom{"429 Too Many Requests", ErrorKind::transient, kIndexHint},
    Symptom{"No space left on device", ErrorKind::environment, kFreeSpace},
};

/// The error of uv and its first cause, "No solution found: Because ...". Older releases mark both
/// with signs that are not ASCII.
std::string uv_reason(std::string_view output) {
  constexpr size_t kMost = 2;
  std::vector<std::string> reasons;
  for (const std::string& line : split(output, '\n')) {
    std::string_view text = trim(line);
    const size_t before = text.size();
    for (const std::string_view mark : {"error: ", "cause: "}) {
      if (text.starts_with(mark)) text.remove_prefix(mark.size());
    }
    while (!text.empty() && static_cast<unsigned char>(text.front()) >= 0x80) text.remove_prefix(1);
    const bool marked = text.size() < before;
    text = trim(text);
    if (text.ends_with(':')) text.remove_suffix(1);
    if (marked && reasons.size() < kMost) reasons.emplace_back(text);
  }
  return join(reasons, ": ");
}

}  // namespace

Diagnosis classify_uv(const ports::Exit& exit, std::string_view output) {
  Diagnosis diagnosis = diagnose(exit, output, kUvTable);
  if (diagnosis.line.empty() || diagnosis.kind == ErrorKind::check) {
    diagnosis.line = uv_reason(output);
  }
  return diagnosis;
}

namespace {

using TestLines = std::vector<std::string>;

/// The prefix of pytest's exception lines, "E   ValueError: no".
std::string pytest_exception(const TestLines& lines) {
  constexpr std::string_view kMark = "E   ";
  for (const std::string& line : lines) {
    if (line.starts_with(kMark)) return std::string(trim(std::string_view(line).substr(1)));
  }
  return {};
}

/// "test_a.py::test_x: assert 1 == 2 (and 3 more)" from the summary, whose lines may be cut, and
/// from the first failure.
std::string pytest_failure(const TestLines& lines) {
  const auto head = std::ranges::find_if(lines, [](const std::string& line) {
    return line.find("= short test summary info =") != std::string::npos;
  });
  std::vector<std::string> failed;
  for (auto line = head; line != lines.end(); ++line) {
    for (const std::string_view word : {"FAILED ", "ERROR "}) {
      if (line->starts_with(word)) failed.push_back(line->substr(word.size()));
    }
  }
  const std::string exception = pytest_exception(lines);
  if (failed.empty()) return head == lines.end() ? exception : std::string();
  const size_t dash = failed.front().find(" - ");
  std::string text = failed.front().substr(0, dash);
  if (!exception.empty()) {
    text += ": " + exception;
  } else if (dash != std::string::npos) {
    text += ": " + failed.front().substr(dash + 3);
  }
  if (failed.size() > 1) text += fmt::format(" (and {} more)", failed.size() - 1);
  return text;
}

/// "test_a (t.T.test_a): AssertionError: 1 != 2".
std::string unittest_failure(const TestLines& lines) {
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i - 1].starts_with("=====")) continue;
    for (const std::string_view word : {"FAIL: ", "ERROR: "}) {
      if (!lines[i].starts_with(word)) continue;
      const auto rest = lines.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end = std::find_if(
          rest + 1, lines.end(), [](const std::string& line) { return line.starts_with("====="); });
      const std::string exception = python_exception({rest, end});
      const std::string name = lines[i].substr(word.size());
      return exception.empty() ? name : fmt::format("{}: {}", name, exception);
    }
  }
  return {};
}

std::string failure_in(const TestLines& lines) {
  for (std::string line : {pytest_failure(lines), unittest_failure(lines), python_exception(lines),
                           abort_reason(lines), tool_error(lines)}) {
    if (!line.empty()) return line;
  }
  return {};
}

/// Whether a signal ended the command, or a program below its shell.
bool ended_by_signal(const ports::Exit& exit) {
  constexpr int kShell = 128;
  constexpr int kSignals = 64;
  return exit.signal != 0 || (exit.code > kShell && exit.code <= kShell + kSignals);
}

/// The last line with text.
std::string last_line(const TestLines& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const bool speaks = std::ranges::any_of(*line, is_alphanumeric);
    if (speaks && !line->starts_with("Aborted") && !line->starts_with("Segmentation fault")) {
      return *line;
    }
  }
  return {};
}

}  // namespace

Diagnosis classify_test(const ports::Exit& exit, std::string_view output) {
  Diagnosis diagnosis = diagnose(exit, {}, {});
  if (diagnosis.kind != ErrorKind::step) return diagnosis;
  const TestLines lines = plain_lines(output);
  if (!ended_by_signal(exit)) {
    diagnosis.line = failure_in(lines);
    return diagnosis;
  }
  std::string reason = abort_reason(lines);
  if (!reason.empty()) {
    diagnosis.line = fmt::format("{} ({})", reason, ending(exit));
  } else if (std::string last = last_line(lines); !last.empty()) {
    diagnosis.line = fmt::format("{} after the line {}", ending(exit), quoted(last));
  }
  return diagnosis;
}

}  // namespace pinwheel::env
