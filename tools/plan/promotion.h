#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "plan/names.h"
#include "plan/outline.h"

namespace pinwheel::plan {

/// A release that reaches its targets through another target: its files are published there first,
/// installed from there, and then published on the targets.
struct PromotionPath {
  std::string through;                    ///< the first target
  std::vector<std::string> installs;      ///< ids of variants (`install_variants`)
  std::vector<std::string> targets = {};  ///< the others

  bool operator==(const PromotionPath&) const = default;
};

/// The targets of a run: those on the command line, or else those of the channel. If the channel
/// publishes through another target, and one of its own is among them, that one comes first; pages
/// that link to the files of another target come last.
std::vector<std::string> targets_of(const matrix::Matrix& matrix, const std::string& channel,
                                    const std::vector<std::string>& named);

/// The first of the targets, if the channel promotes its files to the others; else empty.
std::string through_of(const matrix::Matrix& matrix, const std::string& channel,
                       const std::vector<std::string>& targets);

/// The variants whose wheels are installed from the first target of a release, in the order of the
/// outline: for each compute, the oldest and the newest Python, with the newest torch.
/// Free-threaded Pythons and each value of any other axis are counted separately. Experimental
/// variants are not published.
std::vector<std::string> install_variants(const Outline& outline);

/// The install tests of a channel that publishes through another target.
struct ChannelInstalls {
  std::string channel;
  std::string through;
  std::vector<std::string> variants = {};  ///< ids (`install_variants`)
};

/// Those of all channels, for all variants that each selects.
std::vector<ChannelInstalls> channel_installs(const matrix::Matrix& matrix,
                                              const matrix::Expansion& expansion);

/// The path of a release to its targets, of which `through` is one. `config` if the
/// name of a wheel differs between one of them and the first: the files would not be the same.
Result<PromotionPath> promotion_path(const matrix::Matrix& matrix, const Outline& outline,
                                     const Namings& namings, const std::string& through,
                                     const std::vector<std::string>& targets);

}  // namespace pinwheel::plan
