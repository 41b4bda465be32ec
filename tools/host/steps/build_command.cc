#include "host/steps/build_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "env/arch_list.h"
#include "env/pass_list.h"
#include "matrix/template.h"

namespace pinwheel::host {
namespace {

std::string user_value(const BuildSetting& setting, const std::string& name,
                       const std::string& otherwise) {
  const auto found = setting.user.find(name);
  return found == setting.user.end() ? otherwise : found->second;
}

std::string search_path(const BuildSetting& setting) {
  std::string path = setting.space.seen(kEnvironmentName).string() + "/bin";
  if (const auto own = setting.toolkit.find("PATH"); own != setting.toolkit.end()) {
    path += ":" + own->second;
  }
  return path + ":" + user_value(setting, "PATH", "/usr/local/bin:/usr/bin:/bin");
}

/// HOME is private to a build. The caches of compilers and the toolchain of Rust, which are below
/// the user's HOME, are not.
void add_tool_caches(std::map<std::string, std::string>& variables, const BuildSetting& setting) {
  struct Place {
    const char* variable;
    const char* below_home;
  };
  constexpr std::array kPlaces = {Place{"CCACHE_DIR", "/.cache/ccache"},
                                  Place{"RUSTUP_HOME", "/.rustup"}, Place{"CARGO_HOME", "/.cargo"}};
  const std::string home = user_value(setting, "HOME", "");
  for (const Place& place : kPlaces) {
    const std::string usual = home.empty() ? "" : home + place.below_home;
    const std::string value = user_value(setting, place.variable, usual);
    if (!value.empty()) variables.emplace(place.variable, value);
  }
}

void add_version(std::map<std::string, std::string>& variables, const std::string& version) {
  variables["PINWHEEL_VERSION"] = version;
  // setuptools-scm and hatch-vcs read their version from here instead of git.
  variables["SETUPTOOLS_SCM_PRETEND_VERSION"] = version;
}

std::map<std::string, std::string> with(std::map<std::string, std::string> base,
                                        const std::map<std::string, std::string>& more) {
  for (const auto& [name, value] : more) base[name] = value;
  return base;
}

/// A command of the matrix in the clean environment of the build.
ports::Command filled_command(const plan::BuildWheel& action, const BuildSetting& setting,
                              const std::vector<std::string>& argv,
                              std::map<std::string, std::string> places) {
  places["package"] = places["project"] = setting.space.seen(kSourceName).string();
  places["version"] = action.version;
  ports::Command command;
  for (const std::string& argument : argv) {
    command.argv.push_back(matrix::fill_template(argument, places));
  }
  command.directory = setting.space.seen(kSourceName);
  command.environment = with(clean_variables(setting), action.variables);
  command.environment["SOURCE_DATE_EPOCH"] = std::to_string(action.source_date_epoch);
  add_version(command.environment, action.version);
  command.environment =
      with_secrets(std::move(command.environment), action.secrets, setting.secrets);
  return command;
}

}  // namespace

std::map<std::string, std::string> with_secrets(std::map<std::string, std::string> variables,
                                                const std::vector<std::string>& names,
                                                const std::map<std::string, Secret>& values) {
  for (const std::string& name : names) {
    const auto found = values.find(name);
    if (found != values.end()) variables[name] = found->second.reveal();
  }
  return variables;
}

std::map<std::string, std::string> seen_variables(const env::Toolkit& toolkit,
                                                  const BuildSpace& space) {
  std::map<std::string, std::string> variables = toolkit.variables;
  if (space.real(kToolkitName) != toolkit.prefix) return variables;
  for (auto& [name, value] : variables) {
    value = replace_all(value, toolkit.prefix, space.seen(kToolkitName).string());
  }
  return variables;
}

void add_conda_path(const BuildSpace& space, std::map<std::string, std::string>& toolkit) {
  const std::string programs = space.seen(kCondaName).string() + "/bin";
  const std::string& others = toolkit["PATH"];
  toolkit["PATH"] = others.empty() ? programs : programs + ":" + others;
}

std::map<std::string, std::string> clean_variables(const BuildSetting& setting) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : setting.user) {
    if (env::passes_to_builds(name)) variables[name] = value;
  }
  add_tool_caches(variables, setting);
  variables = with(std::move(variables), setting.toolkit);
  variables["PATH"] = search_path(setting);
  variables["HOME"] = setting.space.seen("home").string();
  variables["TMPDIR"] = setting.space.seen("tmp").string();
  variables["LANG"] = "C.UTF-8";
  variables["LC_ALL"] = "C.UTF-8";
  variables["TZ"] = "UTC";
  variables["PYTHONHASHSEED"] = "0";
  variables["PYTHONDONTWRITEBYTECODE"] = "1";
  variables["MAX_JOBS"] = std::to_string(setting.cores);
  variables["CMAKE_BUILD_PARALLEL_LEVEL"] = std::to_string(setting.cores);
  plan::put_trace(setting.trace, variables);
  return variables;
}

ports::Command build_command(const plan::BuildWheel& action, const BuildSetting& setting) {
  return filled_command(
      action, setting, action.settings.build.command,
      {{"dest_dir", setting.space.seen(kDistName).string()},
       {"arch-list.cmake", env::cmake_architectures(action.settings.build.arch_list)}});
}

ports::Command repair_command(const plan::BuildWheel& action, const BuildSetting& setting,
                              const std::string& wheel) {
  return filled_command(action, setting, action.settings.build.repair.command,
                        {{"dest_dir", setting.space.seen(kRepairedName).string()},
                         {"wheel", (setting.space.seen(kDistName) / wheel).string()}});
}

ports::Command sdist_command(const plan::BuildSdist& action, const BuildSetting& setting) {
  ports::Command command;
  command.argv = {"python",
                  "-m",
                  "build",
                  "--sdist",
                  "--no-isolation",
                  "--outdir",
                  setting.space.seen(kDistName).string(),
                  setting.space.seen(kSourceName).string()};
  command.directory = setting.space.seen(kSourceName);
  command.environment = with(clean_variables(setting), action.variables);
  command.environment["SOURCE_DATE_EPOCH"] = std::to_string(action.source_date_epoch);
  add_version(command.environment, action.version);
  command.environment =
      with_secrets(std::move(command.environment), action.secrets, setting.secrets);
  return command;
}

}  // namespace pinwheel::host
