#include "conda/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "conda/conda_client.h"
#include "env/resolution.h"

namespace pinwheel::conda {
namespace {

// Placeholders that create.sh replaces.
constexpr const char* kPrefix = "@PREFIX@";
constexpr const char* kCache = "@CACHE@";

// This makes byte code the same on every machine, as pinwheel's own installations do.
constexpr const char* kHead = R"sh(set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p -- "${1:?name a directory}"
directory=$(CDPATH='' cd -- "$1" && pwd)
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore
export PYTHONNOUSERSITE=1 PYTHONHASHSEED=0 SOURCE_DATE_EPOCH=315532800
)sh";

constexpr const char* kConda = R"sh(
# The conda packages, installed by the client in CONDA, else the first one found, else py-rattler.
prefix=$directory/conda
client=${{CONDA:-}}
for name in micromamba mamba conda; do
  if [ -z "$client" ] && command -v "$name" >/dev/null; then client=$name; fi
done
if [ -n "$client" ]; then
  "$client" create --yes --quiet --prefix "$prefix" --file "$here/conda-explicit.txt"
else
  python3 -m venv "$directory/rattler"
  "$directory/rattler/bin/python" -m pip install --quiet --only-binary :all: '{}'
  sed -e "s|@PREFIX@|$prefix|" -e "s|@CACHE@|$directory/rattler/cache|" \
    "$here/conda-packages.json" >"$directory/rattler/request.json"
  answer=$("$directory/rattler/bin/python" -I "$here/install-conda.py" "$directory/rattler/request.json")
  case $answer in
    *'"installed"'*) rm -r "$directory/rattler" ;;
    *) echo "$answer" >&2 && exit 1 ;;
  esac
fi
python=$prefix/bin/python
)sh";

constexpr const char* kPython = R"sh(
# Set PYTHON to use a Python other than the one on PATH.
python=${{PYTHON:-python{minor}}}
found=$("$python" -c 'import platform; print(platform.python_version())')
case $found in
  {exact}) ;;
  {number}.*) echo "Python is $found here, it was {exact}" >&2 ;;
  *) echo "$python is Python $found: set PYTHON to a Python {number}" >&2 && exit 1 ;;
esac
)sh";

constexpr const char* kVenv = R"sh(
"$python" -I -B -m venv "$directory/env"
install() {
  "$directory/env/bin/python" -m pip install --quiet --no-deps --require-hashes --find-links "$here" "$@"
}
)sh";

/// "3.13" and "3.13.0" from "3.13t" and "3.13.0t".
std::string number_of(const std::string& python) {
  return python.substr(0, python.find_last_of("0123456789") + 1);
}

std::string minor_of(const std::string& python) {
  const std::vector<std::string> parts = split(number_of(python), '.');
  return parts.size() < 2 ? python : parts[0] + "." + parts[1];
}

std::string python_lines(const env::Resolution& resolution) {
  if (!resolution.conda.empty()) {
    return fmt::format(kConda, rattler_requirement());
  }
  const std::string number = minor_of(resolution.python);
  const std::string minor = number + (resolution.python.ends_with('t') ? "t" : "");
  return fmt::format(kPython, fmt::arg("minor", minor), fmt::arg("number", number),
                     fmt::arg("exact", number_of(resolution.python)));
}

std::string pip_lines(const env::Resolution& resolution) {
  std::string text = kVenv;
  // The extra index is for torch only: anyone could register other names there.
  if (!env::requirements_text(resolution, env::TorchPart::only).empty()) {
    text += "install";
    if (!resolution.torch_index.empty()) {
      text += " --extra-index-url " + shell_quote(resolution.torch_index);
    }
    text += " -r \"$here/requirements-torch.txt\"\n";
  }
  if (!env::requirements_text(resolution, env::TorchPart::without).empty()) {
    text += "install -r \"$here/requirements.txt\"\n";
  }
  return text;
}

std::string create_script(const EnvironmentExport& what) {
  const env::Resolution& resolution = what.lock.resolution;
  std::string text = fmt::format(
      "#!/bin/sh\n# Rebuilds the environment of {} in a directory: ./create.sh DIRECTORY\n",
      what.id);
  for (const env::LockedToolkit& toolkit : what.lock.toolkits) {
    text += fmt::format("# Builds also need the toolkit {} {}; this script does not create it.\n",
                        toolkit.name, toolkit.release);
  }
  for (const std::string& name : what.secrets) {
    text += fmt::format("# Builds also need the secret {} in their environment.\n", name);
  }
  text += kHead;
  text += python_lines(resolution) + pip_lines(resolution);
  const std::string conda = resolution.conda.empty() ? "" : ":$directory/conda/bin";
  return text + fmt::format("echo \"export PATH=$directory/env/bin{}:\\$PATH\"\n", conda);
}

std::string dockerfile_of(const EnvironmentExport& what) {
  std::string text = fmt::format(
      "# The environment of {}: docker build --tag NAME .\n"
      "# If pip needs a configuration file, add --secret id=pip.conf,src=FILE\n",
      what.id);
  if (what.lock.image && !what.lock.image->base.empty()) {
    text += fmt::format("# The base image of this environment: {}\n", what.lock.image->base);
  }
  const std::string own = "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\n";
  text +=
      with_arguments(what.dockerfile.empty() ? own : what.dockerfile, {{"BASE_IMAGE", what.base}});
  if (!what.stage.empty()) text += fmt::format("\nFROM {}\n", what.stage);
  text += fmt::format(
      "\nCOPY {0} /opt/{0}/\n"
      "RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf /opt/{0}/create.sh /opt/{0}\n"
      "ENV PATH=/opt/{0}/env/bin{1}:${{PATH}}\n",
      kExportDirectory,
      what.lock.resolution.conda.empty() ? ""
                                         : fmt::format(":/opt/{}/conda/bin", kExportDirectory));
  return text;
}

void add(std::vector<ExportedFile>& files, const std::string& name, std::string text,
         uint32_t mode = 0644) {
  if (text.empty()) return;
  files.push_back({fmt::format("{}/{}", kExportDirectory, name), std::move(text), mode});
}

}  // namespace

std::string with_arguments(const std::string& dockerfile,
                           const std::map<std::string, std::string>& arguments) {
  std::vector<std::string> lines = split(dockerfile, '\n');
  for (std::string& line : lines) {
    for (const auto& [name, value] : arguments) {
      const std::string declared = "ARG " + name;
      if (line == declared || line.starts_with(declared + "=")) line = declared + "=" + value;
    }
  }
  return join(lines, "\n");
}

std::vector<ExportedFile> export_files(const EnvironmentExport& what) {
  const env::Resolution& resolution = what.lock.resolution;
  std::vector<ExportedFile> files = {{"Dockerfile", dockerfile_of(what)}};
  add(files, "create.sh", create_script(what), 0755);
  add(files, "requirements-torch.txt", env::requirements_text(resolution, env::TorchPart::only));
  add(files, "requirements.txt", env::requirements_text(resolution, env::TorchPart::without));
  add(files, "pylock.toml", env::to_pylock(what.lock));
  if (resolution.conda.empty()) return files;
  CondaInstall install;
  install.subdir = conda_subdir(what.lock.machine);
  install.prefix = kPrefix;
  install.packages = kCache;
  add(files, "conda-explicit.txt", explicit_list(resolution.conda));
  add(files, "conda-packages.json", rattler_install_request(resolution.conda, install));
  add(files, "install-conda.py", std::string(rattler_script()));
  return files;
}

}  // namespace pinwheel::conda
