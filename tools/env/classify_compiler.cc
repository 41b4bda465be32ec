#include "env/classify_compiler.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "env/classify.h"
#include "env/first_error.h"
#include "env/missing_compiler.h"
#include "env/missing_library.h"

namespace pinwheel::env {
namespace {

struct Number {
  int value = 0;
  size_t end = 0;  ///< the position after it
};

/// A number above zero; no source has a longer one.
std::optional<Number> number_at(std::string_view text, size_t at) {
  constexpr size_t kDigits = 7;
  size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == at || end - at > kDigits) return std::nullopt;
  Number number{0, end};
  std::from_chars(text.data() + at, text.data() + end, number.value);
  if (number.value == 0) return std::nullopt;
  return number;
}

bool is_at(std::string_view text, size_t at, char wanted) {
  return at < text.size() && text[at] == wanted;
}

/// Prefixes of messages before the file's name: "CMake Error at ", "/usr/bin/ld: ".
std::string named_file(std::string_view before) {
  constexpr std::string_view kCMake = "CMake Error at ";
  if (before.starts_with(kCMake)) before.remove_prefix(kCMake.size());
  if (const size_t at = before.rfind(": "); at != std::string_view::npos) {
    before.remove_prefix(at + 2);
  }
  return std::string(trim(before));
}

/// Line and column after the ":" or "(" at `at`.
std::optional<Location> numbers_at(std::string_view line, size_t at) {
  const std::optional<Number> row = number_at(line, at + 1);
  if (!row) return std::nullopt;
  Location place;
  place.line = row->value;
  if (line[at] == '(') return is_at(line, row->end, ')') ? std::optional(place) : std::nullopt;
  size_t end = row->end;
  if (is_at(line, end, ':')) {
    if (const std::optional<Number> column = number_at(line, end + 1)) {
      place.column = column->value;
      end = column->end;
    }
  }
  if (end < line.size() && line[end] != ':' && line[end] != ' ') return std::nullopt;
  return place;
}

}  // namespace

std::optional<Location> source_place(std::string_view line) {
  for (size_t at = line.find_first_of(":("); at != std::string_view::npos;
       at = line.find_first_of(":(", at + 1)) {
    std::optional<Location> place = numbers_at(line, at);
    if (!place) continue;
    place->file = named_file(line.substr(0, at));
    if (place->file.empty()) return std::nullopt;
    return place;
  }
  return std::nullopt;
}

namespace {

constexpr std::string_view kFewerJobs = "run fewer jobs with `--jobs`";
constexpr std::string_view kCompiler =
    "set `CXX` and `CUDAHOSTCXX` to a host compiler that the toolkit supports";
constexpr std::string_view kNoArchitectures =
    "torch compiles for the GPUs of the machine, which has none: name those of your users, "
    "`build: {arch-list: [\"8.0\", \"9.0+PTX\"]}`";

constexpr std::array kCompilerTable = {
    Symptom{"Killed signal terminated program", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"virtual memory exhausted", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"Cannot allocate memory", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"out of memory allocating", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"clang*error: unable to execute command: Killed", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"nvcc error*died due to signal 9", ErrorKind::out_of_memory, kFewerJobs},
    Symptom{"unsupported GNU version", ErrorKind::environment, kCompiler},
    Symptom{"unsupported clang version", ErrorKind::environment, kCompiler},
    Symptom{"arch_list[-1] += '+PTX'", ErrorKind::config, kNoArchitectures},
    Symptom{"Failed to find nvcc", ErrorKind::environment, kCudaToolkit},
    Symptom{"Error: CUDA_HOME environment variable is not set", ErrorKind::environment,
            kCudaToolkit},
};

/// A build backend downloads its requirements with pip; only these phrases are certain to be pip's.
constexpr std::array kPipInside = {
    Symptom{"pip subprocess to install build dependencies did not run successfully",
            ErrorKind::step, ""},
    Symptom{"WARNING: Retrying (Retry(", ErrorKind::step, ""},
};

/// A build that fetches sources or crates while it runs.
constexpr std::string_view kFetches =
    "the build itself downloads this: check the network and the proxy, or add it to "
    "`package.source`";
constexpr std::string_view kCrates =
    "the build downloads crates from their registry: check the network and the proxy, or name a "
    "mirror in `~/.cargo/config.toml`";

constexpr std::array kNetworkTable = {
    Symptom{"failed to download from `https://*crates", ErrorKind::transient, kCrates},
    Symptom{"warning: spurious network error", ErrorKind::transient, kCrates},
    Symptom{"fatal: unable to access '", ErrorKind::transient, kFetches},
    Symptom{"Could not resolve host", ErrorKind::transient, kFetches},
    Symptom{"urllib.error.URLError: <urlopen error", ErrorKind::transient, kFetches},
};

constexpr std::array kSetupTable = {
    Symptom{"rustup could not choose a version of cargo", ErrorKind::environment,
            "choose one: `rustup default stable`"},
    Symptom{"ERROR Unmet dependencies", ErrorKind::config,
            "add what it lists to `environment: {pip: [...]}`"},
};

/// "nosuch" from "sh: 1: exec: nosuch: not found" or "env: 'nosuch': No such file or directory":
/// the word before the error text, without quotes.
std::string program_of(std::string_view line, std::string_view complaint) {
  line.remove_suffix(complaint.size());
  const size_t at = line.rfind(": ");
  if (at != std::string_view::npos) line.remove_prefix(at + 2);
  std::string name(line);
  for (const char* const quote : {"'", "`", "\u2018", "\u2019"})
    name = replace_all(name, quote, "");
  return name;
}

/// In shells, exit code 127 means that a program was not found, 126 that it cannot be executed; the
/// last line with such an error names it.
std::optional<Diagnosis> unusable_program(const ports::Exit& exit, std::string_view output) {
  if (exit.code != 126 && exit.code != 127) return std::nullopt;
  const std::vector<std::string> lines = split(output, '\n');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    for (const std::string_view complaint :
         {": not found", ": command not found", ": No such file or directory",
          ": Permission denied"}) {
      if (!line->ends_with(complaint)) continue;
      const std::string name = program_of(*line, complaint);
      if (name.empty()) continue;
      if (exit.code == 126) {
        return Diagnosis{ErrorKind::environment, quoted(name) + " cannot be executed",
                         "make it executable: `chmod +x`, and commit its mode"};
      }
      return Diagnosis{ErrorKind::environment, quoted(name) + " is not on the build's PATH",
                       "add its package to `environment: {tools: [...]}`, install it, or fix "
                       "`build.command`"};
    }
  }
  return std::nullopt;
}

