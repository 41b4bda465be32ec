#pragma once
#include <string>

#include "base/result.h"
#include "plan/names.h"
#include "prepare/load.h"

namespace pinwheel::prepare {

/// Checks that a dated channel has a version that pinwheel derives. `config`, at the channel. Pure.
Done check_dated_version(const matrix::Package& package, const matrix::ChannelSettings& channel);

/// A version for messages where it depends on nothing.
inline constexpr const char* kAnyVersion = "1.0";

/// Plans the channel of that name up to the wheel names; all channels, in the order of the file, if
/// the name is empty. `config` for the first whose wheels cannot be named on its targets, or whose
/// version cannot be dated; `nothing_selected` if it has no variants. `version` is for messages.
Done check_channels(const Loaded& loaded, const std::string& name,
                    const plan::ReleaseVersion& version);

}  // namespace pinwheel::prepare
