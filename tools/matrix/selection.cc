#include "matrix/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/text.h"
#include "matrix/combine.h"
#include "matrix/decode.h"
#include "matrix/ids.h"

namespace pinwheel::matrix {
namespace {

/// The variants that remain after each filter.
using Remaining = std::vector<const Variant*>;

template <class Predicate>
Remaining filtered(const Remaining& remaining, Predicate wanted) {
  Remaining out;
  out.reserve(remaining.size());
  std::copy_if(remaining.begin(), remaining.end(), std::back_inserter(out),
               [&](const Variant* variant) { return wanted(*variant); });
  return out;
}

std::vector<std::string> ids_of(const Expansion& expansion) {
  std::vector<std::string> ids;
  for (const Variant& variant : expansion.variants) ids.push_back(variant.id);
  return ids;
}

bool any_glob(const std::vector<std::string>& globs, const std::string& id) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return glob_match(glob, id); });
}

/// The error for an unknown id. Names the rule if a rule excluded the id, which is then not a
/// misspelling.
Error unknown_id(const Matrix& matrix, const Expansion& expansion, const std::string& id) {
  for (const Excluded& excluded : expansion.excluded) {
    if (!glob_match(id, excluded.variant.id)) continue;
    const SupportRule& rule = matrix.rules[excluded.rule];
    return {ErrorKind::usage,
            fmt::format("{} is excluded by a rule", quoted(id)),
            rule.at,
            rule.because,
            {}};
  }
  return {ErrorKind::usage,
          is_glob(id) ? fmt::format("{} matches no variant", quoted(id))
                      : fmt::format("no variant has the id {}", quoted(id)),
          std::nullopt,
          suggest(id, ids_of(expansion)),
          {}};
}

bool matches_any(const std::string& glob, const std::vector<std::string>& ids) {
  return std::any_of(ids.begin(), ids.end(),
                     [&glob](const std::string& id) { return glob_match(glob, id); });
}

/// The ids that the matrix would have without `exclude`; none if they would not be unique.
std::vector<std::string> ids_without_excludes(Matrix matrix) {
  matrix.exclude.clear();
  const Result<Combined> combined = combine(matrix);
  if (!combined) return {};
  return make_ids(combined->rows, matrix.computes).value_or(std::vector<std::string>());
}

/// Checks a glob that leaves something out, which a rule or `exclude` may have left out already.
Done check_skip(const Matrix& matrix, const Expansion& expansion,
                const std::vector<std::string>& globs) {
  if (globs.empty()) return {};
  std::vector<std::string> ids = ids_of(expansion);
  for (const Excluded& excluded : expansion.excluded) ids.push_back(excluded.variant.id);
  for (const std::string& glob : globs) {
    if (matches_any(glob, ids) || matches_any(glob, ids_without_excludes(matrix))) continue;
    return fail(unknown_id(matrix, expansion, glob));
  }
  return {};
}

/// Every glob must match some id of the whole matrix.
Done check_globs(const Matrix& matrix, const Expansion& expansion,
                 const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) {
    const bool known =
        std::any_of(expansion.variants.begin(), expansion.variants.end(),
                    [&](const Variant& variant) { return glob_match(glob, variant.id); });
    if (!known) return fail(unknown_id(matrix, expansion, glob));
  }
  return {};
}

Done check_only(const Matrix& matrix, const Expansion& expansion,
                const std::vector<std::string>& only) {
  for (const std::string& id : only) {
    const bool known = std::any_of(expansion.variants.begin(), expansion.variants.end(),
                                   [&](const Variant& variant) { return variant.id == id; });
    if (!known) return fail(unknown_id(matrix, expansion, id));
  }
  return {};
}

/// The distinct values of an axis or attribute over the whole matrix, in order.
std::vector<std::string> values_of(const Expansion& expansion, const std::string& axis) {
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (const Variant& variant : expansion.variants) {
    const std::string& value = variant.get(axis);
    if (!value.empty() && seen.insert(value).second) values.push_back(value);
  }
  return values;
}

