#include "env/lock_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "env/public_url.h"

namespace pinwheel::env {
namespace {

using Values = std::map<std::string, std::vector<std::string>>;  ///< name -> what identifies it

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
