#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/load.h"
#include "cli/options.h"
#include "ports/files.h"
#include "ports/git.h"

namespace pinwheel::cli {

/// The matrix that the command line names, as `choose_matrix` takes it.
std::vector<std::string> named_matrix(const CiPlace& place);

/// A generated file beside the one that exists.
struct GeneratedFile {
  std::filesystem::path path;
  std::string text;      ///< what the matrix gives, with what a person has added
  std::string existing;  ///< the file as it stands; empty if there is none
};

/// The files of the workflows that are asked for: by `--set`, else all whose channel the matrix
/// declares, and always `ci`; and the local action that they use, below `.github/actions/pinwheel`
/// beside them. `config` if a set is asked for whose channel the matrix lacks, if the matrix is in
/// no repository, or for additions that have no place any more. Nothing is written.
Result<std::vector<GeneratedFile>> workflow_files(ports::Files& files, ports::Git& git,
                                                  const CiPlace& place, const Loaded& loaded);

}  // namespace pinwheel::cli
