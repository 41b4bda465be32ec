#include "exports/upstream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/compute_name.h"
#include "matrix/decode.h"
#include "matrix/settings.h"
#include "pep/python_lifetime.h"
#include "pep/version.h"
#include "pep/wheel_name.h"

namespace pinwheel::exports {
namespace {

using Words = std::vector<std::string>;

/// The nightlies of one day do not appear at the same time, and single kinds may fail for days.
constexpr int kNightlyDays = 7;

/// The label of torch's builds for a compute: for XPU, whose version is that of the compiler, only
/// the family.
std::string torch_label(const matrix::Matrix& matrix, const std::string& compute) {
  const std::string family = matrix::split_compute(compute).family;
  return family == "xpu" ? family : matrix::label_of_compute(matrix.computes, compute);
}

/// The parent index of a label: ".../whl" for ".../whl/cu130".
UpstreamIndex index_of(const std::string& url, const std::string& label) {
  const std::string own(without_trailing_slashes(url));
  const std::string end = "/" + (label.empty() ? "cpu" : label);
  if (!own.ends_with(end)) return {own, {own}};
  return {own.substr(0, own.size() - end.size()), {own}};
}

std::chrono::sys_days day_of(const std::string& date) {
  const int number = std::atoi(date.c_str());
  return std::chrono::year_month_day(std::chrono::year(number / 10000),
                                     std::chrono::month(number / 100 % 100),
                                     std::chrono::day(number % 100));
}

/// Removes the nightlies that are older than the last days.
std::vector<TorchBuild> recent(std::vector<TorchBuild> builds) {
  std::string newest;
  for (const TorchBuild& build : builds) newest = std::max(newest, build.date);
  std::erase_if(builds, [&](const TorchBuild& build) {
    return !build.date.empty() &&
           day_of(newest) - day_of(build.date) >= std::chrono::days(kNightlyDays);
  });
  return builds;
}

bool is_release(const std::string& torch) {
  return !torch.empty() && is_digit(torch[0]);
}

bool is_threaded(const std::string& python) {
  return python.ends_with('t');
}

std::string family_of(const std::string& compute) {
  return matrix::split_compute(compute).family;
}

/// The property that two values must share to be compared: a family of computes, the kind of a
/// Python.
std::string comparable_kind(std::string_view axis, const std::string& value) {
  if (axis == "compute") return family_of(value);
  return axis == "python" && is_threaded(value) ? "t" : "";
}

using AxisValue = std::pair<std::string, std::string>;

/// As versions: 3.9 before 3.10.
struct Older {
  bool operator()(const std::string& left, const std::string& right) const {
    const int order = matrix::compare_versions(left, right);
    return order != 0 ? order < 0 : left < right;
  }
  /// An axis and a value of it.
  bool operator()(const AxisValue& left, const AxisValue& right) const {
    return left.first != right.first ? left.first < right.first
                                     : (*this)(left.second, right.second);
  }
};

Words sorted(const std::set<std::string>& values) {
  Words out(values.begin(), values.end());
  std::ranges::sort(out, Older());
  return out;
}

/// An axis, and the changes to it.
struct Edited {
  const matrix::Axis* axis = nullptr;
  std::set<std::string> removed = {};
  std::set<std::string> added = {};

  /// Whether the value is newer than everything of its kind that the axis has.
  bool is_newer(const std::string& value) const {
    const std::string kind = comparable_kind(axis->name, value);
    bool comparable = false;
    for (const std::string& have : axis->values) {
      if (have == kNightly || comparable_kind(axis->name, have) != kind) continue;
      comparable = true;
      if (matrix::compare_versions(value, have) <= 0) return false;
    }
    return comparable;
  }

