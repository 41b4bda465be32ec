#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "ci/planned_workflow.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "ports/files.h"
#include "prepare/host.h"
#include "prepare/load.h"

namespace pinwheel::cli {

/// A generated file beside the one that exists.
struct GeneratedFile {
  std::filesystem::path path;
  std::string text;      ///< what the matrix gives, with what a person has added; empty: no file
  std::string existing;  ///< the file as it stands; empty if there is none
};

/// The projects that a workflow publishes to an index, which have to be registered there.
struct Registration {
  std::string target;
  std::string workflow;     ///< the name of its file, "pinwheel-release.yml"
  std::string environment;  ///< of the job; empty: none
  bool trusted = false;     ///< the index trusts the job, and has to know it for each project
  std::vector<std::string> names;
};

struct GeneratedFiles {
  std::string matrix;  ///< the path of its file
  std::vector<GeneratedFile> files;
  std::vector<Registration> registrations = {};
};

/// The workflows that are asked for: by their names, else all whose channel the matrix declares,
/// and always `ci`. `matrix_path` is that of the matrix in its repository. `config` if one is asked
/// for whose channel the matrix lacks.
Result<std::vector<ci::PlannedWorkflow>> planned_workflows(
    const prepare::Loaded& loaded, const std::vector<std::string>& names,
    const std::filesystem::path& matrix_path);

/// The files of the workflows that are asked for: by `--set`, else all whose channel the matrix
/// declares, and always `ci`; and the local action that they use, below `.github/actions/pinwheel`
/// beside them. Workflows beside them that were written from the same matrix, which does not give
/// them any more, are among the files. `config` if a set is asked for whose channel the matrix
/// lacks, if the matrix is in no repository, for additions that have no place any more, and for a
/// file that was written from another matrix or by a person. Nothing is written.
Result<GeneratedFiles> generated_files(const prepare::Host& host, const CiPlace& place,
                                       Streams& streams);

}  // namespace pinwheel::cli
