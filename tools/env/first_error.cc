#include "env/first_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "base/text.h"

namespace pinwheel::env {
namespace {

using OutputLines = std::vector<std::string>;
using Words = std::span<const std::string_view>;

bool shows_part(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

bool shows_one_of(std::string_view line, Words parts) {
  return std::ranges::any_of(parts,
                             [line](std::string_view part) { return shows_part(line, part); });
}

bool begins_with_one_of(std::string_view line, Words starts) {
  return std::ranges::any_of(starts,
                             [line](std::string_view start) { return line.starts_with(start); });
}

/// Messages of programs about another program that has already reported the cause.
constexpr std::array<std::string_view, 27> kEchoes = {
    "collect2: error: ld returned",
    "collect2: fatal error: ld terminated",
    "linker command failed with exit code",
    "failed with exit code",
    "failed with exit status",
    "error: linking with `",
    "error: could not compile `",
    "error: aborting due to",
    "error: failed to run custom build command",
    "error: subprocess-exited-with-error",
    "error: metadata-generation-failed",
    "Error: subprocess-exited-with-error",
    "ERROR: Failed building wheel",
    "ERROR: Failed to build",
    "ERROR: Could not build wheels",
    "Failed building editable",
    "ERROR Backend subprocess exited",
    "Error compiling objects for extension",
    "ninja: build stopped",
    "returned non-zero exit status",
    "died with <Signals.",
    ": *** [",
    "Ptx assembly aborted due to errors",
    "Cython.Compiler.Errors.CompileError: ",
    "CMake Error: Generator: execution of",
    "*** CMake build failed",
    "*** CMake configuration failed",
};

bool is_echo(std::string_view line) {
  return shows_one_of(line, kEchoes);
}

/// A line about a test program of a configuration, which may fail.
bool is_probe(std::string_view line) {
  constexpr std::array<std::string_view, 3> kProbes = {"_configtest", "conftest.c",
                                                       "CMakeScratch/"};
  return line.starts_with("-- ") || shows_one_of(line, kProbes);
}

/// "/usr/bin/ld: cannot find -lx"; the linker's other lines are headings and remarks.
bool is_linker_error(std::string_view line) {
  const size_t at = line.find("ld: ");
  if (at == std::string_view::npos) return false;
  if (at > 0 && line[at - 1] != '/' && line[at - 1] != '-') return false;
  constexpr std::array<std::string_view, 4> kRemarks = {"warning: ", "note: ", "skipping ",
                                                        "DWARF error"};
  constexpr std::array<std::string_view, 3> kResults = {"final link failed", ": bad value",
                                                        "errors were encountered"};
  const std::string_view text = line.substr(at + 4);
  if (begins_with_one_of(text, kRemarks) || shows_one_of(text, kResults)) return false;
  return !shows_part(text, ": warning: ") && !text.ends_with("':");
}

/// "nvcc fatal   : no", "ptxas /tmp/a.ptx, line 27; error   : no", "nvlink error   : no".
bool is_cuda_error(std::string_view line) {
  constexpr std::array<std::string_view, 6> kPrograms = {"nvcc ",      "ptxas ", "nvlink ",
                                                         "fatbinary ", "cicc ",  "cudafe++ "};
  constexpr std::array<std::string_view, 2> kSigns = {"fatal   : ", "error   : "};
  return begins_with_one_of(line, kPrograms) && shows_one_of(line, kSigns);
}

bool is_compile_error(std::string_view line) {
  constexpr std::array<std::string_view, 8> kSigns = {
      ": error: ",    ": fatal error: ",         ": Error: ",      "undefined reference to",
      "LLVM ERROR: ", "multiple definition of ", "ninja: fatal: ", "No rule to make target"};
  if (line.starts_with("error[E") || is_cuda_error(line) || is_linker_error(line)) return true;
  return shows_one_of(line, kSigns) && !line.starts_with("warning: ");
}

/// Cython prints a piece of the source between two rules, then "m.pyx:2:19: no such name".
std::string cython_error(const OutputLines& lines, size_t heading) {
  int rules = 0;
  for (size_t i = heading + 1; i < lines.size(); ++i) {
    if (lines[i].starts_with("-----")) {
      ++rules;
    } else if (rules >= 2 && !lines[i].empty()) {
      return lines[i];
    }
  }
  return {};
}

/// rustc prints the location below its message.
bool is_rust_error(const OutputLines& lines, size_t at) {
  return lines[at].starts_with("error: ") && at + 1 < lines.size() &&
         lines[at + 1].starts_with("--> ");
}

/// The lines of a message up to an empty one, joined.
std::string paragraph(const OutputLines& lines, size_t from) {
  constexpr size_t kMost = 400;
  std::string text;
  for (size_t i = from; i < lines.size() && text.size() < kMost; ++i) {
    if (lines[i].empty()) break;
    if (!text.empty()) text += ' ';
    text += lines[i];
  }
  return text;
}

/// "CMake Error at a.cmake:3 (message):" with the message below it.
std::string cmake_error(const OutputLines& lines, size_t at) {
  if (!lines[at].ends_with(':')) return lines[at];
  size_t below = at + 1;
  while (below < lines.size() && lines[below].empty()) ++below;
  std::string message = paragraph(lines, below);
  // The names of missing packages often form a list of their own.
  if (message.ends_with(':')) {
    below = at + 1;
    while (below < lines.size() && !lines[below].ends_with(':')) ++below;
    ++below;
    while (below < lines.size() && lines[below].empty()) ++below;
    if (below < lines.size()) message += " " + lines[below];
  }
  return message.empty() ? lines[at] : lines[at] + " " + message;
}

std::string build_system_error(const OutputLines& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (is_echo(line)) continue;
    if (line.starts_with("CMake Error")) return cmake_error(lines, i);
    if (shows_part(line, "meson.build:") && shows_part(line, ": ERROR: ")) return line;
  }
  return {};
}

/// "thread 'main' panicked at build.rs:3:5:" with the message below it.
std::string rust_panic(const OutputLines& lines, size_t at) {
  const bool below = lines[at].ends_with(':') && at + 1 < lines.size();
  return below ? lines[at] + " " + lines[at + 1] : lines[at];
}

/// "c10::Error: no" from "... an instance of 'c10::Error'" and the line "what():  no".
std::string terminated_by(const OutputLines& lines, size_t at) {
  constexpr std::string_view kInstance = "an instance of '";
  constexpr std::string_view kWhat = "what():";
  const size_t name = lines[at].find(kInstance);
  if (name == std::string::npos) return lines[at];
  std::string type = lines[at].substr(name + kInstance.size());
  if (type.ends_with('\'')) type.pop_back();
  if (at + 1 >= lines.size() || !lines[at + 1].starts_with(kWhat)) return lines[at];
  std::string_view what = trim(std::string_view(lines[at + 1]).substr(kWhat.size()));
  if (what.empty() && at + 2 < lines.size()) what = lines[at + 2];
  return fmt::format("{}: {}", type, what);
}

/// The interpreter's fatal error, with the first frame outside of the standard library.
std::string fatal_python_error(const OutputLines& lines, size_t at) {
  for (size_t i = at + 1; i < lines.size(); ++i) {
    if (lines[i].starts_with("File \"") && !lines[i].starts_with("File \"<frozen")) {
      return fmt::format("{}, at {}", lines[at], lines[i]);
    }
  }
  return lines[at];
}

/// "ModuleNotFoundError: no", "torch._C.Error: no", "KeyboardInterrupt".
bool is_exception(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  if (name.empty() || is_digit(name.front())) return false;
  return std::ranges::all_of(name,
                             [](char c) { return is_alphanumeric(c) || c == '_' || c == '.'; });
}

/// An exception by its name alone: no source line looks like it.
bool names_exception(std::string_view line) {
  constexpr std::array<std::string_view, 5> kEnds = {"Error", "Exception", "Exit", "Interrupt",
                                                     "Warning"};
  const std::string_view name = line.substr(0, line.find(':'));
  return is_exception(line) &&
         std::ranges::any_of(kEnds, [name](std::string_view end) { return name.ends_with(end); });
}

/// A line of a traceback after its header: "File ...", the source, marks.
bool is_traceback_line(std::string_view line) {
  return line.starts_with("File \"");
}

/// A traceback that begins at `at`: the position of its exception, or the end. OutputLines are
/// trimmed, so a source line may look like an exception: after "File" there are at most the source
/// and its marks.
size_t exception_after(const OutputLines& lines, size_t at) {
  size_t i = at + 1;
  while (i < lines.size() && is_traceback_line(lines[i])) {
    ++i;
    while (i < lines.size() && !is_traceback_line(lines[i])) {
      const bool marks = lines[i].find_first_not_of("^~ ") == std::string::npos;
      const bool source = is_traceback_line(lines[i - 1]) && !names_exception(lines[i]);
      const bool repeated = lines[i].starts_with("[Previous line repeated");
      if (!marks && !source && !repeated) break;
      ++i;
    }
  }
  return i;
}

/// "ERROR: no" of any program.
bool is_marked(std::string_view line) {
  constexpr std::array<std::string_view, 4> kMarks = {"ERROR: ", "error: ", "Error: ", "fatal: "};
  return begins_with_one_of(line, kMarks) || shows_part(line, ": ERROR: ");
}

/// An error of a language that stops a Python program before it has frames.
bool is_syntax_error(std::string_view line) {
  constexpr std::array<std::string_view, 3> kNames = {
      "SyntaxError: ", "IndentationError: ", "TabError: "};
  return begins_with_one_of(line, kNames);
}

}  // namespace

OutputLines plain_lines(std::string_view output) {
  constexpr char kEscape = '\x1b';
  OutputLines lines;
  for (std::string& line : split(output, '\n')) {
    for (size_t at = line.find(kEscape); at != std::string::npos; at = line.find(kEscape, at)) {
      size_t end = at + 1;
      if (end < line.size() && line[end] == '[') ++end;
      while (end < line.size() && (is_digit(line[end]) || line[end] == ';')) ++end;
      line.erase(at, end + 1 - at);
    }
    lines.emplace_back(trim(line));
  }
  return lines;
}

std::string tool_error(const OutputLines& lines) {
  constexpr std::string_view kNote = "= note: ";
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (line == "Error compiling Cython file:") {
      if (std::string error = cython_error(lines, i); !error.empty()) return error;
    }
    if (line.starts_with(kNote)) line = trim(line.substr(kNote.size()));
    if (is_echo(line) || is_probe(line)) continue;
    if (is_compile_error(line) || is_rust_error(lines, i)) return std::string(line);
  }
  return {};
}

