#include "env/commands.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "env/pass_list.h"
#include "env/public_url.h"

namespace pinwheel::env {
namespace {

constexpr std::array<std::string_view, 8> kPassed = {"PATH",   "HOME", "USER",   "LOGNAME",
                                                     "TMPDIR", "LANG", "LC_ALL", "NETRC"};

bool passes(const std::string& name) {
  return is_pip_setting(name) || is_network_variable(name) || name.starts_with("XDG_") ||
         std::find(kPassed.begin(), kPassed.end(), name) != kPassed.end();
}

ports::Command run(const std::string& python, const std::vector<std::string>& arguments,
                   const Variables& variables) {
  ports::Command command;
  command.argv = pip_argv(python, arguments);
  command.environment = variables;
  return command;
}

}  // namespace

std::vector<std::string> pip_argv(const std::string& python,
                                  const std::vector<std::string>& arguments) {
  // `-m` would search the working directory first, and `-I` ignore the seed of hashes, too.
  constexpr std::string_view kRunPip =
      "import sys; sys.path[:] = filter(None, sys.path); import runpy; "
      "runpy.run_module('pip', run_name='__main__', alter_sys=True)";
  std::vector<std::string> argv = {python, "-c", std::string(kRunPip)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

Variables pip_variables(const Variables& user) {
  Variables result;
  for (const auto& [name, value] : user) {
    if (passes(name)) result[name] = value;
  }
  result["PIP_DISABLE_PIP_VERSION_CHECK"] = "1";
  result["PIP_NO_INPUT"] = "1";
  result["PIP_NO_COLOR"] = "1";
  result["PIP_PROGRESS_BAR"] = "off";
  result["PIP_ROOT_USER_ACTION"] = "ignore";
  result["PYTHONNOUSERSITE"] = "1";
  // An interpreter's own files must not change; pip still compiles the packages it installs.
  result["PYTHONDONTWRITEBYTECODE"] = "1";
  // Byte code is checked by the hash of its source instead of its time, and sets have a fixed
  // order: two installations of the same files are identical.
  result["SOURCE_DATE_EPOCH"] = "315532800";
  result["PYTHONHASHSEED"] = "0";
  return result;
}

WithPip bundled_pip(Purpose purpose) {
  return purpose == Purpose::build ? WithPip::bundled : WithPip::none;
}

ports::Command make_venv(const Interpreter& interpreter, const std::string& directory,
                         WithPip with_pip, const Variables& variables) {
  ports::Command command;
  // With -I, Python ignores PYTHONDONTWRITEBYTECODE, and others share its prefix.
  command.argv = {interpreter.path, "-I", "-B", "-m", "venv"};
  if (with_pip == WithPip::none) command.argv.emplace_back("--without-pip");
  command.argv.push_back(directory);
  command.environment = variables;
  return command;
}

std::string venv_python(const std::string& directory) {
  return directory + "/bin/python";
}

std::string site_packages(const std::string& directory, const Interpreter& interpreter) {
  const std::vector<std::string> parts = split(interpreter.version, '.');
  return directory + "/lib/python" + parts.at(0) + "." + (parts.size() > 1 ? parts[1] : "") +
         (interpreter.free_threaded ? "t" : "") + "/site-packages";
}

std::string base_link(const std::string& site_packages) {
  const std::string path = replace_all(replace_all(site_packages, "\\", "\\\\"), "'", "\\'");
  return "import site; site.addsitedir('" + path + "')\n";
}

ports::Command list_configuration(const Pip& pip) {
  return run(pip.python, {"config", "list"}, pip.variables);
}

ports::Command upgrade_pip(const Pip& pip) {
  // One retry: without a network the bundled pip is good enough, and waiting does not help.
  return run(pip.python, {"install", "--upgrade", "--retries", "1", "--timeout", "10", "pip"},
             pip.variables);
}

ports::Command probe_index(const Pip& pip, const std::string& index) {
  // The certificates that pip would use: PIP_CERT, else its usual variables, else the system's.
  constexpr std::string_view kProbe = R"(import os, ssl, sys, time, urllib.error, urllib.request
pem = os.environ.get("PIP_CERT") or os.environ.get("REQUESTS_CA_BUNDLE")
context = ssl.create_default_context(cafile=pem or None)
def reason():
    try:
        urllib.request.urlopen(sys.argv[1].rstrip("/") + "/torch/", timeout=5, context=context).close()
    except urllib.error.HTTPError as error:
        return "HTTP %d %s" % (error.code, error.reason) if error.code >= 500 else None
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)
for pause in (0, 0.5, 1):
    time.sleep(pause)
    why = reason()
    if why is None or "CERTIFICATE_VERIFY_FAILED" in why:
        break
sys.exit(why))";
  ports::Command command;
  // Python's client takes no credentials in a URL; an index that asks for them has answered.
  command.argv = {pip.python, "-I", "-c", std::string(kProbe), without_credentials(index)};
  command.environment = pip.variables;
  command.timeout = std::chrono::seconds(30);
  return command;
}

ports::Command resolve_torch(const Pip& pip, const Request& request, const std::string& index,
                             const std::string& report) {
  const Spec spec = parse_spec(request.torch.spec);
  std::vector<std::string> arguments = {"install",   "--dry-run", "--ignore-installed",
                                        "--no-deps", "--report",  report};
  arguments.insert(arguments.end(), spec.options.begin(), spec.options.end());
  if (!index.empty()) {
    arguments.emplace_back("--index-url");
    arguments.push_back(index);
  }
  arguments.push_back(spec.requirement);
  return run(pip.python, arguments, pip.variables);
}

ports::Command resolve_all(const Pip& pip, const Request& request, const std::string& torch,
                           const std::string& report, const std::string& constraints) {
  std::vector<std::string> arguments = {"install", "--dry-run", "--ignore-installed", "--report",
                                        report};
  if (!constraints.empty()) {
    arguments.emplace_back("--constraint");
    arguments.push_back(constraints);
  }
  std::vector<std::string> requirements;
  for (const std::string& text : request.requirements) {
    const Spec spec = parse_spec(text);
    arguments.insert(arguments.end(), spec.options.begin(), spec.options.end());
    requirements.push_back(spec.requirement);
  }
  if (!torch.empty()) requirements.push_back(torch);
  arguments.insert(arguments.end(), requirements.begin(), requirements.end());
  return run(pip.python, arguments, pip.variables);
}

ports::Command install_exact(const Pip& pip, const std::string& target_python,
                             const std::string& requirements_file, const std::string& extra_index) {
  std::vector<std::string> arguments = {"--python", target_python, "install", "--no-deps",
                                        "--require-hashes"};
  if (!extra_index.empty()) {
    arguments.emplace_back("--extra-index-url");
    arguments.push_back(extra_index);
  }
  arguments.emplace_back("-r");
  arguments.push_back(requirements_file);
  return run(pip.python, arguments, pip.variables);
}

ports::Command install_overlay(const Pip& pip, const std::string& target_python,
                               const std::vector<std::string>& what,
                               const std::string& constraints_file, Dependencies dependencies) {
  std::vector<std::string> arguments = {"--python", target_python, "install", "--constraint",
                                        constraints_file};
  if (dependencies == Dependencies::left_out) arguments.emplace_back("--no-deps");
  arguments.insert(arguments.end(), what.begin(), what.end());
  return run(pip.python, arguments, pip.variables);
}

ports::Command try_requirements(const Pip& pip, const std::vector<std::string>& requirements) {
  std::vector<std::string> arguments = {"install", "--dry-run", "--no-deps", "--ignore-installed"};
  arguments.insert(arguments.end(), requirements.begin(), requirements.end());
  return run(pip.python, arguments, pip.variables);
}

ports::Command install_by_pip(const Pip& pip, const std::string& target_python,
                              const IndexInstall& install) {
  return run(pip.python,
             {"--python", target_python, "install", "--no-deps", "--require-hashes",
              "--only-binary", ":all:", "--no-cache-dir", "--ignore-installed", "--index-url",
              install.index, "-r", install.requirements_file},
             pip.variables);
}

ports::Command install_uv(const Pip& pip, const std::string& target_python) {
  return run(pip.python, {"--python", target_python, "install", "uv"}, pip.variables);
}

Variables uv_variables(const Variables& pip) {
  Variables variables;
  for (const auto& [name, value] : pip) {
    if (!name.starts_with("PIP_")) variables[name] = value;
  }
  const auto certificates = pip.find("PIP_CERT");
  if (certificates != pip.end()) variables.emplace("SSL_CERT_FILE", certificates->second);
  if (const auto proxy = pip.find("PIP_PROXY"); proxy != pip.end()) {
    for (const char* const name : {"HTTP_PROXY", "HTTPS_PROXY"}) {
      variables.emplace(name, proxy->second);
    }
  }
  if (const auto hosts = pip.find("PIP_TRUSTED_HOST"); hosts != pip.end()) {
    // uv separates hosts by spaces, pip also by lines.
    variables.emplace("UV_INSECURE_HOST", replace_all(hosts->second, "\n", " "));
  }
  variables["UV_NO_PROGRESS"] = "1";
  variables["UV_PYTHON_DOWNLOADS"] = "never";
  return variables;
}

ports::Command install_by_uv(const Uv& uv, const std::string& target_python,
                             const IndexInstall& install) {
  ports::Command command;
  command.argv = {uv.program,
                  "pip",
                  "install",
                  "--python",
                  target_python,
                  "--no-config",
                  "--no-deps",
                  "--require-hashes",
                  "--only-binary",
                  ":all:",
                  "--no-cache",
                  "--index-url",
                  install.index,
                  "-r",
                  install.requirements_file};
  command.environment = uv.variables;
  return command;
}

ports::Command install_prefix(const Pip& pip, const std::string& requirements_file,
                              const std::string& prefix) {
  return run(
      pip.python,
      {"install", "--no-deps", "--require-hashes", "--target", prefix, "-r", requirements_file},
      pip.variables);
}

}  // namespace pinwheel::env
