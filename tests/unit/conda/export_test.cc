#include "conda/export.h"

#include <algorithm>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::conda;

namespace {

EnvironmentExport example_export() {
  env::Resolution resolution;
  resolution.python = "3.11.7";
  resolution.packages = {{"ninja", "1.11", "ninja.whl", std::string(64, 'a')},
                         {"torch", "2.13.0+cpu", "torch.whl", std::string(64, 'b')}};
  resolution.torch_index = "https://download.example/whl/cpu";
  env::Request request;
  request.python = "3.11";
  return {"cp311-cpu", env::make_lock(request, resolution, "x86_64"), "debian:12"};
}

EnvironmentExport with_conda() {
  EnvironmentExport what = example_export();
  what.lock.resolution.conda = {{"python", "3.11.7", "0", "linux-64",
                                 "https://conda.example/linux-64/python-3.11.7-0.conda",
                                 std::string(64, 'c'), std::string(32, 'd'), 7}};
  return what;
}

std::string text_of(const EnvironmentExport& what, const std::string& path) {
  for (const ExportedFile& file : export_files(what)) {
    if (file.path == path) return file.text;
  }
  return {};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("each package is listed with its hash, and only torch uses its index") {
  const EnvironmentExport what = example_export();
  CHECK(text_of(what, "environment/requirements.txt") ==
        "ninja==1.11 --hash=sha256:" + std::string(64, 'a') + "\n");
  CHECK(text_of(what, "environment/requirements-torch.txt") ==
        "torch==2.13.0+cpu --hash=sha256:" + std::string(64, 'b') + "\n");
  const std::string script = text_of(what, "environment/create.sh");
  CHECK(has(script,
            "install --extra-index-url https://download.example/whl/cpu -r "
            "\"$here/requirements-torch.txt\"\n"
            "install -r \"$here/requirements.txt\"\n"));
  CHECK(has(script, "python=${PYTHON:-python3.11}\n"));
  CHECK(has(script, "  3.11.7) ;;\n  3.11.*) echo"));
  CHECK(has(text_of(what, "environment/pylock.toml"), "lock-version"));
}

TEST_CASE("without conda packages nothing mentions conda") {
  CHECK(text_of(example_export(), "environment/conda-explicit.txt").empty());
  CHECK_FALSE(has(text_of(example_export(), "environment/create.sh"), "conda"));
  CHECK_FALSE(has(text_of(example_export(), "Dockerfile"), "conda"));
}

TEST_CASE("conda packages are listed for clients, and for py-rattler with placeholders") {
  CHECK(text_of(with_conda(), "environment/conda-explicit.txt") ==
        "@EXPLICIT\nhttps://conda.example/linux-64/python-3.11.7-0.conda#" + std::string(32, 'd') +
            "\n");
  CHECK(has(text_of(with_conda(), "environment/conda-packages.json"), "\"prefix\": \"@PREFIX@\""));
  const std::string script = text_of(with_conda(), "environment/create.sh");
  CHECK(has(script, "--file \"$here/conda-explicit.txt\""));
  CHECK(has(script, "python=$prefix/bin/python\n"));
  CHECK_FALSE(has(script, "PYTHON:-"));
}

TEST_CASE("only the script is executable") {
  for (const ExportedFile& file : export_files(with_conda())) {
    CHECK(file.mode == (file.path == "environment/create.sh" ? 0755U : 0644U));
  }
}

TEST_CASE("a free-threaded Python is requested by its own name") {
  EnvironmentExport what = example_export();
  what.lock.resolution.python = "3.13.0t";
  const std::string script = text_of(what, "environment/create.sh");
  CHECK(has(script, "python=${PYTHON:-python3.13t}\n"));
  CHECK(has(script, "  3.13.0) ;;\n  3.13.*) echo"));
}

TEST_CASE("the Dockerfile is the project's own on the base that was used, then the environment") {
  EnvironmentExport what = example_export();
  what.dockerfile = "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nRUN apt-get update\n";
  what.base = "docker.io/debian@sha256:ff";
  const std::string text = text_of(what, "Dockerfile");
  CHECK(has(text, "ARG BASE_IMAGE=docker.io/debian@sha256:ff\nFROM ${BASE_IMAGE}\nRUN apt-get"));
  CHECK(text.find("RUN apt-get") < text.find("COPY environment /opt/environment/\n"));
  what.stage = "cuda";
  CHECK(has(text_of(what, "Dockerfile"), "\nFROM cuda\n\nCOPY environment"));
  CHECK(has(text_of(example_export(), "Dockerfile"),
            "ARG BASE_IMAGE=debian:12\nFROM ${BASE_IMAGE}\n"));
}

TEST_CASE("defaults of build arguments are set, other lines are unchanged") {
  CHECK(with_arguments("ARG A\nARG B=1\nARG AB\nFROM x\n", {{"A", "7"}, {"B", "2"}}) ==
        "ARG A=7\nARG B=2\nARG AB\nFROM x\n");
}

TEST_CASE("a toolkit of the environment is named") {
  EnvironmentExport what = example_export();
  what.lock.toolkits = {{"cuda/13.0", "13.0.88"}};
  CHECK(has(text_of(what, "environment/create.sh"),
            "Builds also need the toolkit cuda/13.0 13.0.88;"));
}
