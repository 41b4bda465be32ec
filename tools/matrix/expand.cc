#include "matrix/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "matrix/combine.h"
#include "matrix/compute_name.h"
#include "matrix/condition.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "matrix/ids.h"
#include "matrix/yaml_limits.h"

namespace pinwheel::matrix {
namespace {

/// A rule prepared for matching many variants.
struct ActiveRule {
  const SupportRule* rule = nullptr;
  Condition when;
  Condition only;
  bool used = false;
};

struct ActiveChannel {
  const ChannelSettings* channel = nullptr;
  Condition select;
};

std::vector<ActiveRule> activate_rules(const Matrix& matrix) {
  std::vector<ActiveRule> rules;
  for (const SupportRule& rule : matrix.rules) {
    rules.push_back({&rule, Condition(rule.when), Condition(rule.only), false});
  }
  return rules;
}

bool allows(const SupportRule& rule, const std::string& channel) {
  return rule.channels.empty() ||
         std::find(rule.channels.begin(), rule.channels.end(), channel) != rule.channels.end();
}

/// Applies the rules in order; returns the index of the rule that excludes the variant, if any. A
/// later `status` overrides an earlier one; a variant that `only` excluded stays excluded.
std::optional<size_t> apply_rules(std::vector<ActiveRule>& rules, Variant& variant) {
  std::optional<size_t> excluded_by;
  std::optional<size_t> status_from;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (!rules[i].when.matches(variant)) continue;
    rules[i].used = true;
    variant.shaped_by.push_back(i);
    if (rules[i].rule->status) {
      variant.status = *rules[i].rule->status;
      status_from = i;
    }
    if (!excluded_by && !rules[i].only.matches(variant)) excluded_by = i;
  }
  if (!excluded_by && variant.status == Status::unsupported) return status_from;
  return excluded_by;
}

std::vector<std::string> channels_of(std::vector<ActiveChannel>& channels,
                                     const std::vector<ActiveRule>& rules, const Variant& variant) {
  std::vector<std::string> names;
  names.reserve(channels.size());
  for (ActiveChannel& active : channels) {
    const std::string& name = active.channel->name;
    const bool allowed = std::all_of(variant.shaped_by.begin(), variant.shaped_by.end(),
                                     [&](size_t rule) { return allows(*rules[rule].rule, name); });
    if (allowed && active.select.matches(variant)) names.push_back(name);
  }
  return names;
}

/// The label of the variant's compute if it has a line in `computes`.
std::string declared_label(const Matrix& matrix, const Variant& variant) {
  const std::string& compute = variant.get("compute");
  if (find_declared(matrix.computes, compute) == nullptr) return {};
  return label_of_compute(matrix.computes, compute);
}

Error warn(std::string message, const Location& at) {
  return {ErrorKind::config,
          std::move(message),
          at,
          "a glob or a version in its `when` matches no value",
          {}};
}

/// Finds patterns in lists that match nothing, which is not noticed if another pattern of the list
/// matches.
class DeadPatterns {
 public:
  explicit DeadPatterns(const Matrix& matrix) : matrix_(matrix) {}

  void find_in(const When& when, const Location& at, Expansion& expansion) {
    for (const auto& [axis, patterns] : when) {
      if (patterns.size() < 2) continue;
      for (const std::string& pattern : patterns) {
        if (pattern.starts_with('!') || matches_some(pattern, axis)) continue;
        expansion.warnings.push_back(config_error(
            fmt::format("{} matches no value of axis {}", quoted(pattern), quoted(axis)), at,
            suggest(pattern, values_of(axis))));
      }
    }
  }

 private:
  const std::vector<std::string>& values_of(const std::string& axis) {
    const auto known = values_.find(axis);
    if (known != values_.end()) return known->second;
    return values_.emplace(axis, values_of_axis(matrix_, axis)).first->second;
  }
  bool matches_some(const std::string& pattern, const std::string& axis) {
    const std::vector<std::string>& values = values_of(axis);
    return std::any_of(values.begin(), values.end(), [&pattern](const std::string& value) {
      return value_matches(pattern, value);
    });
  }

  const Matrix& matrix_;
  std::map<std::string, std::vector<std::string>> values_;
};

void warn_of_unused(const Matrix& matrix, const std::vector<ActiveRule>& rules,
                    Expansion& expansion) {
  DeadPatterns dead(matrix);
  for (const ActiveRule& active : rules) {
    if (!active.used) {
      expansion.warnings.push_back(warn("this rule matches no variant", active.rule->at));
      continue;
    }
    dead.find_in(active.rule->when, active.rule->at, expansion);
    dead.find_in(active.rule->only, active.rule->at, expansion);
  }
  for (const ChannelSettings& channel : matrix.channels) {
    dead.find_in(channel.select, channel.at, expansion);
  }
  for (const Matrix::Override& override : matrix.overrides) {
    Condition when(override.when);
    const bool used = std::any_of(expansion.variants.begin(), expansion.variants.end(),
                                  [&](const Variant& variant) { return when.matches(variant); });
    if (!used) {
      expansion.warnings.push_back(warn("this override matches no variant", override.at));
      continue;
    }
    dead.find_in(override.when, override.at, expansion);
  }
}

/// Limits the number of combinations: a few axes of a few values each have more than any machine
/// can store.
Done check_extent(const Matrix& matrix) {
  size_t count = 1;
  for (const Axis& axis : matrix.axes) {
    count *= std::max<size_t>(1, axis.values.size());
    if (count <= kMostVariants) continue;
    return fail(config_error(
        fmt::format("up to axis {} the axes have more than {} combinations", quoted(axis.name),
                    kMostVariants),
        axis.at,
        "every value of each axis is combined with every other before `exclude` applies; "
        "`include` adds single combinations"));
  }
  return {};
}

}  // namespace

Result<Expansion> expand(const Matrix& matrix) {
  TRY_DONE(check_extent(matrix));
  TRY(Combined combined, combine(matrix));
  TRY(std::vector<std::string> ids, make_ids(combined.rows, matrix.computes));
  std::vector<ActiveRule> rules = activate_rules(matrix);
  std::vector<ActiveChannel> channels;
  for (const ChannelSettings& channel : matrix.channels) {
    channels.push_back({&channel, Condition(channel.select)});
  }
  Expansion expansion;
  expansion.warnings = std::move(combined.warnings);
  expansion.variants.reserve(combined.rows.size());
  for (size_t i = 0; i < combined.rows.size(); ++i) {
    Variant variant;
    variant.id = std::move(ids[i]);
    variant.axes = std::move(combined.rows[i].axes);
    variant.attributes = std::move(combined.rows[i].attributes);
    if (!matrix.computes.empty()) variant.declared_label = declared_label(matrix, variant);
    const std::optional<size_t> excluded_by = apply_rules(rules, variant);
    if (excluded_by) {
      expansion.excluded.push_back({std::move(variant), *excluded_by});
      continue;
    }
    variant.channels = channels_of(channels, rules, variant);
    expansion.variants.push_back(std::move(variant));
  }
  warn_of_unused(matrix, rules, expansion);
  return expansion;
}

}  // namespace pinwheel::matrix
