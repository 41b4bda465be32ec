#include "prepare/check_frozen.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "pep/version.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/package_version.h"
#include "prepare/version_facts.h"
#include "version/derive.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFreezeAgain =
    "check out the commit of the plan, or freeze a new one: `pinwheel plan --out FILE`";

std::string short_commit(const std::string& commit) {
  constexpr size_t kShortSha = 7;
  return commit.empty() ? "no commit" : "commit " + quoted(commit.substr(0, kShortSha));
}

Done check_commit(const plan::FrozenPlan& frozen, const ports::GitFacts& checkout) {
  if (frozen.commit == checkout.commit) return {};
  return fail(ErrorKind::drift,
              fmt::format("the plan is of {}, and the checkout is at {}",
                          short_commit(frozen.commit), short_commit(checkout.commit)),
              kFreezeAgain);
}

/// The version of the plan's commit; nullopt if that cannot be known from the checkout alone.
std::optional<version::Derived> version_here(const Host& host, const matrix::Matrix& matrix,
                                             const plan::FrozenPlan& frozen,
                                             ports::GitFacts checkout, const fs::path& directory) {
  if (matrix.package.version.from == matrix::VersionFrom::calver) return std::nullopt;
  checkout.dirty = frozen.version.unreleased.ends_with(".dirty");
  const VersionSources sources{host, nullptr, &checkout, directory, {}};
  Result<version::Derived> derived =
      package_version(matrix.package, version_channel(matrix, frozen.channel), sources);
  // What is wrong with it beside the plan, those say who derive it.
  if (!derived) return std::nullopt;
  return *std::move(derived);
}

/// The version without what a night adds.
std::string comparable(pep::Version version, bool nightly) {
  if (nightly) version.dev.reset();
  return pep::to_string(version);
}

Done check_version_of(const plan::FrozenPlan& frozen, const version::Derived& here, bool nightly) {
  const Result<pep::Version> planned = pep::parse_version(frozen.version.version);
  const bool same = planned && comparable(*planned, nightly) == comparable(here.version, nightly) &&
                    frozen.version.unreleased == here.unreleased;
  if (same) return {};
  const auto text = [](const std::string& version, const std::string& unreleased) {
    return quoted(unreleased.empty() ? version : version + "+" + unreleased);
  };
  return fail(
      ErrorKind::drift,
      fmt::format("the plan is of version {}, and {} has version {}",
                  text(frozen.version.version, frozen.version.unreleased),
                  short_commit(frozen.commit), text(pep::to_string(here.version), here.unreleased)),
      kFreezeAgain);
}

}  // namespace

Done check_checkout(const Host& host, const Loaded& loaded, const plan::FrozenPlan& frozen) {
  const matrix::Matrix& matrix = loaded.matrix;
  if (!matrix.package.requirement.empty()) return {};
  TRY(const fs::path directory, package_directory(host, matrix));
  const Result<ports::GitFacts> checkout = host.git.facts(directory, ports::WorkTree::ignore);
  if (!checkout) return {};
  TRY_DONE(check_commit(frozen, *checkout));
  const std::optional<version::Derived> here =
      version_here(host, matrix, frozen, *checkout, directory);
  if (!here) return {};
  const bool nightly = matrix.package.version.from == matrix::VersionFrom::git_tag &&
                       version_channel(matrix, frozen.channel) == version::Channel::nightly;
  return check_version_of(frozen, *here, nightly);
}

Done check_has_channel(const Loaded& loaded, const SelectionOptions& selection,
                       const std::vector<std::string>& globs, const plan::FrozenPlan& frozen) {
  SelectionOptions whole = selection;
  // A shard is one of the plan, not of the channel.
  whole.shard.clear();
  whole.allow_empty = true;
  TRY(const plan::Outline outline, select_outline(loaded, whole, globs, frozen.channel));
  const std::unordered_set<std::string_view> planned(frozen.variants.begin(),
                                                     frozen.variants.end());
  std::vector<std::string> missing;
  for (const matrix::Variant& variant : outline.variants) {
    if (!planned.contains(variant.id)) missing.push_back(variant.id);
  }
  if (missing.empty()) return {};
  const std::string of =
      frozen.channel.empty() ? "the matrix" : "channel " + quoted(frozen.channel);
  return fail(ErrorKind::drift,
              fmt::format("the plan lacks {} of the {} of {}: {}", missing.size(),
                          plural(outline.variants.size(), "variant"), of, quoted_list(missing)),
              "freeze a new plan; to release a part, use the selection of the plan");
}

}  // namespace pinwheel::prepare
