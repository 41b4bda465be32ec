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

/// The part of the user's environment that Python and pip see: PATH, HOME, proxies, certificates
/// and `PIP_*`, except variables that redirect an installation (`PIP_TARGET`, `PIP_USER`, ...);
/// plus switches that make pip quiet, non-interactive and its installations reproducible.
Variables pip_variables(const Variables& user);

enum class WithPip { bundled, none };
/// Builds call pip; its version depends on the interpreter, so the key covers it. Tests have none:
/// before Python 3.12 it comes with setuptools, which wheels then import without requiring it.
WithPip bundled_pip(Purpose purpose);
/// A virtual environment at `directory` of exactly this interpreter.
ports::Command make_venv(const Interpreter& interpreter, const std::string& directory,
                         WithPip with_pip, const Variables& variables);

/// `python` inside a virtual environment made by `make_venv`.
std::string venv_python(const std::string& directory);
/// Its package directory: lib/python3.11/site-packages.
std::string site_packages(const std::string& directory, const Interpreter& interpreter);

/// The text of a .pth file that makes another environment's packages visible.
std::string base_link(const std::string& site_packages);

/// The command line that runs the pip of an interpreter, as `PYTHON -m pip` does, but never takes a
/// module from the working directory, which may be a checkout with a `types.py`.
std::vector<std::string> pip_argv(const std::string& python,
                                  const std::vector<std::string>& arguments);

/// A usable pip: `python` has pip installed; `variables` come from `pip_variables`.
struct Pip {
  std::string python;
  Variables variables;
};

/// Prints the settings from pip's files and variables, one per line: `global.index-url='...'`.
ports::Command list_configuration(const Pip& pip);

ports::Command upgrade_pip(const Pip& pip);

/// Requests the torch page of `index` with Python's own HTTP client, up to three times, for at most
/// five seconds each. Exits 0 if the index answered at all, even with 404, which pip reports later;
/// else its last line on stderr is the reason.
ports::Command probe_index(const Pip& pip, const std::string& index);
/// Resolves torch alone, from its own index if there is one (with a `pip` of `without_indexes` from
/// nowhere else), or as the user's pip is configured; writes `report`.
ports::Command resolve_torch(const Pip& pip, const Request& request, const std::string& index,
                             const std::string& report);
/// Resolves the whole set. `torch` is the requirement for torch, already pinned; empty: none.
/// `constraints` is a file of versions that packages must have; empty: none.
ports::Command resolve_all(const Pip& pip, const Request& request, const std::string& torch,
                           const std::string& report, const std::string& constraints = {});

/// Installs exactly the lines of a requirements file with hashes into the environment of
/// `target_python`.
ports::Command install_exact(const Pip& pip, const std::string& target_python,
                             const std::string& requirements_file, const std::string& extra_index);
enum class Dependencies { installed, left_out };
/// Installs wheels and requirements on top of a base whose packages stay unchanged
/// (`constraints_file`).
ports::Command install_overlay(const Pip& pip, const std::string& target_python,
                               const std::vector<std::string>& what,
                               const std::string& constraints_file,
                               Dependencies dependencies = Dependencies::installed);
/// Finds files for requirements on the index, without their dependencies, and installs nothing.
ports::Command try_requirements(const Pip& pip, const std::vector<std::string>& requirements);
/// Projects that are installed from one index and from nowhere else.
struct IndexInstall {
  std::string index;              ///< the URL of its simple API
  std::string requirements_file;  ///< pinned, with hashes
};
/// Installs only wheels of that index, with these hashes, without requirements and caches. The pip
/// is one of `without_indexes`.
ports::Command install_by_pip(const Pip& pip, const std::string& target_python,
                              const IndexInstall& install);

/// Installs uv into the environment of `target_python`.
ports::Command install_uv(const Pip& pip, const std::string& target_python);
/// The variables for a uv that has no settings of its own: those of a pip of `without_indexes`,
/// with its certificates.
Variables uv_variables(const Variables& pip);
struct Uv {
  std::string program;
  Variables variables;  ///< from `uv_variables`
};
/// The same as `install_by_pip`.
ports::Command install_by_uv(const Uv& uv, const std::string& target_python,
                             const IndexInstall& install);
/// Installs exactly the lines of a requirements file with hashes into a separate prefix.
ports::Command install_prefix(const Pip& pip, const std::string& requirements_file,
                              const std::string& prefix);

}  // namespace pinwheel::env
