#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/settings.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// The axes and attributes of a variant that its settings depend on, because of the conditions of
/// overrides, placeholders, and keys that select a value. It refers to the matrix, which must
/// outlive it unchanged.
class SettingsInputs {
 public:
  explicit SettingsInputs(const Matrix& matrix);

  /// A text that is equal for two variants only if they have the same settings.
  std::string key_of(const Variant& variant);
  /// Replaces `key` with it.
  void write_key(const Variant& variant, std::string& key);

 private:
  /// An axis or an attribute.
  struct Use {
    std::string name;
    bool whole = false;                                   ///< every value has settings of its own
    std::unordered_map<std::string, bool> selected = {};  ///< values, and whether a key matches
    /// The one that was asked for last: most variants share a value with the one before.
    std::optional<std::pair<std::string, bool>> last = std::nullopt;
  };

  void add_texts(const Node& node);
  Use& use_of(const std::string& name);
  bool depends_on(const std::string& name, const std::string& value);

  const Matrix& matrix_;
  std::vector<std::string> placeholders_;  ///< texts with placeholders
  std::vector<std::string> keys_;          ///< of all mappings
  std::vector<Use> uses_;
  size_t next_ = 0;  ///< the index behind the use found last
};

/// The settings of many variants. Variants whose settings are equal share them, so they are read
/// only a few times, even for many variants. It refers to the matrix, which must outlive it
/// unchanged.
class SharedSettings {
 public:
  explicit SharedSettings(const Matrix& matrix) : matrix_(matrix), inputs_(matrix) {}
  SharedSettings(const SharedSettings&) = delete;
  SharedSettings& operator=(const SharedSettings&) = delete;

  /// As `settings_for`.
  Result<std::shared_ptr<const Settings>> of(const Variant& variant);
  /// As `own_environment`.
  Result<std::shared_ptr<const EnvironmentSettings>> own_environment_of(const Variant& variant);

 private:
  /// What is known, by key.
  template <class T>
  struct Known {
    using Values = std::unordered_map<std::string, std::shared_ptr<const T>>;
    Values values = {};
    /// The one found last: most variants share it with the one before.
    const typename Values::value_type* last = nullptr;
  };

  /// The value for a variant, read by `read` if its key is new.
  template <class T, class Read>
  Result<std::shared_ptr<const T>> find(const Variant& variant, Known<T>& known, const Read& read);

  const Matrix& matrix_;
  SettingsInputs inputs_;
  std::string key_;  ///< of the last variant
  Known<Settings> settings_;
  Known<EnvironmentSettings> environments_;
};

/// A variant and its settings. It refers to the variant, which must outlive it.
struct ConfiguredVariant {
  const Variant& variant;
  std::shared_ptr<const Settings> settings;
};

/// The variant with an id, and its settings. Kind `internal` if there is none.
Result<ConfiguredVariant> configured(const VariantIndex& variants, SharedSettings& settings,
                                     const std::string& id);

}  // namespace pinwheel::matrix
