#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::project {

/// The facts read from a `Cargo.toml`.
struct CargoManifest {
  std::string name = {};     ///< `[package] name`
  std::string version = {};  ///< `[package] version`, if it is static
  bool pyo3 = false;         ///< it depends on pyo3 or pyo3-ffi, directly or through its workspace
  /// The libraries of its `-sys` crates, "openssl" of openssl-sys.
  std::vector<std::string> system_libraries = {};
  /// The enabled features of pyo3: "abi3-py310", "extension-module".
  std::vector<std::string> pyo3_features = {};

  bool operator==(const CargoManifest&) const = default;
};

/// Reads a manifest; `features` are enabled in addition to the default ones. `file` is its path for
/// messages. `config` if the text is not valid TOML.
Result<CargoManifest> parse_cargo_manifest(std::string_view text, const std::string& file,
                                           const std::vector<std::string>& features);

}  // namespace pinwheel::project
