#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pinwheel::wheel {

/// A file of a wheel, as its archive has it.
struct ContentsMember {
  std::string name;
  std::string sha256;  ///< base64url without padding
  uint64_t size = 0;
  bool executable = false;
};

/// The files of a wheel, without directory entries.
struct WheelContents {
  std::string dist_info;  ///< the directory, without a slash
  std::vector<ContentsMember> members = {};
};

/// The differences between a wheel and the same wheel under another name or version.
struct ContentsChanges {
  size_t identical = 0;  ///< files with equal digests
  /// Files of dist-info that state the name, the version or the tags, or list other files; with the
  /// name that they have after the change.
  std::vector<std::string> rewritten = {};
  std::vector<std::string> added = {};    ///< such files that only the new wheel has
  std::vector<std::string> dropped = {};  ///< such files that only the old wheel has
  std::vector<std::string> faults = {};   ///< all other differences, "`a/b.so` has other contents"
};

/// Compares the digests, sizes and executable bits of two wheels. Files of the dist-info and data
/// directories correspond although these directories state the name and the version.
ContentsChanges compare_contents(const WheelContents& before, const WheelContents& after);

}  // namespace pinwheel::wheel
