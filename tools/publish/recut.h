#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/artifact.h"
#include "publish/catalog.h"
#include "publish/index_file.h"

// Re-cuts
//
// An index never replaces a file. If the wheels of a published version have to be built again, for
// instance with another compiler, their file names get a build number (PEP 427), which installers
// compare only between wheels of one version: the highest wins. So a re-cut needs a version that
// is published already, and each number is used once.

namespace pinwheel::publish {

/// A re-cut of a version of one project.
struct Recut {
  std::string project;
  std::string version;  ///< may have a local part
  uint64_t build = 0;   ///< from 1 on
};

/// How far an index has a re-cut.
struct RecutState {
  size_t present = 0;   ///< files of the version with its build number
  size_t others = 0;    ///< files with any other, or none, and any local part: it is published
  uint64_t newest = 0;  ///< the highest build number of the version's files; 0: none has one

  bool operator==(const RecutState&) const = default;
};

/// The state of a re-cut according to the page of its project.
RecutState recut_state(const Recut& recut, const std::vector<IndexFile>& page);

/// The error of kind `publish` for a re-cut of a version that the index does not have.
Error nothing_to_recut(const std::string& target, const Recut& recut);

/// The re-cut that a publication makes on a target.
struct TargetRecut {
  std::string target;
  uint64_t build = 0;  ///< 0: it is none
};

/// The files of a project on the target, by its normalized name.
using ProjectPage = std::function<std::vector<IndexFile>(const std::string& project)>;

/// Whether the target may get the files of a re-cut. Kind `publish` if it has no other file of the
/// version of a project, or if it has a file of the same name with other bytes (every one is a
/// cause); a file that it has with the same bytes is no fault. Always successful if it is no
/// re-cut.
Done check_recut(const TargetRecut& recut, const std::vector<Artifact>& files,
                 const ProjectPage& page_of);
/// The same for a directory index.
Done check_recut(const TargetRecut& recut, const std::vector<Artifact>& files,
                 const Catalog& catalog);

}  // namespace pinwheel::publish
