#include "init/from_cibuildwheel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/text.h"
#include "init/shell_words.h"
#include "init/system_libraries.h"
#include "pep/requirement.h"

namespace pinwheel::init {
namespace {

using Words = std::span<const std::string>;

/// The words after `auditwheel repair`; nullptr as data for another command.
Words arguments_of_auditwheel(Words command) {
  if (command.size() > 2 && command[0].starts_with("python") && command[1] == "-m") {
    command = command.subspan(2);
  }
  const bool is_auditwheel =
      command.size() > 1 && command[0] == "auditwheel" && command[1] == "repair";
  return is_auditwheel ? command.subspan(2) : Words{};
}

class RepairReader {
 public:
  RepairWords read(Words words) {
    while (!words.empty()) {
      constexpr std::array<std::string_view, 4> kOperators = {"&&", ";", "||", "|"};
      const auto end =
          std::find_first_of(words.begin(), words.end(), kOperators.begin(), kOperators.end());
      take_command({words.begin(), end});
      words = {end == words.end() ? end : std::next(end), words.end()};
    }
    return std::move(result_);
  }

 private:
  void take_command(Words command) {
    while (!command.empty() && command[0].find('=') != std::string::npos) {
      leave_out(command.first(1));
      command = command.subspan(1);
    }
    const Words arguments = arguments_of_auditwheel(command);
    if (arguments.data() == nullptr) return leave_out(command);
    for (size_t at = 0; at < arguments.size(); ++at) at = take_argument(arguments, at);
  }

  /// Returns the index of the last word that belongs to this argument.
  size_t take_argument(Words arguments, size_t at) {
    constexpr std::string_view kExclude = "--exclude=";
    const std::string& word = arguments[at];
    const bool has_next = at + 1 < arguments.size();
    if (word.starts_with(kExclude)) {
      result_.external.push_back(word.substr(kExclude.size()));
    } else if (word == "--exclude" && has_next) {
      result_.external.push_back(arguments[at + 1]);
      return at + 1;
    } else if ((word == "-w" || word == "--wheel-dir") && has_next) {
      return at + 1;
    } else if (word != "{wheel}" && word != "-v" && word != "--verbose" &&
               !word.starts_with("--wheel-dir=")) {
      leave_out(arguments.subspan(at, 1));
    }
    return at;
  }

  void leave_out(Words words) {
    for (const std::string& word : words)
      result_.others += (result_.others.empty() ? "" : " ") + word;
  }

  RepairWords result_;
};

}  // namespace

RepairWords read_repair_command(const std::string& command) {
  // A list of commands is joined by `&&`; an empty one yields nothing.
  if (trim(command).empty()) return {true};
  return RepairReader().read(shell_words(replace_all(command, "\n", " ; ")));
}

namespace {

using project::CibwValue;
using Texts = std::vector<std::string>;

/// Options without a counterpart in a matrix, and why.
struct NoCounterpart {
  std::string_view option;
  std::string_view why;
};

constexpr std::array kNoCounterparts = {
    NoCounterpart{"test-skip", "use a rule or an override of the matrix with the variants"},
    NoCounterpart{"build-frontend",
                  "pinwheel builds by `python -m build`; `build.command` is another"},
    NoCounterpart{"build-verbosity", "the whole log of every step is kept: `pinwheel logs STEP`"},
    NoCounterpart{"dependency-versions", "`pinwheel env lock` pins the packages of builds"},
    NoCounterpart{"audit-command",
                  "`checks.after` has the rules, `pinwheel inspect --rules` lists them"},
    NoCounterpart{"audit-requires", "`checks.after` has the rules"},
    NoCounterpart{"container-engine", "`--engine docker` or `--engine podman` on the command line"},
    NoCounterpart{"environment-pass",
                  "steps see no variables of the caller; `environment.variables` sets them"},
    NoCounterpart{"test-environment",
                  "`environment.variables` sets variables for builds and tests alike"},
    NoCounterpart{"before-test", "write it into `test.command`, or the packages into `test.pip`"},
    NoCounterpart{"output-dir", "`--output-dir` on the command line"},
    NoCounterpart{"xbuild-tools", "it is about other platforms"},
    NoCounterpart{"pyodide-version", "it is about another platform"},
    NoCounterpart{"debug-keep-container", "`--keep-failed` on the command line"},
    NoCounterpart{"debug-traceback", "it is about cibuildwheel itself"},
    NoCounterpart{"allow-empty", "`--allow-empty` on the command line"},
    NoCounterpart{"cache-path", "`PINWHEEL_CACHE_DIR` sets the cache"},
    NoCounterpart{"platform", "pinwheel builds for Linux"},
    NoCounterpart{"project-requires-python", "`axes.python` lists the Pythons"},
    NoCounterpart{"test-execution", "it is about other platforms"},
    NoCounterpart{"test-runtime", "it is about other platforms"},
    NoCounterpart{"prerelease-pythons", "`axes.python` lists the Pythons"},
    NoCounterpart{"free-threaded-support", "`axes.python` lists the Pythons"}};

/// One option that is set.
struct Setting {
  const std::string& name;
  const CibwValue& value;

