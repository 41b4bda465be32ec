#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"
#include "init/python_abi.h"

namespace pinwheel::init {

/// The Pythons of the matrix, ascending, and the reason for them.
struct PythonChoice {
  std::vector<std::string> values;
  std::string because;
  std::vector<LeftOut> left_out =
      {};  ///< those that the project names and the matrix does not have
};

/// The Pythons that the user requests, else those that the project names, in this order: `build`
/// and `skip` of cibuildwheel, the matrix of its workflows, its classifiers; else the maintained
/// releases. Always within `requires-python` and 3.9 to 3.15; free-threaded ones only if they are
/// named, or if a classifier states that the project supports them. Never empty.
PythonChoice choose_pythons(const ProjectFacts& facts);

/// The Pythons not older than `oldest` ("3.10"), and, of the older and the free-threaded ones,
/// which do not have that limited API, those in `own`; only `oldest` if none remains.
PythonChoice with_limited_api(PythonChoice choice, const std::string& oldest,
                              const PythonAbiChoice::OwnBuilds& own);

/// Whether a Python has the limited API of `oldest`.
bool has_limited_api(const std::string& python, const std::string& oldest);

/// The Pythons for which every release of torch in `releases` has builds. If none remains, the
/// project names only Pythons that torch no longer supports, and the result is the Pythons that
/// torch has builds for.
PythonChoice with_torch(PythonChoice choice, const std::vector<KnownTorch>& known,
                        const std::vector<std::string>& releases);

/// "3.10" of "cp310"; empty for other text.
std::string python_of_tag(const std::string& tag);

/// Orders "3.9" before "3.10".
bool is_older(const std::string& python, const std::string& other);

}  // namespace pinwheel::init
