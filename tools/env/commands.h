#pragma once
#include <map>
#include <string>
#include <vector>

#include "env/interpreter.h"
#include "env/request.h"
#include "env/resolution.h"
#include "ports/process.h"

namespace pinwheel::env {

using Variables = std::map<std::string, std::string>;

/// What of the user's environment Python and pip may see: PATH, HOME, proxies, certificates and
/// `PIP_*`, less what would send an installation elsewhere (`PIP_TARGET`, `PIP_USER`, ...); plus
/// switches that make pip quiet and never ask, and what it installs the same each time.
Variables pip_variables(const Variables& user);

enum class WithPip { bundled, none };
/// A virtual environment at `directory` of exactly this interpreter.
ports::Command make_venv(const Interpreter& interpreter, const std::string& directory,
                         WithPip with_pip, const Variables& variables);

/// `python` inside a virtual environment made by `make_venv`.
std::string venv_python(const std::string& directory);
/// Where its packages lie: lib/python3.11/site-packages.
std::string site_packages(const std::string& directory, const Interpreter& interpreter);

/// The text of a .pth file that makes another environment's packages visible.
std::string base_link(const std::string& site_packages);

/// A pip to run: `python` has pip installed; `variables` as `pip_variables` gives them.
struct Pip {
  std::string python;
  Variables variables;
};

/// Prints what pip's files and variables set, `global.index-url='...'` a line.
ports::Command list_configuration(const Pip& pip);

ports::Command upgrade_pip(const Pip& pip);

/// Asks `index` for its page on torch with Python's own HTTP client, once, for at most five
/// seconds. It exits 0 when the index answered at all: 404 too, which pip then names.
ports::Command probe_index(const Pip& pip, const std::string& index);
/// Torch by itself, from its extra index or the user's own configuration; writes `report`.
ports::Command resolve_torch(const Pip& pip, const Request& request, const std::string& index,
                             const std::string& report);
/// The whole set. `torch` is the requirement for torch, already pinned; empty: none.
ports::Command resolve_all(const Pip& pip, const Request& request, const std::string& torch,
                           const std::string& report);

/// Exactly the lines of a requirements file with hashes, nothing else, into the environment of
/// `target_python`.
ports::Command install_exact(const Pip& pip, const std::string& target_python,
                             const std::string& requirements_file, const std::string& extra_index);
enum class Dependencies { installed, left_out };
/// Wheels and requirements on top of a base: what the base has stays as it is (`constraints_file`).
ports::Command install_overlay(const Pip& pip, const std::string& target_python,
                               const std::vector<std::string>& what,
                               const std::string& constraints_file,
                               Dependencies dependencies = Dependencies::installed);
/// Exactly the lines of a requirements file with hashes into a prefix of their own.
ports::Command install_prefix(const Pip& pip, const std::string& requirements_file,
                              const std::string& prefix);

}  // namespace pinwheel::env
