#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"
#include "ports/process.h"

namespace pinwheel::env {

/// What solves and installs conda packages: a program of the user's, or py-rattler in a virtual
/// environment of pinwheel's own.
enum class CondaKind { micromamba, mamba, conda, rattler };
std::string_view to_string(CondaKind kind);

struct CondaClient {
  CondaKind kind = CondaKind::rattler;
  std::string program;       ///< for rattler the Python that has it
  std::string version = {};  ///< "24.11.1"; empty for rattler

  bool operator==(const CondaClient&) const = default;
};

/// The kind of a program, by its name.
CondaKind conda_kind(std::string_view program);
/// The version of the client itself in what `--version` printed; empty when there is none.
std::string parse_conda_version(CondaKind kind, std::string_view output);
/// Whether it tells all of a solution (URLs and hashes) and takes virtual packages from outside:
/// conda from 4.10 on, every mamba and micromamba from 1.0 on.
bool is_recent(const CondaClient& client);

/// The machine that packages are for, as the solver shall believe it.
struct CondaTarget {
  std::string subdir;      ///< "linux-64"
  std::string glibc = {};  ///< "2.36"; empty: no glibc
  std::string linux = {};  ///< of the kernel, "5.10"
  std::string cuda = {};   ///< of the driver, "13.0"; empty: none

  bool operator==(const CondaTarget&) const = default;
};

/// "linux-64" for "x86_64", "linux-aarch64" for "aarch64".
std::string conda_subdir(std::string_view machine);
/// Name, version and build of every virtual package of a target.
struct VirtualPackage {
  std::string name;
  std::string version;
  std::string build = "0";

  bool operator==(const VirtualPackage&) const = default;
};
std::vector<VirtualPackage> virtual_packages(const CondaTarget& target);

/// The match specs of a request: its packages, and the Python of the variant where none of them
/// names one.
std::vector<std::string> conda_specs(const Request& request);

struct CondaSolve {
  std::vector<std::string> channels;
  std::vector<std::string> specs;
  CondaTarget target;
  std::string prefix;    ///< a directory that does not exist and will not
  std::string packages;  ///< the package cache; empty, so that the answer tells all
};

enum class Answer { json, text };
/// Solves and installs nothing. `text` for people: with `json` mamba names one reason of a conflict
/// and no more.
ports::Command solve_command(const CondaClient& client, const CondaSolve& solve, Answer answer,
                             const std::map<std::string, std::string>& user);

/// `@EXPLICIT` and each package as URL#md5, which every conda takes. The md5 only finds accidents:
/// pinwheel itself compares the sha256.
std::string explicit_list(const std::vector<CondaPackage>& packages);

struct CondaInstall {
  std::string subdir;
  std::string prefix;
  std::string list;      ///< a file that holds `explicit_list`
  std::string packages;  ///< the package cache, where the archives lie afterwards
};
ports::Command install_command(const CondaClient& client, const CondaInstall& install,
                               const std::map<std::string, std::string>& user);

/// The same for rattler: a request for the script of env/rattler_script.h, and the call.
std::string rattler_solve_request(const CondaSolve& solve);
std::string rattler_install_request(const std::vector<CondaPackage>& packages,
                                    const CondaInstall& install);
ports::Command rattler_command(const CondaClient& client, const std::string& script,
                               const std::string& request,
                               const std::map<std::string, std::string>& user);
/// Installs py-rattler with the pip of a virtual environment, wheels only.
ports::Command install_rattler(const std::string& python,
                               const std::map<std::string, std::string>& pip_variables);
/// The releases of py-rattler that the script is written for.
std::string_view rattler_requirement();

/// The name of the prefix that holds exactly these packages: "conda-" and 12 hex digits.
std::string conda_prefix_id(const std::vector<CondaPackage>& packages);

}  // namespace pinwheel::env