/// Whether the brace at `open` has a partner.
bool closes(std::string_view text, size_t open) {
  size_t depth = 0;
  for (const char c : text.substr(open)) {
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return true;
  }
  return false;
}

struct Selector {
  std::string axis;
  std::vector<std::string> patterns;
};

/// Splits at commas that are not inside `{a,b}`; a brace without a partner is a character.
std::vector<std::string> split_patterns(const std::string& text) {
  std::vector<std::string> patterns(1);
  size_t depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' && closes(text, at)) ++depth;
    if (c == '}' && depth > 0) --depth;
    if (c == ',' && depth == 0) {
      patterns.emplace_back();
    } else {
      patterns.back() += c;
    }
  }
  return patterns;
}

/// Whether a value or glob matches something. With a leading `!`, it may match only variants that
/// are already excluded.
bool is_known(std::string_view pattern, const std::vector<std::string>& values,
              const std::vector<std::string>& declared) {
  const bool negated = pattern.starts_with('!');
  if (negated) pattern.remove_prefix(1);
  const auto matches = [pattern](const std::string& value) {
    return value_matches(pattern, value);
  };
  return std::any_of(values.begin(), values.end(), matches) ||
         (negated && std::any_of(declared.begin(), declared.end(), matches));
}

Result<Selector> parse_selector(const std::string& text, const Matrix& matrix,
                                const Expansion& expansion) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return fail(ErrorKind::usage, fmt::format("{} is not a selector", quoted(text)),
                "write AXIS=VALUE, e.g. `python=3.12,3.13` or `compute=!cuda/*`");
  }
  Selector selector{text.substr(0, equals), split_patterns(text.substr(equals + 1))};
  std::vector<std::string> names;
  for (const Axis& axis : matrix.axes) names.push_back(axis.name);
  names.insert(names.end(), matrix.attributes.begin(), matrix.attributes.end());
  if (std::find(names.begin(), names.end(), selector.axis) == names.end()) {
    return fail(ErrorKind::usage, fmt::format("unknown axis {}", quoted(selector.axis)),
                suggest(selector.axis, names));
  }
  const std::vector<std::string> values = values_of(expansion, selector.axis);
  const std::vector<std::string> declared = values_of_axis(matrix, selector.axis);
  for (std::string_view pattern : selector.patterns) {
    if (is_known(pattern, values, declared)) continue;
    if (pattern.starts_with('!')) pattern.remove_prefix(1);
    return fail(
        ErrorKind::usage,
        fmt::format("{} matches no value of axis {}", quoted(pattern), quoted(selector.axis)),
        suggest(pattern, values));
  }
  return selector;
}

/// One selector for each axis.
Result<std::vector<Selector>> parse_selectors(const SelectionRequest& request, const Matrix& matrix,
                                              const Expansion& expansion) {
  std::vector<Selector> selectors;
  for (const std::string& text : request.selectors) {
    TRY(Selector selector, parse_selector(text, matrix, expansion));
    const auto same = std::ranges::find(selectors, selector.axis, &Selector::axis);
    if (same == selectors.end()) {
      selectors.push_back(std::move(selector));
    } else {
      same->patterns.insert(same->patterns.end(), selector.patterns.begin(),
                            selector.patterns.end());
    }
  }
  return selectors;
}

Done check_channel(const Matrix& matrix, const std::string& channel) {
  if (channel.empty()) return {};
  std::vector<std::string> names;
  for (const ChannelSettings& each : matrix.channels) names.push_back(each.name);
  if (std::find(names.begin(), names.end(), channel) != names.end()) return {};
  return fail(ErrorKind::usage, fmt::format("unknown channel {}", quoted(channel)),
              names.empty() ? fmt::format("{} declares no channels", quoted(matrix.file))
                            : suggest(channel, names));
}