std::string abort_reason(const OutputLines& lines) {
  constexpr std::array<std::string_view, 14> kSigns = {
      "terminate called without",
      "terminate called recursively",
      "terminating due to ",
      "terminating with ",
      "double free or corruption",
      "free(): ",
      "malloc(): ",
      "malloc_consolidate(): ",
      "corrupted size vs. prev_size",
      "munmap_chunk(): ",
      "*** stack smashing detected ***",
      "*** buffer overflow detected ***",
      "symbol lookup error: ",
      "error while loading shared libraries: ",
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (shows_part(line, "terminate called after throwing")) return terminated_by(lines, i);
    if (line.starts_with("thread '") && shows_part(line, " panicked at "))
      return rust_panic(lines, i);
    if (line.starts_with("Fatal Python error: ")) return fatal_python_error(lines, i);
    if (shows_one_of(line, kSigns)) return line;
    if (shows_part(line, ": Assertion `") && line.ends_with("failed.")) return line;
    if (shows_part(line, "ERROR: AddressSanitizer: ")) return line;
  }
  return {};
}

std::string python_exception(const OutputLines& lines) {
  constexpr std::string_view kDirect =
      "The above exception was the direct cause of the following exception:";
  constexpr std::string_view kTraceback = "Traceback (most recent call last):";
  std::string found;
  bool caused = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == kDirect) caused = true;
    const bool head = lines[i] == kTraceback;
    const size_t at = head ? exception_after(lines, i) : i;
    if (at >= lines.size() || !(head ? is_exception(lines[at]) : is_syntax_error(lines[at]))) {
      continue;
    }
    std::string line = lines[at];
    if (line.ends_with(':') && at + 1 < lines.size()) line += " " + lines[at + 1];
    // A cause is more useful than its consequences.
    if (!is_echo(line) && !(caused && !found.empty())) found = std::move(line);
    caused = false;
    i = at;
  }
  return found;
}

std::string first_error(const OutputLines& lines) {
  for (std::string line : {tool_error(lines), build_system_error(lines), abort_reason(lines),
                           python_exception(lines)}) {
    if (!line.empty()) return line;
  }
  const auto first = [&lines](auto wanted) {
    const auto at = std::ranges::find_if(lines, wanted);
    return at == lines.end() ? std::string() : *at;
  };
  std::string marked =
      first([](const std::string& line) { return is_marked(line) && !is_echo(line); });
  return marked.empty() ? first(is_marked) : marked;
}

}  // namespace pinwheel::env