  /// The new values behind the last of their kind.
  Words values() const {
    Words out;
    for (const std::string& value : axis->values) {
      if (!removed.contains(value)) out.push_back(value);
    }
    for (const std::string& value : sorted(added)) {
      auto place = out.end();
      while (place != out.begin() &&
             (*(place - 1) == kNightly ||
              comparable_kind(axis->name, *(place - 1)) != comparable_kind(axis->name, value))) {
        --place;
      }
      out.insert(place == out.begin() ? out.end() : place, value);
    }
    return out;
  }
};

/// A value that begins with a digit is quoted, because other readers interpret it as a number.
std::string yaml_list(const Words& values) {
  Words items;
  for (const std::string& value : values) {
    items.push_back(is_digit(value[0]) ? "\"" + value + "\"" : value);
  }
  return "[" + join(items, ", ") + "]";
}

class Comparison {
 public:
  Comparison(const matrix::Matrix& matrix, const std::vector<matrix::Variant>& variants,
             const std::vector<TorchBuild>& builds)
      : matrix_(matrix), variants_(variants), builds_(recent(builds)) {
    for (const std::string_view name : {"torch", "compute", "python", "arch"}) {
      const matrix::Axis* const axis = matrix::find_axis(matrix, name);
      if (axis != nullptr) edited_[std::string(name)].axis = axis;
    }
  }

  Upstream compare(std::chrono::year_month today) {
    new_releases();
    new_values("compute", [](const TorchBuild& build) { return compute_of_label(build.label); });
    new_values("python", [](const TorchBuild& build) { return build.python; });
    if (!builds_.empty()) without_builds();
    ended_pythons(today);
    for (const char* const name : {"torch", "compute", "python", "arch"}) write_axis(name);
    for (const std::string& rule : rules_) {
      result_.lines.push_back({{matrix_.file, 0, 0, {}}, "rules: " + rule});
    }
    return std::move(result_);
  }

 private:
  Edited* edited(const std::string& axis) {
    const auto found = edited_.find(axis);
    return found == edited_.end() ? nullptr : &found->second;
  }

  void report(UpstreamEvent event, const std::string& axis, const std::string& value,
              std::string detail) {
    result_.changes.push_back({event, axis, value, std::move(detail), edited_.at(axis).axis->at});
  }

  void new_releases() {
    Edited* const torch = edited("torch");
    if (torch == nullptr) return;
    struct Has {
      std::set<std::string> labels;
      std::set<std::string> pythons;
    };
    std::map<std::string, Has, Older> releases;
    for (const TorchBuild& build : builds_) {
      if (!is_release(build.torch) || !torch->is_newer(build.torch)) continue;
      Has& has = releases[build.torch];
      if (!build.label.empty()) has.labels.insert(build.label);
      has.pythons.insert(build.python);
    }
    for (const auto& [release, has] : releases) {
      torch->added.insert(release);
      const std::string labels = has.labels.empty() ? "" : join(sorted(has.labels), ", ") + "; ";
      report(UpstreamEvent::appeared, "torch", release,
             fmt::format("{}Python {}", labels, join(sorted(has.pythons), ", ")));
    }
  }

  /// The newest release and, if the matrix has it, the nightly: they show future changes.
  std::set<std::string> newest() {
    std::set<std::string> out;
    const Edited* const torch = edited("torch");
    if (torch == nullptr) return out;
    std::string last;
    for (const std::string& value : torch->values()) {
      if (value == kNightly) out.insert(value);
      if (!is_release(value)) continue;
      if (last.empty() || matrix::compare_versions(last, value) < 0) last = value;
    }
    if (!last.empty()) out.insert(matrix::leading(2, last));
    return out;
  }

  template <class ValueOf>
  void new_values(const std::string& name, const ValueOf& value_of) {
    Edited* const axis = edited(name);
    if (axis == nullptr) return;
    const std::set<std::string> current = newest();
    std::map<std::string, std::set<std::string>, Older> where;
    for (const TorchBuild& build : builds_) {
      const std::string value = value_of(build);
      if (!current.contains(build.torch) || value.empty() || !axis->is_newer(value)) continue;
      where[value].insert("torch " + build.torch);
    }
    for (const auto& [value, torches] : where) {
      axis->added.insert(value);
      report(UpstreamEvent::appeared, name, value, join({torches.begin(), torches.end()}, ", "));
    }
  }