/// The filter that left nothing, and how to widen the selection.
Error nothing_left(std::string_view filter, std::string hint) {
  return {ErrorKind::nothing_selected,
          fmt::format("no variant is selected: {}", filter),
          std::nullopt,
          std::move(hint),
          {}};
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::supported:
      return "supported";
    case Status::experimental:
      return "experimental";
    case Status::unmaintained:
      return "unmaintained";
    case Status::unsupported:
      return "unsupported";
  }
  return "";
}

bool has_status(const std::vector<Status>& wanted, const Variant& variant) {
  return std::find(wanted.begin(), wanted.end(), variant.status) != wanted.end();
}

bool runs_in(const Variant& variant, const std::string& channel) {
  return channel.empty() || std::find(variant.channels.begin(), variant.channels.end(), channel) !=
                                variant.channels.end();
}

/// Applies the filters in the order that makes the error message easiest to understand.
Result<Remaining> apply_filters(Remaining remaining, const SelectionRequest& request,
                                const std::vector<Selector>& selectors) {
  const std::unordered_set<std::string> only(request.only.begin(), request.only.end());
  remaining = filtered(remaining, [&](const Variant& variant) {
    return (only.empty() || only.contains(variant.id)) &&
           (request.globs.empty() || any_glob(request.globs, variant.id));
  });
  if (remaining.empty()) return fail(nothing_left("none matches both `--only` and the globs", ""));
  for (const Selector& selector : selectors) {
    remaining = filtered(remaining, [&](const Variant& variant) {
      return values_match(selector.patterns, variant.get(selector.axis));
    });
    if (remaining.empty()) {
      return fail(nothing_left(
          fmt::format("{} matches none of them",
                      quoted(fmt::format("{}={}", selector.axis, join(selector.patterns, ",")))),
          ""));
    }
  }
  remaining = filtered(remaining,
                       [&](const Variant& variant) { return !any_glob(request.skip, variant.id); });
  if (remaining.empty())
    return fail(
        nothing_left("`--skip` removes all of them", "`--skip` takes precedence over a selection"));
  remaining = filtered(remaining,
                       [&](const Variant& variant) { return runs_in(variant, request.channel); });
  if (remaining.empty()) {
    return fail(
        nothing_left(fmt::format("none of them runs in channel {}", quoted(request.channel)),
                     "run `pinwheel explain ID` to see a variant's channels"));
  }
  const std::string status(name_of(remaining[0]->status));
  remaining = filtered(remaining,
                       [&](const Variant& variant) { return has_status(request.status, variant); });
  if (remaining.empty()) {
    return fail(nothing_left(
        "none of them has the requested status",
        fmt::format("{} widens the selection", quoted(fmt::format("--status {}", status)))));
  }
  return remaining;
}

}  // namespace

Result<std::vector<const Variant*>> find_selected(const Matrix& matrix, const Expansion& expansion,
                                                  const SelectionRequest& request) {
  TRY_DONE(check_only(matrix, expansion, request.only));
  TRY_DONE(check_globs(matrix, expansion, request.globs));
  TRY_DONE(check_skip(matrix, expansion, request.skip));
  TRY_DONE(check_channel(matrix, request.channel));
  TRY(const std::vector<Selector> selectors, parse_selectors(request, matrix, expansion));
  Remaining all;
  all.reserve(expansion.variants.size());
  for (const Variant& variant : expansion.variants) all.push_back(&variant);
  return apply_filters(std::move(all), request, selectors);
}

Result<std::vector<Variant>> select(const Matrix& matrix, const Expansion& expansion,
                                    const SelectionRequest& request) {
  TRY(const Remaining remaining, find_selected(matrix, expansion, request));
  std::vector<Variant> selected;
  selected.reserve(remaining.size());
  for (const Variant* variant : remaining) selected.push_back(*variant);
  return selected;
}

}  // namespace pinwheel::matrix
