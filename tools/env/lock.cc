#include "env/lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "env/public_url.h"
#include "pep/pypi.h"

namespace pinwheel::env {
namespace {

/// A basic string of TOML.
std::string text_of(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04X}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// `key = "value"`; empty for an empty value.
std::string line(std::string_view key, std::string_view value) {
  return value.empty() ? std::string() : fmt::format("{} = {}\n", key, text_of(value));
}

/// One entry per line, so that changing one changes one line; empty for no entries.
std::string list(std::string_view key, const std::vector<std::string>& values) {
  if (values.empty()) return {};
  std::string result = fmt::format("{} = [\n", key);
  for (const std::string& value : values) result += fmt::format("  {},\n", text_of(value));
  return result + "]\n";
}

/// "3.13" from "3.13t".
std::string version_of(std::string python) {
  python.erase(std::min(python.find_last_of("0123456789") + 1, python.size()));
  return python;
}

std::string index_of(const PipPackage& package, const Resolution& resolution) {
  if (package.url.starts_with(pep::pypi_files_url() + "/")) return pep::simple_url(pep::kPypiHost);
  if (package.url.empty() || package.name != "torch") return {};
  return without_credentials(resolution.torch_index);
}

std::string package_text(const PipPackage& package, const Resolution& resolution) {
  const bool wheel = package.file.ends_with(".whl");
  std::string text = "\n[[packages]]\n" + line("name", package.name) +
                     line("version", package.version) +
                     line("index", index_of(package, resolution));
  text += wheel ? "\n[[packages.wheels]]\n" : "\n[packages.sdist]\n";
  text += line("name", package.file);
  text += package.url.empty() ? line("path", package.file) : line("url", package.url);
  return text + fmt::format("hashes = {{sha256 = {}}}\n", text_of(package.sha256));
}

std::string conda_text(const CondaPackage& package) {
  std::string text = "\n[[tool.pinwheel.conda]]\n" + line("name", package.name) +
                     line("version", package.version) + line("build", package.build) +
                     line("subdir", package.subdir) +
                     line("url", without_credentials(package.url)) +
                     line("sha256", package.sha256) + line("md5", package.md5);
  if (package.size != 0) text += fmt::format("size = {}\n", package.size);
  return text;
}

std::string asked_text(const Request& asked) {
  std::string text = "\n[tool.pinwheel.asked]\n" + line("python", asked.python) +
                     list("requirements", asked.requirements) + line("torch", asked.torch.spec) +
                     line("torch-index", asked.torch.index);
  if (!asked.container.base.empty()) {
    text += line("container", asked.container.base) +
            line("dockerfile", asked.container.dockerfile) + line("target", asked.container.target);
    std::vector<std::string> arguments;
    for (const auto& [name, value] : asked.container.arguments) {
      arguments.push_back(name + "=" + value);
    }
    text += list("container-arguments", arguments);
  }
  return text + list("conda-channels", asked.conda.channels) +
         list("conda-packages", asked.conda.packages) + line("conda-cuda", asked.conda_cuda) +
         line("purpose", asked.purpose == Purpose::test ? "test" : "");
}

std::string pinwheel_text(const Lock& lock) {
  std::vector<std::string> absent;
  for (const PipPackage& package : lock.resolution.absent) {
    absent.push_back(package.name + "==" + package.version);
  }
  std::string text = "\n[tool.pinwheel]\nschema = 1\n" + line("request", lock.request) +
                     line("resolution", lock.resolution.digest()) +
                     line("python", lock.resolution.python) + line("machine", lock.machine) +
                     line("torch-index", without_credentials(lock.resolution.torch_index)) +
                     line("patchelf", lock.patchelf) + list("absent", absent) +
                     list("variants", lock.variants) + list("pip-options", lock.pip_options) +
                     asked_text(lock.asked);
  if (lock.image) {
    text += "\n[tool.pinwheel.image]\n" + line("reference", lock.asked.container.base) +
            line("digest", lock.image->base) + line("id", lock.image->id) +
            line("key", lock.image->key);
  }
  if (lock.backend) {
    text += "\n[tool.pinwheel.backend]\n" + line("question", lock.backend->question) +
            list("requires", lock.backend->texts);
  }
  for (const LockedToolkit& toolkit : lock.toolkits) {
    text += "\n[[tool.pinwheel.toolkits]]\n" + line("name", toolkit.name) +
            line("release", toolkit.release) + line("file", toolkit.file);
  }
  for (const CondaPackage& package : lock.resolution.conda) text += conda_text(package);
  return text;
}

Request shown(Request request) {
  request.torch.index = without_credentials(request.torch.index);
  request.torch.spec = without_credentials(request.torch.spec);
  request.container.base = without_credentials(request.container.base);
  for (auto* const texts :
       {&request.requirements, &request.conda.channels, &request.conda.packages}) {
    for (std::string& text : *texts) text = without_credentials(text);
  }
  for (auto& [name, value] : request.container.arguments) value = without_credentials(value);
  return request;
}

/// pip options whose values are locations: hosts and directories of this machine.
constexpr std::array<std::string_view, 4> kPlaces = {"constraint", "extra-index-url", "find-links",
                                                     "index-url"};
/// Options whose values are not secret and that affect which file of a package is chosen.
constexpr std::array<std::string_view, 7> kSwitches = {
    "all-releases", "no-binary",     "no-index",         "only-binary",
    "pre",          "prefer-binary", "uploaded-prior-to"};

template <size_t N>
bool contains(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Lock make_lock(const Request& request, Resolution resolution, const std::string& machine) {
  resolution.at = {};
  resolution.pip.clear();
  return {.request = digest(request),
          .asked = shown(request),
          .resolution = std::move(resolution),
          .machine = machine};
}

std::string to_pylock(const Lock& lock) {
  const std::string markers = fmt::format(
      "implementation_name == 'cpython' and sys_platform == 'linux' and "
      "platform_machine == '{}'",
      lock.machine);
  std::string text =
      "# Written by `pinwheel env lock`: to change it, change the matrix and run that again.\n"
      "lock-version = \"1.0\"\n";
  text += list("environments", {markers});
  // A toolkit of conda packages is for any Python.
  if (!lock.asked.python.empty()) {
    text += line("requires-python", fmt::format("=={}.*", version_of(lock.asked.python)));
  }
  text += line("created-by", "pinwheel");
  // An empty array of tables has no header, but the key is required.
  if (lock.resolution.packages.empty()) text += "packages = []\n";
  for (const PipPackage& package : lock.resolution.packages) {
    text += package_text(package, lock.resolution);
  }
  return text + pinwheel_text(lock);
}

std::vector<std::string> deciding_pip_options(std::string_view config_list) {
  std::vector<std::string> options;
  for (const std::string& each : split(config_list, '\n')) {
    const size_t equals = each.find('=');
    const size_t dot = each.rfind('.', equals);
    if (equals == std::string::npos || dot == std::string::npos) continue;
    const std::string name = each.substr(dot + 1, equals - dot - 1);
    const std::string value = replace_all(each.substr(equals + 1), "'", "");
    if (contains(kSwitches, name)) {
      options.push_back(fmt::format("{}={}", name, value));
    } else if (contains(kPlaces, name) &&
               !(name == "index-url" &&
                 (value + "/").starts_with(pep::simple_url(pep::kPypiHost)))) {
      options.push_back(name);
    }
  }
  std::sort(options.begin(), options.end());
  options.erase(std::unique(options.begin(), options.end()), options.end());
  return options;
}

namespace {

using Values = std::map<std::string, std::vector<std::string>>;  ///< name -> its identifying values

std::string first_that_differs(const std::vector<std::string>& all,
                               const std::vector<std::string>& others) {
  // Versions, then file names, then hashes: the first pair that differs is the clearest.
  const auto [mine, theirs] = std::mismatch(all.begin(), all.end(), others.begin(), others.end());
  return mine == all.end() ? std::string() : *mine;
}

std::vector<LockDifference> compare(const Values& locked, const Values& now) {
  std::vector<LockDifference> result;
  for (const auto& [name, values] : locked) {
    const auto found = now.find(name);
    if (found == now.end()) {
      result.push_back({name, values.front(), {}});
    } else if (found->second != values) {
      result.push_back({name, first_that_differs(values, found->second),
                        first_that_differs(found->second, values)});
    }
  }
  for (const auto& [name, values] : now) {
    if (!locked.contains(name)) result.push_back({name, {}, values.front()});
  }
  return result;
}

void compare_text(const std::string& what, const std::string& locked, const std::string& now,
                  std::vector<LockDifference>& result) {
  const std::string shown = without_credentials(now);
  if (locked != shown) result.push_back({what, locked, shown});
}

void compare_lists(const std::string& what, const std::vector<std::string>& locked,
                   const std::vector<std::string>& now, std::vector<LockDifference>& result) {
  std::vector<std::string> shown;
  shown.reserve(now.size());
  for (const std::string& text : now) shown.push_back(without_credentials(text));
  const auto has = [](const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  for (const std::string& text : locked) {
    if (!has(shown, text)) result.push_back({what, text, {}});
  }
  for (const std::string& text : shown) {
    if (!has(locked, text)) result.push_back({what, {}, text});
  }
}

std::vector<std::string> list_of(const std::map<std::string, std::string>& arguments) {
  std::vector<std::string> list;
  list.reserve(arguments.size());
  for (const auto& [name, value] : arguments) list.push_back(name + "=" + value);
  return list;
}

}  // namespace

std::string to_text(const LockDifference& difference) {
  const std::string what = quoted(difference.what);
  if (difference.locked.empty()) return fmt::format("{} {} is new", what, difference.now);
  if (difference.now.empty()) return fmt::format("{} {} is gone", what, difference.locked);
  return fmt::format("{}: {} -> {}", what, difference.locked, difference.now);
}

std::vector<LockDifference> request_differences(const Lock& locked, const Request& now) {
  if (locked.request == digest(now)) return {};
  const Request& was = locked.asked;
  std::vector<LockDifference> result;
  compare_text("python", was.python, now.python, result);
  compare_text("torch", was.torch.spec, now.torch.spec, result);
  compare_text("torch index", was.torch.index, now.torch.index, result);
  compare_lists("requirement", was.requirements, now.requirements, result);
  compare_text("container base", was.container.base, now.container.base, result);
  compare_text("dockerfile", was.container.dockerfile, now.container.dockerfile, result);
  compare_text("target", was.container.target, now.container.target, result);
  compare_lists("container argument", list_of(was.container.arguments),
                list_of(now.container.arguments), result);
  compare_lists("conda channel", was.conda.channels, now.conda.channels, result);
  compare_lists("conda package", was.conda.packages, now.conda.packages, result);
  compare_text("conda CUDA", was.conda_cuda, now.conda_cuda, result);
  // The order of channels matters, and credentials are not shown.
  if (result.empty())
    result.push_back({"request", locked.request.substr(0, 12), digest(now).substr(0, 12)});
  return result;
}

std::vector<LockDifference> package_differences(const Resolution& locked, const Resolution& now) {
  const auto values_of = [](const Resolution& resolution) {
    Values values;
    for (const PipPackage& package : resolution.packages) {
      values[package.name] = {package.version, package.file, package.sha256};
    }
    for (const PipPackage& package : resolution.absent) {
      values["absent:" + package.name] = {package.version};
    }
    for (const CondaPackage& package : resolution.conda) {
      values["conda:" + package.name] = {package.version, package.build, package.sha256};
    }
    return values;
  };
  std::vector<LockDifference> result = compare(values_of(locked), values_of(now));
  if (locked.python != now.python) {
    result.insert(result.begin(), {"python", locked.python, now.python});
  }
  return result;
}

}  // namespace pinwheel::env
