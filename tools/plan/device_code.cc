#include "plan/device_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

constexpr std::string_view kRemoveSplit = "or remove `build.split`";
constexpr size_t kFields = 6;  // of a compilation

std::optional<DeviceCompilation> compilation_of(const std::vector<std::string>& fields,
                                                size_t first) {
  if (fields.size() < first + 3) return std::nullopt;
  const auto at = [&](size_t i) {
    return first + i < fields.size() ? fields[first + i] : std::string();
  };
  return DeviceCompilation{at(0), at(1), at(2), at(3), at(4), at(5)};
}

/// "90a" of "sm_90a"; empty without a number.
std::string_view number_of(std::string_view architecture) {
  const size_t bar = architecture.find('_');
  return bar == architecture.npos ? std::string_view() : architecture.substr(bar + 1);
}

std::string_view without_suffix(std::string_view number) {
  while (!number.empty() && (number.back() < '0' || number.back() > '9')) number.remove_suffix(1);
  return number;
}

std::string source_text(const DeviceCompilation& of, const DeviceBuild& build) {
  const std::string_view path = of.source;
  return quoted(path.starts_with(build.root) ? path.substr(build.root.size()) : path);
}

std::string text_of(const DeviceCompilation& of, const DeviceBuild& build) {
  return fmt::format("{} for {}", source_text(of, build), quoted(of.architecture));
}

/// What a job that compiled the same source for the same architecture had different.
std::string difference_from(const DeviceCompilation& here,
                            const std::vector<DeviceCompilation>& index) {
  bool programs = false;
  bool input = false;
  for (const DeviceCompilation& there : index) {
    const bool same = there.tool == here.tool && there.architecture == here.architecture &&
                      there.source == here.source;
    if (!same) continue;
    programs = programs || there.programs == here.programs;
    input = input || (there.programs == here.programs && there.arguments == here.arguments);
  }
  if (!programs) return "its compiler is another one";
  return input ? "its preprocessed code differs" : "its options differ";
}

std::string difference_hint(const std::string& difference) {
  if (difference.find("compiler") != difference.npos) {
    return fmt::format("run the jobs with the same CUDA toolkit, {}", kRemoveSplit);
  }
  return fmt::format(
      "let the build write the same sources in each run (no times, no random names), {}",
      kRemoveSplit);
}

/// The runs of cicc for sources of the project. CMake compiles files of its own, too.
std::vector<DeviceCompilation> of_project(const std::vector<DeviceCompilation>& all,
                                          const DeviceBuild& build) {
  std::vector<DeviceCompilation> own;
  std::ranges::copy_if(all, std::back_inserter(own), [&build](const DeviceCompilation& each) {
    return each.tool == "cicc" && each.source.starts_with(build.root) &&
           each.source.find("/CMakeFiles/") == each.source.npos;
  });
  return own;
}

/// Why nvcc did nothing that can be shared.
Error unused_error(const DeviceUses& uses, std::string message) {
  Error error{ErrorKind::check, std::move(message)};
  if (!uses.refusals.empty()) {
    error.causes.push_back({ErrorKind::check, "nvcc ran alone: " + uses.refusals.front()});
    return std::move(error).with_hint("remove `build.split`");
  }
  if (!uses.alone.empty()) {
    error.causes.push_back({ErrorKind::check, "the options of nvcc allow no reuse (`-G`)"});
    return std::move(error).with_hint("remove the option, or `build.split`");
  }
  return std::move(error).with_hint(
      "the build must start nvcc by `CMAKE_CUDA_COMPILER_LAUNCHER` (CMake) or `PYTORCH_NVCC` "
      "(torch extensions); else remove `build.split`");
}

}  // namespace

std::string device_mode(std::string_view architecture) {
  std::string mode(architecture.substr(0, architecture.find('+')));
  std::erase(mode, '.');
  return mode;
}

std::string device_code_name(std::string_view build_class, std::string_view architecture) {
  const std::string id = device_id(build_class, architecture);
  return file_name_of(id) + ".device-code";
}

