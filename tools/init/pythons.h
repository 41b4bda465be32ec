#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// The Pythons of the matrix, ascending, and why these.
struct PythonChoice {
  std::vector<std::string> values;
  std::string because;
};

/// Those that the user wants, else those that the project names, in this order: `build` and `skip`
/// of cibuildwheel, the matrix of its workflows, its classifiers; else the releases that are
/// maintained. Always within `requires-python` and 3.9 to 3.14; free-threaded ones only where they
/// are named. Never empty.
PythonChoice choose_pythons(const ProjectFacts& facts);

/// The Pythons not older than `oldest` ("3.10"), without free-threaded ones, which have no limited
/// API; only `oldest` if that leaves none.
PythonChoice with_limited_api(PythonChoice choice, const std::string& oldest);

/// The Pythons for which every release of torch in `releases` has builds. If that leaves none, an
/// old project names only Pythons that torch has left behind: those that it has builds for.
PythonChoice with_torch(PythonChoice choice, const std::vector<KnownTorch>& known,
                        const std::vector<std::string>& releases);

/// "3.10" of "cp310"; empty for other text.
std::string python_of_tag(const std::string& tag);

/// Orders "3.9" before "3.10".
bool is_older(const std::string& python, const std::string& other);

}  // namespace pinwheel::init
