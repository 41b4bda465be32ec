#pragma once
#include <string>
#include <utility>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// The matrix equivalents of cibuildwheel's options; empty if unset.
struct FromCibuildwheel {
  std::string test_command_from = {};  ///< the file that sets it
  std::vector<std::string> test_command = {};
  std::string test_requires_from = {};
  std::vector<std::string> test_requires = {};
  std::string image_from = {};
  std::string image = {};  ///< of x86_64, a full name
  std::string variables_from = {};
  std::vector<std::pair<std::string, std::string>> variables = {};
  std::string config_settings_from = {};
  std::vector<std::pair<std::string, std::string>> config_settings = {};
  std::string repair_from = {};
  bool repairs_nothing = false;            ///< an empty `repair-wheel-command`
  std::vector<std::string> external = {};  ///< the libraries that it excludes
  std::string build_requires_from = {};
  std::vector<std::string> build_requires = {};  ///< the packages that `before-build` installs with
                                                 ///< pip
  std::vector<LeftOut> left_out = {};            ///< every other option, with the reason
};

/// Translates every option except those that select builds (`build`, `skip`, `enable`, the images
/// for musl): these chose the `pythons` of the matrix (`init/pythons`, `init/decide`).
FromCibuildwheel translate_cibuildwheel(const ProjectFacts& facts,
                                        const std::vector<std::string>& pythons);

/// The matrix equivalent of a command that repairs wheels.
struct RepairWords {
  bool is_empty = false;  ///< nothing is repaired
  std::vector<std::string> external =
      {};                   ///< the sonames and globs of `auditwheel repair --exclude`
  std::string others = {};  ///< its other actions; empty: `build.repair: auto` covers all of it
};

/// Reads a `repair-wheel-command`. Builds run the equivalent of `auditwheel repair` anyway.
RepairWords read_repair_command(const std::string& command);

}  // namespace pinwheel::init