  bool has_build(const matrix::Variant& variant, const Words& axes) const {
    const std::string torch = variant.get("torch");
    const std::string wanted = torch == kNightly ? torch : matrix::leading(2, torch);
    const bool by_compute = std::ranges::find(axes, "compute") != axes.end();
    const bool by_python = std::ranges::find(axes, "python") != axes.end();
    const bool by_arch = std::ranges::find(axes, "arch") != axes.end();
    const std::string label = torch_label(matrix_, variant.get("compute"));
    return std::ranges::any_of(builds_, [&](const TorchBuild& build) {
      return build.torch == wanted &&
             (!by_compute || build.label.empty() || build.label == label) &&
             (!by_python || build.python == variant.get("python")) &&
             (!by_arch || build.arch == variant.get("arch"));
    });
  }

  /// The first axis whose value leaves a variant without a build; empty if it has one.
  std::string lacking_axis(const matrix::Variant& variant) const {
    Words axes;
    if (!has_build(variant, axes)) return "torch";
    for (const char* const name : {"compute", "python", "arch"}) {
      if (!edited_.contains(name)) continue;
      axes.emplace_back(name);
      if (!has_build(variant, axes)) return name;
    }
    return {};
  }

  void without_builds() {
    if (!edited_.contains("torch")) return;
    struct Lack {
      std::set<std::string> torches;   ///< of the variants that lack a build
      std::set<std::string> computes;  ///< of the same
    };
    std::map<AxisValue, Lack, Older> lacks;
    std::map<AxisValue, size_t> there;
    for (const matrix::Variant& variant : variants_) {
      const std::string axis = lacking_axis(variant);
      for (const auto& [name, edited] : edited_) {
        if (name != axis) ++there[{name, variant.get(name)}];
      }
      if (axis.empty()) continue;
      Lack& lack = lacks[{axis, variant.get(axis)}];
      lack.torches.insert(variant.get("torch"));
      lack.computes.insert(variant.get("compute"));
    }
    for (const auto& [key, lack] : lacks) {
      const auto& [axis, value] = key;
      const Words torches = sorted(lack.torches);
      const Words computes = sorted(lack.computes);
      if (!there.contains(key)) {
        edited_.at(axis).removed.insert(value);
        report(UpstreamEvent::vanished, axis, value, "no build of torch is for it");
        continue;
      }
      const bool named = axis == "compute" || computes.front().empty();
      const std::string for_computes = named ? "" : " for " + join(computes, ", ");
      report(UpstreamEvent::vanished, axis, value,
             fmt::format("not of torch {}{}", join(torches, ", "), for_computes));
      const std::string when =
          fmt::format("{}: {}, torch: {}{}", axis, yaml_list({value}), yaml_list(torches),
                      named ? "" : ", compute: " + yaml_list(computes));
      rules_.push_back(fmt::format("- {{when: {{{}}}, status: unsupported}}", when));
    }
  }

  void ended_pythons(std::chrono::year_month today) {
    Edited* const axis = edited("python");
    if (axis == nullptr) return;
    for (const std::string& python : axis->axis->values) {
      const auto last = pep::end_of_life(python);
      if (!last || today <= *last) continue;
      axis->removed.insert(python);
      report(UpstreamEvent::ended, "python", python,
             fmt::format("end of life since {}-{:02}", static_cast<int>(last->year()),
                         static_cast<unsigned>(last->month())));
    }
  }

  void write_axis(const std::string& name) {
    const Edited* const axis = edited(name);
    if (axis == nullptr || (axis->removed.empty() && axis->added.empty())) return;
    const Words values = axis->values();
    if (values.empty()) return;
    result_.lines.push_back({axis->axis->at, fmt::format("{}: {}", name, yaml_list(values))});
  }

