#pragma once
#include <string>
#include <vector>

#include "matrix/variant.h"

namespace pinwheel::plan {

/// The build record of a wheel, in `<dist-info>/pinwheel.json`.
struct BuildRecord {
  matrix::AbiClass cls;
  std::string torch;
  std::string compute;
  std::vector<std::string> arch_list;
  std::string commit;
};

/// The contents of `pinwheel.json`, schema `pinwheel-wheel/1`: class, variants served, torch and
/// toolkit of the build, architectures, commit. Two-space indent, sorted keys, ends in a newline.
std::string record_json(const BuildRecord& record);

/// The same record with the digest of the request (`recipe_of`); `record` is `record_json`'s text.
std::string with_recipe(const std::string& record, const std::string& recipe);

}  // namespace pinwheel::plan