  /// A list of commands is one command, as cibuildwheel runs it.
  std::string command() const { return join(value.items, " && "); }
};

/// Options of one file with one reason are listed together.
void leave_out(FromCibuildwheel& result, const Setting& setting, const std::string& why) {
  const std::string file = fmt::format(" ({})", setting.value.file);
  for (LeftOut& one : result.left_out) {
    if (one.why != why || !one.what.ends_with(file)) continue;
    one.what.insert(one.what.size() - file.size(), ", " + quoted(setting.name));
    return;
  }
  result.left_out.push_back({fmt::format("cibuildwheel's {}{}", quoted(setting.name), file), why});
}

/// Words that name a file of `test-sources` are replaced by its path in the project.
Texts with_sources(Texts command, const Texts& sources) {
  for (std::string& word : command) {
    for (const std::string& source : sources) {
      if (word == source || word.starts_with(source + "/")) {
        word.insert(0, "{project}/");
        break;
      }
    }
  }
  return command;
}

void take_test_command(const ProjectFacts& facts, const Setting& setting,
                       FromCibuildwheel& result) {
  if (trim(setting.command()).empty()) return;
  result.test_command = matrix_command(setting.command());
  result.test_command_from = setting.value.file;
  const Texts sources = project::words_of_option(facts.cibuildwheel, "test-sources");
  if (result.test_command[0] != "sh") {
    result.test_command = with_sources(std::move(result.test_command), sources);
  } else if (!sources.empty()) {
    leave_out(result, setting,
              "it runs next to copies of `test-sources`; write `{project}/` before their names");
  }
}

/// The requirements of a group, or its name if there is no such group.
void take_list_of_tests(const ProjectFacts& facts, const Setting& setting,
                        FromCibuildwheel& result) {
  for (const std::string& name : project::words_of_option(facts.cibuildwheel, setting.name)) {
    const auto group = facts.tools.groups.find(name);
    const Texts found = setting.name == "test-extras"       ? extra_requires(facts, name)
                        : group == facts.tools.groups.end() ? Texts{}
                                                            : group->second;
    if (found.empty())
      leave_out(result, setting, fmt::format("{} was not found as a literal list", quoted(name)));
    result.test_requires.insert(result.test_requires.end(), found.begin(), found.end());
  }
  result.test_requires_from = setting.value.file;
}

void take_test_requires(const Setting& setting, FromCibuildwheel& result) {
  for (const std::string& item : setting.value.items) {
    // A string contains several arguments, like a command line.
    const Texts words = setting.value.items.size() > 1 ? Texts{item} : shell_words(item);
    const bool requirements = std::ranges::all_of(
        words, [](const std::string& word) { return pep::parse_requirement(word).has_value(); });
    if (!requirements) {
      leave_out(result, setting,
                fmt::format("{} is no requirement: list the packages", quoted(item)));
    } else {
      result.test_requires.insert(result.test_requires.end(), words.begin(), words.end());
    }
  }
  result.test_requires_from = setting.value.file;
}

void take_variables(const Setting& setting, FromCibuildwheel& result) {
  for (const auto& [name, value] : setting.value.entries) {
    if (value.find_first_of("$`") != std::string::npos) {
      leave_out(result, setting,
                fmt::format("{} is {}, which a shell computes", quoted(name), quoted(value)));
    } else if (value.empty()) {
      leave_out(result, setting, fmt::format("{} is empty", quoted(name)));
    } else {
      result.variables.emplace_back(name, value);
    }
  }
  result.variables_from = setting.value.file;
}

/// "pip install numpy cython" yields the requirements; any other command yields none.
Texts pip_requirements(const std::string& command) {
  Texts words = shell_words(command);
  if (needs_shell(command) || words.empty()) return {};
  if (words[0] == "python" && words.size() > 3 && words[1] == "-m")
    words.erase(words.begin(), words.begin() + 2);
  if (words.size() < 3 || words[0] != "pip" || words[1] != "install") return {};
  words.erase(words.begin(), words.begin() + 2);
  const bool upgrade = words[0] == "-U" || words[0] == "--upgrade";
  if (upgrade) words.erase(words.begin());
  const bool plain = std::ranges::none_of(words, [](const std::string& word) {
    return word.starts_with('-') || word.find_first_of("/{}") != std::string::npos;
  });
  return plain ? words : Texts{};
}

void take_before(const Setting& setting, FromCibuildwheel& result) {
  const std::string command = setting.command();
  if (trim(command).empty()) return;
  const Texts requirements = setting.name == "before-build" ? pip_requirements(command) : Texts{};
  if (!requirements.empty()) {
    result.build_requires = requirements;
    result.build_requires_from = setting.value.file;
    return;
  }
  const Texts packages = installed_packages(command);
  const std::string shown = command.size() > 60 ? command.substr(0, 60) + "..." : command;
  leave_out(result, setting,
            packages.empty() ? fmt::format("no command runs before a build: do what {} does in the "
                                           "image of `environment.container`, or by hand",
                                           quoted(replace_all(shown, "\n", " ")))
                             : "packages of the system: " + apt_line(packages));
}

void take_image(const Setting& setting, FromCibuildwheel& result) {
  const std::string image = setting.command();
  if (setting.name != "manylinux-x86_64-image") {
    return leave_out(result, setting,
                     setting.name == "manylinux-aarch64-image"
                         ? "`environment.container.base` by value of `arch` can name it, too"
                         : "it is about another architecture");
  }
  const bool is_short = image.find('/') == std::string::npos;
  result.image = is_short ? fmt::format("quay.io/pypa/{}_x86_64", image) : image;
  result.image_from = setting.value.file;
}

void take_repair(const Setting& setting, FromCibuildwheel& result) {
  const RepairWords words = read_repair_command(setting.command());
  result.repair_from = setting.value.file;
  result.repairs_nothing = words.is_empty;
  result.external = words.external;
  if (words.others.empty()) return;
  leave_out(result, setting,
            fmt::format("pinwheel repairs wheels itself and chooses the platform tag; a command as "
                        "`build.repair` can do the rest: {}",
                        quoted(words.others)));
}

void take_archs(const ProjectFacts& facts, const Setting& setting, FromCibuildwheel& result) {
  Texts archs = project::words_of_option(facts.cibuildwheel, "archs");
  std::erase_if(archs, [](const std::string& arch) {
    return arch == "auto" || arch == "native" || arch == "auto64" || arch == "x86_64";
  });
  if (archs.empty()) return;
  leave_out(result, setting,
            fmt::format("{}: an axis `arch: [x86_64, aarch64]` builds for both; others are not "
                        "supported",
                        quoted_list(archs)));
}

void take_option(const ProjectFacts& facts, const Setting& setting, FromCibuildwheel& result) {
  const std::string& name = setting.name;
  const auto* const known = std::ranges::find(kNoCounterparts, name, &NoCounterpart::option);
  // These choose the builds, or are part of the command (`test-sources`).
  const bool elsewhere = name == "build" || name == "skip" || name == "enable" ||
                         name == "test-sources" || name.starts_with("musllinux-");
  if (elsewhere) return;
  if (known != kNoCounterparts.end()) return leave_out(result, setting, std::string(known->why));
  if (name == "test-command") return take_test_command(facts, setting, result);
  if (name == "test-requires") return take_test_requires(setting, result);
  if (name == "test-extras" || name == "test-groups") {
    return take_list_of_tests(facts, setting, result);
  }
  if (name == "environment") return take_variables(setting, result);
  if (name == "before-all" || name == "before-build") return take_before(setting, result);
  if (name == "archs") return take_archs(facts, setting, result);
  if (name == "repair-wheel-command") return take_repair(setting, result);
  if (name == "config-settings") {
    result.config_settings = setting.value.entries;
    result.config_settings_from = setting.value.file;
    return;
  }
  if (name.starts_with("manylinux-")) return take_image(setting, result);
  leave_out(result, setting, "pinwheel does not know this option");
}

/// Whether one of the globs selects a build of the matrix.
bool selects(const Texts& globs, const Texts& pythons) {
  return std::ranges::any_of(pythons, [&](const std::string& python) {
    const std::string id = "cp" + replace_all(python, ".", "") + "-manylinux_x86_64";
    return std::ranges::any_of(globs, [&](const auto& glob) { return glob_match(glob, id); });
  });
}

void take_overrides(const ProjectFacts& facts, const Texts& pythons, FromCibuildwheel& result) {
  Texts others;
  for (const project::CibwOverride& one : facts.cibuildwheel.overrides) {
    if (!selects(one.select, pythons)) {
      others.insert(others.end(), one.select.begin(), one.select.end());
      continue;
    }
    result.left_out.push_back(
        {fmt::format("cibuildwheel's override for {}", quoted_list(one.select)),
         fmt::format("write {} into `overrides` of the matrix", quoted_list(one.options))});
  }
  if (others.empty()) return;
  result.left_out.push_back({fmt::format("cibuildwheel's overrides for {}", quoted_list(others)),
                             "they select nothing of this matrix"});
}

}  // namespace

FromCibuildwheel translate_cibuildwheel(const ProjectFacts& facts, const Texts& pythons) {
  FromCibuildwheel result;
  for (const auto& [name, value] : facts.cibuildwheel.options) {
    const bool skips_nothing =
        name == "test-skip" &&
        !selects(project::words_of_option(facts.cibuildwheel, name), pythons);
    if (!skips_nothing) take_option(facts, {name, value}, result);
  }
  take_overrides(facts, pythons, result);
  for (const std::string& name : facts.workflow.computed) {
    result.left_out.push_back({fmt::format("{} (.github/workflows)", quoted(name)),
                               "its value is computed by the workflow"});
  }
  return result;
}

}  // namespace pinwheel::init