  const matrix::Matrix& matrix_;
  const std::vector<matrix::Variant>& variants_;
  std::vector<TorchBuild> builds_;
  std::map<std::string, Edited> edited_;
  Words rules_;
  Upstream result_;
};

}  // namespace

std::string_view to_string(UpstreamEvent event) {
  switch (event) {
    case UpstreamEvent::appeared:
      return "appeared";
    case UpstreamEvent::vanished:
      return "vanished";
    case UpstreamEvent::ended:
      break;
  }
  return "ended";
}

Result<std::vector<UpstreamIndex>> upstream_indexes(const matrix::Matrix& matrix,
                                                    const std::vector<matrix::Variant>& variants) {
  std::vector<UpstreamIndex> out;
  for (const matrix::Variant& variant : variants) {
    TRY(const matrix::Settings settings, matrix::settings_for(matrix, variant));
    const matrix::TorchSettings& torch = settings.environment.torch;
    if (torch.spec.empty()) continue;
    const UpstreamIndex index =
        torch.index.empty() ? UpstreamIndex{}
                            : index_of(torch.index, torch_label(matrix, variant.get("compute")));
    const auto known = std::ranges::find(out, index.parent, &UpstreamIndex::parent);
    if (known == out.end()) {
      out.push_back(index);
      continue;
    }
    for (const std::string& label : index.labels) {
      if (std::ranges::find(known->labels, label) == known->labels.end()) {
        known->labels.push_back(label);
      }
    }
  }
  return out;
}

Upstream compare_upstream(const matrix::Matrix& matrix,
                          const std::vector<matrix::Variant>& variants,
                          const std::vector<TorchBuild>& builds, std::chrono::year_month today) {
  return Comparison(matrix, variants, builds).compare(today);
}

namespace {

/// A date has eight digits.
constexpr uint64_t kFirstDay = 20000101;
constexpr uint64_t kLastDay = 99991231;

/// The local version, "cu130"; empty without one.
std::string label_of(const pep::Version& version) {
  const std::string text = pep::to_string(version);
  const size_t plus = text.find('+');
  return plus == std::string::npos ? std::string() : text.substr(plus + 1);
}

/// "3.13t" for "cp313-cp313t"; empty for other Pythons.
std::string python_of(const pep::TagSet& tags) {
  const std::string& abi = tags.abi.front();
  std::string_view digits = tags.python.front();
  if (tags.python.size() > 1 || !digits.starts_with("cp3") || digits.size() < 4) return {};
  digits.remove_prefix(3);
  if (!std::ranges::all_of(digits, is_digit)) return {};
  return fmt::format("3.{}{}", digits, abi.ends_with('t') ? "t" : "");
}

std::string arch_of(const std::string& platform) {
  constexpr std::array<std::string_view, 2> kArchs = {"x86_64", "aarch64"};
  if (platform.find("linux") == std::string::npos) return {};
  for (const std::string_view arch : kArchs) {
    if (platform.ends_with(arch)) return std::string(arch);
  }
  return {};
}

}  // namespace

std::optional<TorchBuild> torch_build(std::string_view filename) {
  const Result<pep::WheelName> name = pep::parse_wheel_name(filename);
  if (!name || !name->variant.empty() || name->distribution != "torch" ||
      name->version.release.size() < 2) {
    return std::nullopt;
  }
  const pep::Version& version = name->version;
  TorchBuild build{.torch = fmt::format("{}.{}", version.release[0], version.release[1]),
                   .date = {},
                   .label = label_of(version),
                   .python = python_of(name->tags),
                   .arch = arch_of(name->tags.platform.front())};
  if (build.python.empty() || build.arch.empty() || version.pre) return std::nullopt;
  if (!version.dev) return build;
  if (*version.dev < kFirstDay || *version.dev > kLastDay) return std::nullopt;
  build.torch = kNightly;
  build.date = std::to_string(*version.dev);
  return build;
}

std::string compute_of_label(std::string_view label) {
  const std::optional<matrix::Compute> compute = matrix::compute_of_label(label);
  const bool toolkit = compute && (compute->family == "cuda" || compute->family == "rocm") &&
                       compute->version.find('.') != std::string::npos;
  return toolkit ? fmt::format("{}/{}", compute->family, compute->version) : std::string();
}

}  // namespace pinwheel::exports
