#include "env/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "matrix/axis_value.h"

namespace pinwheel::env {
namespace {

constexpr std::string_view kProbe = R"(import importlib.util, json, os, platform, sys, sysconfig
have = lambda name: importlib.util.find_spec(name) is not None
include = sysconfig.get_path("include")
print(json.dumps({
    "path": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
    "version": platform.python_version(),
    "implementation": sys.implementation.name,
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "platform": sysconfig.get_platform(),
    "soabi": sysconfig.get_config_var("SOABI") or "",
    "include_directory": include,
    "has_headers": os.path.exists(os.path.join(include, "Python.h")),
    "makes_environments": have("venv") and have("ensurepip"),
})))";

struct Wanted {
  std::string version;
  bool free_threaded = false;
};

Wanted read(std::string_view wanted) {
  const bool free_threaded = !wanted.empty() && wanted.back() == 't';
  if (free_threaded) wanted.remove_suffix(1);
  return {std::string(wanted), free_threaded};
}

}  // namespace

std::string full_version(const Interpreter& interpreter) {
  return interpreter.version + (interpreter.free_threaded ? "t" : "");
}

bool fits(const Interpreter& interpreter, std::string_view wanted) {
  const Wanted want = read(wanted);
  return interpreter.implementation == "cpython" &&
         interpreter.free_threaded == want.free_threaded &&
         (interpreter.version == want.version ||
          interpreter.version.starts_with(want.version + "."));
}

bool is_for_musl(const Interpreter& interpreter) {
  return interpreter.soabi.ends_with("-musl");
}

Done check_libc(const Interpreter& interpreter, std::string_view libc) {
  const bool musl = is_for_musl(interpreter);
  if (libc.empty() || musl == (libc == matrix::kMusl)) return {};
  return fail(
      ErrorKind::environment,
      fmt::format("Python {} at {} is for {}, the variant is for {}", full_version(interpreter),
                  quoted(interpreter.path), musl ? "musl" : "glibc", libc),
      fmt::format("use `--engine docker` or `podman`, with {}",
                  quoted(fmt::format("environment.container.base: quay.io/pypa/{}_{{arch}}",
                                     musl ? "manylinux_2_28" : "musllinux_1_2"))));
}

std::optional<std::string> other_libc(const Interpreter& interpreter, const pep::TagSet& tags) {
  const bool musl = is_for_musl(interpreter);
  const bool fits_one =
      std::any_of(tags.platform.begin(), tags.platform.end(), [musl](const std::string& platform) {
        const std::optional<pep::LinuxPolicy> policy = pep::parse_linux_policy(platform);
        return !policy || (policy->libc == pep::Libc::musl) == musl;
      });
  if (fits_one) return std::nullopt;
  return fmt::format("the wheel is for {}, Python here is for {}", musl ? "glibc" : "musl",
                     musl ? "musl" : "glibc");
}

ports::Command probe_interpreter(const std::string& program,
                                 const std::map<std::string, std::string>& variables) {
  ports::Command command;
  command.argv = {program, "-I", "-c", std::string(kProbe)};
  command.environment = variables;
  command.timeout = std::chrono::seconds(20);
  return command;
}

Result<Interpreter> parse_interpreter(std::string_view output) {
  try {
    const nlohmann::json json = parse_json(output);
    Interpreter result;
    json.at("path").get_to(result.path);
    json.at("version").get_to(result.version);
    json.at("implementation").get_to(result.implementation);
    json.at("free_threaded").get_to(result.free_threaded);
    json.at("platform").get_to(result.platform);
    json.at("soabi").get_to(result.soabi);
    json.at("include_directory").get_to(result.include_directory);
    json.at("has_headers").get_to(result.has_headers);
    json.at("makes_environments").get_to(result.makes_environments);
    return result;
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorKind::environment, "the interpreter did not describe itself");
  }
}

std::vector<std::string> program_names(std::string_view wanted) {
  const Wanted want = read(wanted);
  std::vector<std::string> names;
  if (want.free_threaded) names.push_back("python" + want.version + "t");
  names.push_back("python" + want.version);
  names.emplace_back("python3");
  names.emplace_back("python");
  return names;
}

Error no_interpreter(std::string_view wanted, const std::vector<Interpreter>& found) {
  for (const Interpreter& interpreter : found) {
    if (!fits(interpreter, wanted)) continue;
    return Error{.kind = ErrorKind::environment,
                 .message = fmt::format("Python {} at {} lacks the modules venv and ensurepip",
                                        full_version(interpreter), quoted(interpreter.path)),
                 .hint = fmt::format("run {}", quoted(fmt::format("apt-get install python{}-venv",
                                                                  read(wanted).version)))};
  }
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const Interpreter& interpreter : found) {
    names.push_back(fmt::format("{} ({})", quoted(full_version(interpreter)), interpreter.path));
  }
  std::string have = names.empty() ? "found none" : "found " + join(names, ", ");
  return Error{
      .kind = ErrorKind::environment,
      .message = fmt::format("no Python {} on this machine; {}", quoted(wanted), have),
      .hint = fmt::format("run {} or {}, or let pinwheel fetch it: `environment.python: auto`",
                          quoted(fmt::format("pyenv install {}", wanted)),
                          quoted(fmt::format("uv python install {}", wanted)))};
}

bool is_newer_name(const std::string& left, const std::string& right) {
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() && j < right.size()) {
    if (is_digit(left[i]) && is_digit(right[j])) {
      size_t a = 0;
      size_t b = 0;
      while (i < left.size() && is_digit(left[i])) {
        a = a * 10 + static_cast<size_t>(left[i++] - '0');
      }
      while (j < right.size() && is_digit(right[j])) {
        b = b * 10 + static_cast<size_t>(right[j++] - '0');
      }
      if (a != b) return a > b;
    } else if (left[i] != right[j]) {
      return left[i] > right[j];
    } else {
      ++i;
      ++j;
    }
  }
  return left.size() > right.size();
}

}  // namespace pinwheel::env
