#include "conda/conda_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/text.h"
#include "env/pass_list.h"

namespace pinwheel::conda {
namespace {

using Json = nlohmann::json;
using Variables = std::map<std::string, std::string>;

// Settings for channel locations and credentials; not the variables of an activated environment,
// nor settings that change the meaning of a package list.
constexpr std::array<std::string_view, 15> kPassedToConda = {"PATH",
                                                             "HOME",
                                                             "USER",
                                                             "LOGNAME",
                                                             "TMPDIR",
                                                             "LANG",
                                                             "LC_ALL",
                                                             "NETRC",
                                                             "MAMBA_ROOT_PREFIX",
                                                             "CONDA_CHANNEL_ALIAS",
                                                             "CONDARC",
                                                             "MAMBARC",
                                                             "CONDA_SSL_VERIFY",
                                                             "CONDA_OFFLINE",
                                                             "RATTLER_AUTH_FILE"};

Variables passed(const Variables& user) {
  Variables result;
  for (const auto& [name, value] : user) {
    const bool listed =
        std::find(kPassedToConda.begin(), kPassedToConda.end(), name) != kPassedToConda.end();
    if (listed || env::is_network_variable(name) || name.starts_with("XDG_")) result[name] = value;
  }
  return result;
}

Variables client_settings(const Variables& user, const std::string& subdir,
                          const std::string& packages) {
  Variables result = passed(user);
  result["CONDA_PKGS_DIRS"] = packages;
  result["CONDA_SUBDIR"] = subdir;
  result["CONDA_ADD_PIP_AS_PYTHON_DEPENDENCY"] = "false";
  result["CONDA_NUMBER_CHANNEL_NOTICES"] = "0";
  result["CONDA_REGISTER_ENVS"] = "false";
  result["CONDA_REPORT_ERRORS"] = "false";
  result["MAMBA_NO_BANNER"] = "1";
  return result;
}

/// The major and minor number of a version.
std::pair<int, int> numbers(std::string_view version) {
  std::array<int, 2> found = {0, 0};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (int& number : found) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || next == end || *next != '.') break;
    at = next + 1;
  }
  return {found[0], found[1]};
}

/// "python" from "python >=3.9", "conda-forge::python=3.11", "python[version=3.11]".
std::string name_of(const std::string& spec) {
  const size_t channel = spec.rfind("::");
  const std::string rest = channel == std::string::npos ? spec : spec.substr(channel + 2);
  return to_lower(rest.substr(0, rest.find_first_of(" =<>!~[")));
}

}  // namespace

std::string_view to_string(CondaKind kind) {
  switch (kind) {
    case CondaKind::micromamba:
      return "micromamba";
    case CondaKind::mamba:
      return "mamba";
    case CondaKind::conda:
      return "conda";
    case CondaKind::rattler:
      break;
  }
  return "rattler";
}

CondaKind conda_kind(std::string_view program) {
  const std::string_view name = last_part(program);
  if (name.starts_with("micromamba")) return CondaKind::micromamba;
  return name.starts_with("mamba") ? CondaKind::mamba : CondaKind::conda;
}

std::string parse_conda_version(CondaKind kind, std::string_view output) {
  // mamba 1 prints its own version and that of its conda, micromamba and mamba 2 only a number.
  for (const std::string& line : split(output, '\n')) {
    const std::vector<std::string> words = split(trim(line), ' ');
    const bool digit = !words.back().empty() && words.back()[0] >= '0' && words.back()[0] <= '9';
    if (!digit) continue;
    if (words.size() == 1 || (words.size() == 2 && words[0] == to_string(kind))) {
      return words.back();
    }
  }
  return {};
}

bool is_recent(const CondaClient& client) {
  if (client.kind == CondaKind::rattler) return true;
  return numbers(client.version) >=
         (client.kind == CondaKind::conda ? std::pair(4, 10) : std::pair(1, 0));
}

std::string conda_subdir(std::string_view machine) {
  return machine == "x86_64" ? "linux-64" : fmt::format("linux-{}", machine);
}

std::vector<VirtualPackage> virtual_packages(const CondaTarget& target) {
  // The oldest processor of its family: the results must run on other machines.
  const bool intel = target.subdir == "linux-64";
  const std::string processor =
      intel ? "x86_64" : target.subdir.substr(target.subdir.find('-') + 1);
  std::vector<VirtualPackage> all = {{"__unix", "0"}, {"__archspec", "1", processor}};
  if (!target.linux.empty()) all.push_back({"__linux", target.linux});
  if (!target.glibc.empty()) all.push_back({"__glibc", target.glibc});
  if (!target.cuda.empty()) all.push_back({"__cuda", target.cuda});
  return all;
}

