#include "ci/gitlab_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

// GitLab compares a whole expression with RE2; a `*` of a tag filter does not match a slash.
std::string tag_expression(std::string_view glob) {
  std::string expression;
  for (size_t at = 0; at < glob.size(); ++at) {
    const char c = glob[at];
    if (c == '*') {
      const bool deep = at + 1 < glob.size() && glob[at + 1] == '*';
      expression += deep ? ".*" : R"([^\/]*)";
      if (deep) ++at;
    } else if (std::string_view("?+[]").find(c) != std::string_view::npos) {
      expression += c;  // the same in a filter as in an expression
    } else {
      const bool word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                        (c >= 'a' && c <= 'z') || c == '_' || c == '-';
      if (!word) expression += '\\';
      expression += c;
    }
  }
  return expression;
}

/// The conditions under which the jobs of a workflow run, each with its value of `when`. In GitHub,
/// the last tag filter that matches decides; in GitLab, the first rule does.
struct Rule {
  std::string condition;
  bool never = false;
};

std::vector<Rule> rules_of(const WorkflowFacts& facts) {
  switch (facts.set) {
    case WorkflowSet::ci:
      return {{R"($CI_PIPELINE_SOURCE == "merge_request_event")"},
              {R"($CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH)"}};
    case WorkflowSet::nightly:
      // Other schedules of the project do not start these jobs.
      return {{R"($CI_PIPELINE_SOURCE == "schedule" && $PINWHEEL_SCHEDULE == "nightly")"}};
    case WorkflowSet::release:
      break;
  }
  std::vector<Rule> rules;
  for (const std::string& glob : facts.settings.tags) {
    const bool never = glob.starts_with('!');
    rules.push_back({fmt::format("$CI_PIPELINE_SOURCE != \"schedule\" && $CI_COMMIT_TAG =~ /^{}$/",
                                 tag_expression(never ? glob.substr(1) : std::string_view(glob))),
                     never});
  }
  std::ranges::reverse(rules);
  return rules;
}

}  // namespace

std::vector<std::string> changed_paths(const WorkflowFacts& facts) {
  constexpr size_t kMostPatterns = 50;
  if (facts.set != WorkflowSet::ci || facts.settings.paths.size() > kMostPatterns) return {};
  std::vector<std::string> patterns;
  for (const std::string& path : facts.settings.paths) {
    if (path.find_first_of("!+?") != std::string::npos) return {};
    patterns.push_back(path.ends_with("**") ? path + "/*" : path);
  }
  return patterns;
}

std::string rules_text(const WorkflowFacts& facts, RunWhen when) {
  const std::vector<std::string> paths = changed_paths(facts);
  const std::string changes =
      paths.empty() ? std::string() : fmt::format("\n    changes: {}", yaml_list(paths));
  std::string text = "rules:\n";
  for (const Rule& rule : rules_of(facts)) {
    text += fmt::format("  - if: {}{}\n", yaml_string(rule.condition), changes);
    if (rule.never) {
      text += "    when: never\n";
    } else if (when == RunWhen::always) {
      text += "    when: always\n";
    }
  }
  return text;
}

}  // namespace pinwheel::ci
