#include "init/publication.h"

#include <fmt/format.h>

#include <utility>

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;
using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kTarget = "index";

/// The keys of PyPI and TestPyPI: names tell apart what a label says elsewhere, which they refuse.
std::string keys_of_index(const std::string& kind, const Texts& computes) {
  if (computes.size() < 2) return fmt::format("{0}: {{kind: {0}}}", kind);
  return fmt::format("{0}: {{kind: {0}, default: {1}, others: name-suffix}}", kind, computes[0]);
}

std::string other_targets(const std::string& indent, const Texts& computes, const Texts& torches) {
  std::string text =
      fmt::format("{0}Other targets, which `channels` can name:\n{0}{1}\n{0}{2}", indent,
                  keys_of_index("pypi", computes), keys_of_index("testpypi", computes));
  if (torches.size() > 1) {
    text += "\n" + indent +
            "They take no labels: one name there has wheels for one value of `axes.torch`.";
  }
  return text;
}

/// The index of a wheel for each compute: it takes their labels, or each compute has its own name.
std::string choice_of_index(const ProjectFacts& facts, const Texts& computes,
                            const Texts& torches) {
  return fmt::format(
      "Releases need an index, and you must choose one. A directory accepts all labels of wheels, "
      "and\npip can use it as an index:\n"
      "channels: {{ci: {{publish: [{0}]}}, test: {{publish: [{0}]}}, release: {{publish: "
      "[{0}]}}}}\n"
      "publish:\n"
      "  require: loaded\n"
      "  {0}: {{kind: directory, path: {1}, label: local}}\n"
      "{2}",
      kTarget, facts.published, other_targets("  ", computes, torches));
}

}  // namespace

std::vector<MatrixLine> publication_lines(const ProjectFacts& facts, const Texts& computes,
                                          const Texts& torches) {
  if (!computes.empty()) return {{"publish", {}, choice_of_index(facts, computes, torches)}};
  const Texts targets = {kTarget};
  return {
      {"channels.ci.publish", targets, "commits without a tag"},
      {"channels.test.publish", targets, "tags of pre-releases"},
      {"channels.release.publish", targets, "tags of releases"},
      {"publish.require", "loaded", "an import shows this; use `ran` if `test.command` runs tests"},
      {fmt::format("publish.{}", kTarget),
       Entries{{"kind", "directory"}, {"path", facts.published}, {"label", "local"}},
       "pip can use this directory as an index"},
      {"publish", {}, other_targets({}, computes, torches)}};
}

}  // namespace pinwheel::init
