#pragma once
#include <string>
#include <utility>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// What the options of cibuildwheel are in a matrix; empty where none says so.
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
  std::vector<std::string> external = {};  ///< what it excludes
  std::string build_requires_from = {};
  std::vector<std::string> build_requires = {};  ///< what `before-build` installs by pip
  std::vector<LeftOut> left_out = {};            ///< every other option, with the reason
};

/// Translates every option but those that say which builds there are (`build`, `skip`, `enable`,
/// the images for musl): they chose the `pythons` of the matrix (`init/pythons`,
/// `init/decide`).
FromCibuildwheel translate_cibuildwheel(const ProjectFacts& facts,
                                        const std::vector<std::string>& pythons);

/// What a command that repairs wheels is in a matrix.
struct RepairWords {
  bool is_empty = false;  ///< nothing is repaired
  std::vector<std::string> external =
      {};                   ///< the sonames and globs of `auditwheel repair --exclude`
  std::string others = {};  ///< what else it does; empty: `build.repair: auto` does all of it
};

/// Reads a `repair-wheel-command`. `auditwheel repair` itself is what builds do anyway.
RepairWords read_repair_command(const std::string& command);

}  // namespace pinwheel::init