std::string output_directory(std::string_view step) {
  return compiles_device_code(step) ? ".device-code" : "";
}

bool is_device_member(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {
      kDeviceAboutName, "output", "c", "gpu", "lto", "module", "stub", "out", "err"};
  const size_t slash = name.find('/');
  if (slash == name.npos || !is_sha256_hex(name.substr(0, slash))) return false;
  return std::ranges::find(kNames, name.substr(slash + 1)) != kNames.end();
}

DeviceUses parse_device_uses(std::string_view text) {
  DeviceUses uses;
  const std::array<std::pair<std::string_view, std::vector<DeviceCompilation>*>, 5> lists = {
      {{"alone", &uses.alone},
       {"made", &uses.made},
       {"hit", &uses.hits},
       {"miss", &uses.misses},
       {"other", &uses.others}}};
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.front() == "nvcc" && fields.size() == 2) uses.refusals.push_back(fields[1]);
    const std::optional<DeviceCompilation> known = compilation_of(fields, 1);
    if (!known) continue;
    for (const auto& [kind, list] : lists) {
      const bool whole = kind == "alone" || fields.size() == kFields + 1;
      if (fields.front() == kind && whole) list->push_back(*known);
    }
  }
  return uses;
}

std::vector<DeviceCompilation> parse_device_index(std::string_view text) {
  std::vector<DeviceCompilation> index;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() != kFields) continue;
    if (std::optional<DeviceCompilation> known = compilation_of(fields, 0)) {
      index.push_back(*std::move(known));
    }
  }
  return index;
}

Done judge_device_code(const DeviceUses& uses, const DeviceBuild& build,
                       std::string_view architecture) {
  const std::string mode = device_mode(architecture);
  const auto is_of_it = [&mode](const DeviceCompilation& each) {
    return without_suffix(number_of(each.architecture)) == without_suffix(mode);
  };
  const std::vector<DeviceCompilation> made = of_project(uses.made, build);
  if (std::ranges::any_of(made, is_of_it)) return {};
  if (made.empty()) {
    return fail(unused_error(
        uses, fmt::format("the build of {} compiled no device code that another job could use",
                          quoted(build.class_id))));
  }
  return fail(
      ErrorKind::check,
      fmt::format("the build of {} compiled no code for {}, but for {}", quoted(build.class_id),
                  quoted(architecture), quoted(made.front().architecture)),
      fmt::format("let its `-gencode` options follow `build.arch-list`, {}", kRemoveSplit));
}

Done judge_linked_code(const DeviceUses& uses, const DeviceBuild& build,
                       const std::vector<DeviceCompilation>& index) {
  if (!uses.others.empty()) {
    const DeviceCompilation& first = uses.others.front();
    const std::string difference = difference_from(first, index);
    return fail(ErrorKind::check,
                fmt::format("{} is not what the job of its architecture compiled: {}",
                            text_of(first, build), difference),
                difference_hint(difference));
  }
  if (!of_project(uses.hits, build).empty()) return {};
  Error error = unused_error(
      uses, fmt::format("the build of {} could use nothing of the {} that its jobs compiled",
                        quoted(build.class_id), plural(index.size(), "output")));
  if (!uses.misses.empty()) {
    error.causes.push_back({ErrorKind::check, fmt::format("no job has compiled {}",
                                                          text_of(uses.misses.front(), build))});
  }
  return fail(std::move(error));
}

std::string repeated_compilations(const DeviceUses& uses, const DeviceBuild& build) {
  std::vector<DeviceCompilation> repeated = uses.misses;
  repeated.insert(repeated.end(), uses.alone.begin(), uses.alone.end());
  if (repeated.empty()) return {};
  return fmt::format(
      "{} of device code ran in the job of the wheel, because no other job has "
      "its output: {} of {}",
      plural(repeated.size(), "compilation"), repeated.front().tool,
      text_of(repeated.front(), build));
}

}  // namespace pinwheel::plan