std::vector<std::string> conda_specs(const env::Request& request) {
  std::vector<std::string> specs = request.conda.packages;
  const bool named = std::any_of(specs.begin(), specs.end(),
                                 [](const std::string& spec) { return name_of(spec) == "python"; });
  if (named || request.python.empty()) return specs;
  if (request.python.ends_with('t')) {
    const std::string version = request.python.substr(0, request.python.size() - 1);
    specs.push_back(fmt::format("python {}.* *_cp{}t", version, replace_all(version, ".", "")));
  } else {
    specs.push_back(fmt::format("python={}", request.python));
  }
  return specs;
}

ports::Command solve_command(const CondaClient& client, const CondaSolve& solve, Answer answer,
                             const std::map<std::string, std::string>& user) {
  ports::Command command;
  command.argv = {client.program, "create", "--dry-run", "--yes"};
  if (answer == Answer::json) command.argv.emplace_back("--json");
  command.argv.insert(command.argv.end(), {"--prefix", solve.prefix, "--override-channels"});
  for (const std::string& channel : solve.channels) {
    command.argv.insert(command.argv.end(), {"--channel", channel});
  }
  // A user's default packages for new environments are not in the matrix.
  if (client.kind == CondaKind::conda) command.argv.emplace_back("--no-default-packages");
  command.argv.insert(command.argv.end(), solve.specs.begin(), solve.specs.end());
  command.environment = client_settings(user, solve.target.subdir, solve.packages);
  command.environment["CONDA_CHANNEL_PRIORITY"] = "strict";
  // An empty value means that there is none; without the variable the client would detect the
  // host's version.
  command.environment["CONDA_OVERRIDE_GLIBC"] = solve.target.glibc;
  command.environment["CONDA_OVERRIDE_LINUX"] = solve.target.linux;
  command.environment["CONDA_OVERRIDE_CUDA"] = solve.target.cuda;
  command.environment["CONDA_OVERRIDE_ARCHSPEC"] =
      solve.target.subdir == "linux-64"
          ? "x86_64"
          : solve.target.subdir.substr(solve.target.subdir.find('-') + 1);
  return command;
}

std::string explicit_list(const std::vector<env::CondaPackage>& packages) {
  std::string text = "@EXPLICIT\n";
  for (const env::CondaPackage& package : packages) {
    text += package.url + (package.md5.empty() ? "" : "#" + package.md5) + "\n";
  }
  return text;
}

ports::Command install_command(const CondaClient& client, const CondaInstall& install,
                               const std::map<std::string, std::string>& user) {
  ports::Command command;
  command.argv = {client.program, "create",       "--yes",  "--quiet",
                  "--prefix",     install.prefix, "--file", install.list};
  command.environment = client_settings(user, install.subdir, install.packages);
  return command;
}

std::string rattler_solve_request(const CondaSolve& solve) {
  Json virtual_list = Json::array();
  for (const VirtualPackage& package : virtual_packages(solve.target)) {
    virtual_list.push_back({package.name, package.version, package.build});
  }
  const Json json = {{"do", "solve"},           {"channels", solve.channels},
                     {"specs", solve.specs},    {"subdir", solve.target.subdir},
                     {"virtual", virtual_list}, {"cache", solve.packages}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string rattler_install_request(const std::vector<env::CondaPackage>& packages,
                                    const CondaInstall& install) {
  Json list = Json::array();
  for (const env::CondaPackage& package : packages) {
    list.push_back({{"url", package.url},
                    {"subdir", package.subdir},
                    {"sha256", package.sha256},
                    {"md5", package.md5},
                    {"size", package.size}});
  }
  const Json json = {{"do", "install"},
                     {"packages", list},
                     {"prefix", install.prefix},
                     {"subdir", install.subdir},
                     {"cache", install.packages}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ports::Command rattler_command(const CondaClient& client, const std::string& script,
                               const std::string& request,
                               const std::map<std::string, std::string>& user) {
  ports::Command command;
  command.argv = {client.program, "-I", script, request};
  command.environment = passed(user);
  return command;
}

std::string_view rattler_requirement() {
  return "py-rattler>=0.28,<0.29";
}

std::string conda_prefix_id(const std::vector<env::CondaPackage>& packages) {
  std::string all;
  for (const env::CondaPackage& package : packages) {
    all += fmt::format("{} {} {} {} {}\n", package.subdir, package.name, package.version,
                       package.build, package.sha256);
  }
  return "conda-" + sha256_hex(all).substr(0, 12);
}

}  // namespace pinwheel::conda
