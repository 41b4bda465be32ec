#include "matrix/shared_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "matrix/condition.h"
#include "matrix/family.h"

namespace pinwheel::matrix {
namespace {

/// Appends a text so that its end is known: a value may contain any character.
void append_measured(std::string& key, std::string_view text) {
  std::array<char, 20> digits{};  // of any 64-bit number
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), text.size()).ptr;
  key.append(digits.data(), end).append(1, ':').append(text);
}

}  // namespace

SettingsInputs::SettingsInputs(const Matrix& matrix) : matrix_(matrix) {
  add_texts(matrix.sections);
  for (const DeclaredCompute& compute : matrix.computes) add_texts(compute.patch);
  for (const Matrix::Override& override : matrix.overrides) {
    add_texts(override.patch);
    for (const auto& [name, patterns] : override.when) use_of(name).whole = true;
  }
  // The compute selects lines of `computes` and names architectures; the package has requirements.
  use_of("compute").whole = true;
  use_of(kPackageAxis).whole = true;
}

void SettingsInputs::add_texts(const Node& node) {
  if (node.scalar.find('{') != std::string::npos) placeholders_.push_back(node.scalar);
  for (const Node& item : node.items) add_texts(item);
  for (const Node::Member& member : node.members) {
    keys_.push_back(member.key);
    add_texts(member.value);
  }
}

SettingsInputs::Use& SettingsInputs::use_of(const std::string& name) {
  // Variants have their axes in one order.
  if (next_ < uses_.size() && uses_[next_].name == name) return uses_[next_++];
  const auto known = std::ranges::find(uses_, name, &Use::name);
  next_ = static_cast<size_t>(known - uses_.begin()) + 1;
  if (known != uses_.end()) return *known;
  // Every placeholder starts with the name of its axis, except those of the compute.
  const std::string placeholder = "{" + name;
  const bool whole = std::ranges::any_of(placeholders_, [&placeholder](const std::string& text) {
    return text.find(placeholder) != std::string::npos;
  });
  return uses_.emplace_back(Use{name, whole});
}

bool SettingsInputs::depends_on(const std::string& name, const std::string& value) {
  Use& use = use_of(name);
  if (use.whole) return true;
  if (use.last && use.last->first == value) return use.last->second;
  auto known = use.selected.find(value);
  if (known == use.selected.end()) {
    const bool selects = std::ranges::any_of(
        keys_, [&value](const std::string& key) { return value_matches(key, value); });
    known = use.selected.emplace(value, selects).first;
  }
  use.last = *known;
  return known->second;
}

std::string SettingsInputs::key_of(const Variant& variant) {
  std::string key;
  write_key(variant, key);
  return key;
}

void SettingsInputs::write_key(const Variant& variant, std::string& key) {
  key.clear();
  for (const auto* const pairs : {&variant.axes, &variant.attributes}) {
    for (const auto& [name, value] : *pairs) {
      if (!depends_on(name, value)) continue;
      append_measured(key, name);
      append_measured(key, value);
    }
    key += ';';
  }
  append_measured(key, variant.declared_label);
  if (matrix_.backend_answers.contains(variant.id)) key += variant.id;
}

template <class T, class Read>
Result<std::shared_ptr<const T>> SharedSettings::find(const Variant& variant, Known<T>& known,
                                                      const Read& read) {
  inputs_.write_key(variant, key_);
  if (known.last != nullptr && known.last->first == key_) return known.last->second;
  auto found = known.values.find(key_);
  if (found == known.values.end()) {
    TRY(T value, read(matrix_, variant));
    found = known.values.emplace(key_, std::make_shared<const T>(std::move(value))).first;
  }
  known.last = &*found;
  return found->second;
}

Result<std::shared_ptr<const Settings>> SharedSettings::of(const Variant& variant) {
  return find(variant, settings_, settings_for);
}

Result<std::shared_ptr<const EnvironmentSettings>> SharedSettings::own_environment_of(
    const Variant& variant) {
  return find(variant, environments_, own_environment);
}

Result<ConfiguredVariant> configured(const VariantIndex& variants, SharedSettings& settings,
                                     const std::string& id) {
  TRY(const Variant* const variant, variants.find(id));
  TRY(std::shared_ptr<const Settings> own, settings.of(*variant));
  return ConfiguredVariant{*variant, std::move(own)};
}

}  // namespace pinwheel::matrix
