#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"
#include "ports/process.h"

namespace pinwheel::conda {

/// The client that solves and installs conda packages: a program of the user, or py-rattler in a
/// virtual environment that pinwheel makes.
enum class CondaKind { micromamba, mamba, conda, rattler };
std::string_view to_string(CondaKind kind);

struct CondaClient {
  CondaKind kind = CondaKind::rattler;
  std::string program;       ///< for rattler, the Python that has it installed
  std::string version = {};  ///< "24.11.1"; empty for rattler

  bool operator==(const CondaClient&) const = default;
};

/// The kind of a program, by its name.
CondaKind conda_kind(std::string_view program);
/// The client's own version from the output of `--version`; empty if there is none.
std::string parse_conda_version(CondaKind kind, std::string_view output);
/// Whether the client prints complete solutions (URLs and hashes) and accepts overrides of virtual
/// packages: conda since 4.10, mamba and micromamba since 1.0.
bool is_recent(const CondaClient& client);

/// The target machine of the packages, as presented to the solver.
struct CondaTarget {
  std::string subdir;      ///< "linux-64"
  std::string glibc = {};  ///< "2.36"; empty: no glibc
  std::string linux = {};  ///< kernel version, "5.10"
  std::string cuda = {};   ///< driver version, "13.0"; empty: none

  bool operator==(const CondaTarget&) const = default;
};

/// "linux-64" for "x86_64", "linux-aarch64" for "aarch64".
std::string conda_subdir(std::string_view machine);
/// One virtual package of a target.
struct VirtualPackage {
  std::string name;
  std::string version;
  std::string build = "0";

  bool operator==(const VirtualPackage&) const = default;
};
std::vector<VirtualPackage> virtual_packages(const CondaTarget& target);

/// The match specs of a request: its packages, plus the variant's Python if none of them names one.
std::vector<std::string> conda_specs(const env::Request& request);

struct CondaSolve {
  std::vector<std::string> channels;
  std::vector<std::string> specs;
  CondaTarget target;
  std::string prefix;    ///< a directory that does not exist; it is not created
  std::string packages;  ///< an empty package cache, so that the reply is complete
};

enum class Answer { json, text };
/// Solves without installing. `text` is for people: with `json`, mamba reports only one reason for
/// a conflict.
ports::Command solve_command(const CondaClient& client, const CondaSolve& solve, Answer answer,
                             const std::map<std::string, std::string>& user);

/// `@EXPLICIT` and each package as URL#md5, which every conda accepts. The md5 only detects
/// accidental corruption: pinwheel itself compares the sha256.
std::string explicit_list(const std::vector<env::CondaPackage>& packages);

struct CondaInstall {
  std::string subdir;
  std::string prefix;
  std::string list;      ///< a file with the `explicit_list`
  std::string packages;  ///< the package cache, which stores the archives
};
ports::Command install_command(const CondaClient& client, const CondaInstall& install,
                               const std::map<std::string, std::string>& user);

/// The same for rattler: requests for the script in conda/conda_client.h, and the command that runs
/// it.
std::string rattler_solve_request(const CondaSolve& solve);
std::string rattler_install_request(const std::vector<env::CondaPackage>& packages,
                                    const CondaInstall& install);
ports::Command rattler_command(const CondaClient& client, const std::string& script,
                               const std::string& request,
                               const std::map<std::string, std::string>& user);
/// The releases of py-rattler that the script supports.
std::string_view rattler_requirement();

/// The name of the prefix that holds exactly these packages: "conda-" and 12 hex digits.
std::string conda_prefix_id(const std::vector<env::CondaPackage>& packages);

/// The text of conda/rattler.py, embedded by the build.
std::string_view rattler_script();

}  // namespace pinwheel::conda