/// The build looked for a library of the system or of CUDA, and the hint explains how to get it.
Diagnosis lack_of(const MissingLibrary& library) {
  if (library.source == LibrarySource::cuda) {
    return {ErrorKind::environment, library.line,
            "the build has no such part of CUDA: add it to the toolkit of the variants for "
            "`cuda/*`, " +
                quoted(fmt::format("environment: {{toolkit: {{pypi: [{}]}}}}", library.package))};
  }
  return {ErrorKind::environment, library.line,
          "a library of the system is missing, on Debian " +
              quoted("apt-get install " + library.package)};
}

/// The diagnosis, extended by the next line if the message only begins on its own.
Diagnosis with_list(Diagnosis diagnosis, std::string_view output) {
  const bool heading = diagnosis.line.starts_with("ERROR Unmet dependencies");
  const size_t at = heading ? output.find(diagnosis.line) : std::string_view::npos;
  if (at == std::string_view::npos) return diagnosis;
  for (const std::string& line : split(output.substr(at + diagnosis.line.size()), '\n')) {
    if (trim(line).empty()) continue;
    diagnosis.line += diagnosis.line.ends_with(':') ? " " : ": ";
    diagnosis.line += trim(line);
    break;
  }
  return diagnosis;
}

/// A library that the linker cannot find and that no table of packages has.
std::string_view linker_hint(std::string_view line) {
  const bool lacks = line.find("cannot find -l") != std::string_view::npos ||
                     line.find("unable to find library -l") != std::string_view::npos;
  return lacks ? "install the library with its development files where the build runs, or leave "
                 "out its `-l` flag"
               : "";
}

/// rustc prints the location below its message.
std::optional<Location> place_of(std::string_view line, std::string_view output) {
  constexpr std::string_view kArrow = "--> ";
  if (line.empty()) return std::nullopt;
  if (!line.starts_with("error[E") && !line.starts_with("error: ")) return source_place(line);
  size_t at = output.find(line);
  if (at == std::string_view::npos) return std::nullopt;
  at = output.find('\n', at);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view below = output.substr(at + 1);
  below = trim(below.substr(0, below.find('\n')));
  if (!below.starts_with(kArrow)) return std::nullopt;
  return source_place(below.substr(kArrow.size()));
}

Diagnosis failure_of(const ports::Exit& exit, std::string_view output) {
  Diagnosis diagnosis = diagnose(exit, output, kCompilerTable);
  if (diagnosis.kind != ErrorKind::step) return diagnosis;
  if (const auto compiler = missing_compiler(output)) return *compiler;
  if (const auto program = unusable_program(exit, output)) return *program;
  const std::vector<std::string> lines = plain_lines(output);
  // A compile error along with a network warning or an optional library is a compile error.
  const std::string line = tool_error(lines);
  const std::string_view lacking = line.empty() ? output : std::string_view(line);
  if (const auto library = missing_library(lacking)) return lack_of(*library);
  if (!line.empty()) return {ErrorKind::step, line, std::string(linker_hint(line))};
  if (!diagnose(exit, output, kPipInside).line.empty()) return classify_pip(exit, output);
  for (const std::span<const Symptom> table :
       {std::span<const Symptom>(kNetworkTable), std::span<const Symptom>(kSetupTable)}) {
    diagnosis = diagnose(exit, output, table);
    if (diagnosis.kind != ErrorKind::step) return with_list(std::move(diagnosis), output);
  }
  return {ErrorKind::step, first_error(lines), {}};
}

/// Messages of programs when a name cannot be resolved or an address cannot be reached.
constexpr std::array<std::string_view, 7> kUnreached = {
    "Could not resolve host", "Temporary failure in name resolution", "Name or service not known",
    "Network is unreachable", "Failed to establish a new connection", "failed to lookup address",
    "Failed to connect to"};

bool is_unreached(std::string_view line) {
  return std::any_of(kUnreached.begin(), kUnreached.end(), [line](std::string_view words) {
    return line.find(words) != std::string_view::npos;
  });
}

}  // namespace

Diagnosis without_network(Diagnosis diagnosis) {
  if (diagnosis.kind != ErrorKind::transient && !is_unreached(diagnosis.line)) return diagnosis;
  diagnosis.kind = ErrorKind::step;
  diagnosis.hint =
      "a build has no network access: add what it downloads to `environment` or to the source, or "
      "allow it with `build: {network: true}`";
  return diagnosis;
}

Diagnosis classify_compiler(const ports::Exit& exit, std::string_view output) {
  Diagnosis diagnosis = failure_of(exit, output);
  diagnosis.at = place_of(diagnosis.line, output);
  return diagnosis;
}

}  // namespace pinwheel::env
