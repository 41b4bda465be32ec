#include "env/torch_index.h"

#include <algorithm>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::env;

TEST_CASE("the label of an index is the last name of its URL, if that is one") {
  CHECK(label_of_index("https://download.pytorch.org/whl/cu130") == "cu130");
  CHECK(label_of_index("https://me:word@mirror.example/whl/nightly/cpu/") == "cpu");
  CHECK(label_of_index("https://mirror.example/whl/rocm7.1?x=1") == "rocm7.1");
  CHECK(label_of_index("https://mirror.example/whl/xpu") == "xpu");
  for (const char* const other : {"https://mirror.example/simple", "https://mirror.example/cuda",
                                  "https://mirror.example/rocm", "cuddle", ""}) {
    INFO(other);
    CHECK(label_of_index(other).empty());
  }
}

TEST_CASE("a torch says for what it was built, by its version or by the CUDA that it requires") {
  const auto label = [](const std::string& version, const std::vector<std::string>& needs) {
    return label_of_torch(PipPackage{"torch", version, {}, {}}, needs);
  };
  CHECK(label("2.13.0+cpu", {}) == "cpu");
  CHECK(label("2.13.0+cu126", {"nvidia-cuda-runtime==13.0.96"}) == "cu126");
  CHECK(label("2.14.1", {"filelock",
                         "cuda-toolkit[nvrtc,nvtx]==13.0.3; platform_system == "
                         "\"Linux\""}) == "cu130");
  CHECK(label("2.6.0", {"nvidia_cuda_runtime_cu12==12.4.127; platform_machine == \"x86_64\""}) ==
        "cu124");
  CHECK(label("2.13.0", {"filelock", "nvidia-cudnn-cu13==9.24.0.43"}).empty());
  CHECK(label("2.13.0", {"nvidia-cuda-runtime>=13"}).empty());

  Resolution resolution;
  CHECK(label_of_torch(resolution).empty());
  resolution.packages = {{"torch", "2.14.1", {}, {}}};
  resolution.absent = {{"cuda-toolkit", "13.0.3", {}, {}}};
  CHECK(label_of_torch(resolution) == "cu130");
}

TEST_CASE("only a build for the label of the index is one of its builds") {
  const std::string index = "https://download.pytorch.org/whl/cu126";
  CHECK(is_build_of(index, "cu126"));
  CHECK(is_build_of(index, "cu126.with.pypi.cudnn"));
  CHECK_FALSE(is_build_of(index, "cu1260"));
  CHECK_FALSE(is_build_of(index, "cpu"));
  CHECK_FALSE(is_build_of(index, ""));
  CHECK_FALSE(is_build_of("https://mirror.example/simple", ""));
}

TEST_CASE("a pip for one index has all settings but those that name others") {
  const std::string configuration =
      ":env:.timeout='9'\n"
      "global.cert='/c'\n"
      "global.constraint='/a\\n/b'\n"
      "global.extra-index-url='https://other.example/simple'\n"
      "global.timeout='5'\n"
      "global.trusted-host='mirror.example'\n"
      "install.find-links='/wheels'\n"
      "install.trusted-host='it\\'s'\n"
      "download.proxy='http://p'\n";
  const Variables variables = without_indexes(
      {{"PATH", "/bin"}, {"PIP_TIMEOUT", "9"}, {"PIP_FIND_LINKS", "/w"}, {"PIP_INDEX_URL", "u"}},
      configuration);
  CHECK(variables == Variables{{"PATH", "/bin"},
                               {"PIP_CERT", "/c"},
                               {"PIP_CONFIG_FILE", "/dev/null"},
                               {"PIP_CONSTRAINT", "/a\n/b"},
                               {"PIP_TIMEOUT", "9"},
                               {"PIP_TRUSTED_HOST", "it's"}});
  CHECK(uv_variables(variables) == Variables{{"PATH", "/bin"},
                                             {"SSL_CERT_FILE", "/c"},
                                             {"UV_INSECURE_HOST", "it's"},
                                             {"UV_NO_PROGRESS", "1"},
                                             {"UV_PYTHON_DOWNLOADS", "never"}});
  const Variables proxied =
      uv_variables({{"PIP_PROXY", "http://p"}, {"PIP_TRUSTED_HOST", "a\nb"}, {"HTTP_PROXY", "q"}});
  CHECK(proxied.at("HTTPS_PROXY") == "http://p");
  CHECK(proxied.at("HTTP_PROXY") == "q");
  CHECK(proxied.at("UV_INSECURE_HOST") == "a b");
}

TEST_CASE("both installers take a release from one index only, by its hashes") {
  const IndexInstall install{"https://first.example/simple/", "r.txt"};
  for (const ports::Command& command : {install_by_pip({"python", {}}, "venv/bin/python", install),
                                        install_by_uv({"uv", {}}, "venv/bin/python", install)}) {
    const auto has = [&command](const char* word) {
      return std::ranges::count(command.argv, word) == 1;
    };
    for (const char* word : {"--no-deps", "--require-hashes", "--index-url",
                             "https://first.example/simple/", "--only-binary", "r.txt"}) {
      INFO(word);
      CHECK(has(word));
    }
    CHECK_FALSE(has("--extra-index-url"));
  }
}
