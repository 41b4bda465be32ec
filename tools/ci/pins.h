#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::ci {

/// An action that generated workflows use, pinned to the commit of a release.
struct Pin {
  std::string_view action;   ///< "actions/checkout"
  std::string_view version;  ///< "v7.0.1"
  std::string_view commit;   ///< 40 hex digits
};

/// All pins: `ci generate` writes them, and `ci check --updates` compares them.
inline constexpr std::array kPins = {
    Pin{"actions/checkout", "v7.0.1", "3d3c42e5aac5ba805825da76410c181273ba90b1"},
    Pin{"actions/upload-artifact", "v7.0.1", "043fb46d1a93c77aae656e7c1c64a875d1fc6a0a"},
    Pin{"actions/download-artifact", "v8.0.1", "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c"},
    Pin{"actions/cache", "v6.1.0", "55cc8345863c7cc4c66a329aec7e433d2d1c52a9"},
};

/// "actions/checkout@COMMIT # v7.0.1", as written after `uses:`. The action must be in `kPins`.
std::string pinned(std::string_view action);
/// The same for an action in a subdirectory: "actions/cache/restore@COMMIT # v6.1.0".
std::string pinned(std::string_view action, std::string_view below);

/// A pin that differs from the release in a list.
struct Update {
  Pin pin;
  std::string version;
  std::string commit;
};

/// The pins of `kPins` that a list of releases would change. A line is `ACTION VERSION COMMIT`;
/// empty lines, lines that begin with `#`, and actions without a pin are ignored. `config`
/// with the line for any other; `file` names the list.
Result<std::vector<Update>> updates_in(std::string_view text, const std::string& file);

}  // namespace pinwheel::ci
