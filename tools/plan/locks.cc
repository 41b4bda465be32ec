#include "plan/locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "env/toolkit.h"
#include "plan/environments.h"
#include "toolkits/made_toolkit.h"

namespace pinwheel::plan {
namespace {

/// Replaces characters that are invalid between the dots of `pylock.<name>.toml`.
std::string identifier(std::string name) {
  for (char& c : name) {
    const bool is_valid = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    if (!is_valid) c = '_';
  }
  return name;
}

std::string environment_name(const std::string& variant, const env::Request& request) {
  std::string name = identifier(variant);
  if (!request.container.base.empty()) name += "-container";
  if (!request.conda.packages.empty()) name += "-conda";
  if (request.purpose == env::Purpose::test) name += "-test";
  return name;
}

std::string toolkit_name(const env::Request& request, toolkits::ToolkitSource source) {
  const std::string name = replace_all(env::toolkit_name(request.toolkit), "/", "-");
  if (source == toolkits::ToolkitSource::conda) {
    const char* const level = request.container.base.empty() ? "" : "-container";
    return identifier(fmt::format("toolkit-{}{}-conda", name, level));
  }
  return identifier(fmt::format("toolkit-{}-cp{}", name, replace_all(request.python, ".", "")));
}

/// Collects targets by the digest of their requests, in order of appearance.
class Collector {
 public:
  LockTarget& add(const env::Request& request, const std::string& name) {
    const std::string digest = env::digest(request);
    const auto [at, fresh] = by_digest_.emplace(digest, targets_.size());
    if (!fresh) return targets_[at->second];
    // Two ids may differ only in characters that a file name cannot contain.
    const std::string free = names_.insert(name).second ? name : name + "-" + digest.substr(0, 8);
    names_.insert(free);
    return targets_.emplace_back(LockTarget{fmt::format("pylock.{}.toml", free), request});
  }

  std::vector<LockTarget> take() && { return std::move(targets_); }

 private:
  std::vector<LockTarget> targets_;
  std::map<std::string, size_t> by_digest_;
  std::set<std::string> names_;
};

bool is_representative(const std::vector<matrix::AbiClass>& classes, const std::string& id) {
  return std::any_of(classes.begin(), classes.end(),
                     [&id](const matrix::AbiClass& cls) { return cls.representative == id; });
}

void add_toolkit(const env::Request& build, const std::string& variant, Collector& collector) {
  const bool found = build.toolkit_from == matrix::ToolkitFrom::path ||
                     build.toolkit_from == matrix::ToolkitFrom::container;
  if (found) return;
  // A toolkit that is not requested from conda may come from PyPI, on a machine that lacks it.
  const toolkits::ToolkitSource source = build.toolkit_from == matrix::ToolkitFrom::conda
                                             ? toolkits::ToolkitSource::conda
                                             : toolkits::ToolkitSource::pypi;
  const Result<env::Request> packages = toolkits::toolkit_packages(build, source);
  if (!packages) return;
  LockTarget& target = collector.add(*packages, toolkit_name(build, source));
  target.variants.push_back(variant);
  target.toolkit_of.push_back(build);
}

/// Adds the environment of a class's build, and its toolkit.
void add_build(const env::Request& build, const std::string& variant, Collector& collector) {
  env::Request packages = build;
  packages.toolkit.clear();
  packages.toolkit_from = matrix::ToolkitFrom::automatic;
  packages.toolkit_packages = {};
  packages.toolkit_conda = {};
  LockTarget& target = collector.add(packages, environment_name(variant, packages));
  target.variants.push_back(variant);
  if (build.toolkit.empty()) return;
  const bool known =
      std::any_of(target.toolkits.begin(), target.toolkits.end(), [&](const env::Request& each) {
        return env::toolkit_digest(each) == env::toolkit_digest(build);
      });
  if (!known) target.toolkits.push_back(build);
  add_toolkit(build, variant, collector);
}

/// Adds the environment of a variant's tests, unless it has no packages.
void add_test(const matrix::Matrix& matrix, const matrix::Variant& variant,
              const matrix::Settings& settings, const PlanOptions& options, Collector& collector) {
  const Result<env::Request> test = test_request(matrix, variant, settings, options);
  if (!test || !env::has_packages(*test)) return;
  collector.add(*test, environment_name(variant.id, *test)).variants.push_back(variant.id);
}

}  // namespace

std::string lock_directory(const std::string& matrix_file) {
  const std::filesystem::path file(matrix_file);
  return (file.parent_path() / (file.stem().string() + ".locks")).string();
}

std::vector<LockTarget> lock_targets(const matrix::Matrix& matrix,
                                     const matrix::Expansion& expansion,
                                     const std::vector<matrix::AbiClass>& classes,
                                     const PlanOptions& options) {
  Collector collector;
  for (const matrix::Variant& variant : expansion.variants) {
    const Result<matrix::Settings> settings = matrix::settings_for(matrix, variant);
    if (!settings) continue;
    if (is_representative(classes, variant.id)) {
      const Result<env::Request> build = build_request(matrix, variant, *settings, options);
      if (build) add_build(*build, variant.id, collector);
    }
    add_test(matrix, variant, *settings, options, collector);
  }
  return std::move(collector).take();
}

Result<std::vector<LockTarget>> needed_locks(const std::vector<LockTarget>& targets,
                                             const matrix::Matrix& matrix,
                                             const matrix::Expansion& expansion,
                                             const Outline& outline, const PlanOptions& options) {
  TRY(const std::vector<env::Request> requests, requests_of(matrix, expansion, outline, options));
  std::set<std::string> digests;
  for (const env::Request& request : requests) digests.insert(env::digest(request));
  std::set<std::string> builds;
  for (const BuildGroup& group : outline.builds) builds.insert(group.cls.representative);
  std::vector<LockTarget> needed;
  std::copy_if(targets.begin(), targets.end(), std::back_inserter(needed),
               [&](const LockTarget& target) {
                 if (target.toolkit_of.empty())
                   return digests.contains(env::digest(target.request));
                 return std::any_of(target.variants.begin(), target.variants.end(),
                                    [&](const std::string& id) { return builds.contains(id); });
               });
  return needed;
}

}  // namespace pinwheel::plan
