#include "conda/conda_client.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

namespace pinwheel::conda {
namespace {

const std::map<std::string, std::string> kUser = {{"PATH", "/usr/bin"},
                                                  {"HOME", "/home/user"},
                                                  {"HTTPS_PROXY", "http://proxy:3128"},
                                                  {"CONDARC", "/home/user/.condarc"},
                                                  {"CONDA_PREFIX", "/home/user/conda"},
                                                  {"CONDA_CHANNELS", "defaults"},
                                                  {"PINWHEEL_TOKEN", "secret"}};

CondaSolve example() {
  return {.channels = {"http://127.0.0.1/a", "conda-forge"},
          .specs = {"python=3.11", "ninja"},
          .target = {.subdir = "linux-64", .glibc = "2.31", .linux = "5.10", .cuda = {}},
          .prefix = "/c/prefix",
          .packages = "/c/packages"};
}

std::vector<env::CondaPackage> two() {
  return {{.name = "a",
           .version = "1.0",
           .build = "0",
           .subdir = "noarch",
           .url = "http://127.0.0.1/c/noarch/a-1.0-0.conda",
           .sha256 = std::string(64, 'a'),
           .md5 = std::string(32, '1'),
           .size = 10},
          {.name = "b",
           .version = "2.0",
           .build = "h1_0",
           .subdir = "linux-64",
           .url = "file:///c/linux-64/b-2.0-h1_0.tar.bz2",
           .sha256 = std::string(64, 'b')}};
}

}  // namespace

TEST_CASE("a program is known by its name", "[env][conda]") {
  CHECK(conda_kind("/home/u/bin/micromamba") == CondaKind::micromamba);
  CHECK(conda_kind("micromamba-linux-64") == CondaKind::micromamba);
  CHECK(conda_kind("/opt/conda/bin/mamba") == CondaKind::mamba);
  CHECK(conda_kind("/opt/mamba/bin/conda") == CondaKind::conda);
}

TEST_CASE("each client's own version is read", "[env][conda]") {
  CHECK(parse_conda_version(CondaKind::conda, "conda 24.11.1\n") == "24.11.1");
  CHECK(parse_conda_version(CondaKind::mamba, "mamba 1.5.8\nconda 24.1.0\n") == "1.5.8");
  CHECK(parse_conda_version(CondaKind::mamba, "2.0.5\n") == "2.0.5");
  CHECK(parse_conda_version(CondaKind::micromamba, "1.5.8\n") == "1.5.8");
  CHECK(parse_conda_version(CondaKind::conda, "no such command\n").empty());
  CHECK(parse_conda_version(CondaKind::conda, "").empty());
}

TEST_CASE("clients that print incomplete solutions are too old", "[env][conda]") {
  CHECK_FALSE(is_recent({CondaKind::conda, "conda", "4.3.16"}));
  CHECK_FALSE(is_recent({CondaKind::conda, "conda", "4.9.2"}));
  CHECK(is_recent({CondaKind::conda, "conda", "4.10.0"}));
  CHECK(is_recent({CondaKind::conda, "conda", "25.1.0"}));
  CHECK_FALSE(is_recent({CondaKind::mamba, "mamba", "0.27.0"}));
  CHECK(is_recent({CondaKind::micromamba, "micromamba", "1.0.0"}));
  CHECK(is_recent({CondaKind::rattler, "", ""}));
}

TEST_CASE("a target has exactly its virtual packages", "[env][conda]") {
  CHECK(virtual_packages({.subdir = "linux-64", .glibc = "2.31", .linux = "5.10"}) ==
        std::vector<VirtualPackage>{{"__unix", "0"},
                                    {"__archspec", "1", "x86_64"},
                                    {"__linux", "5.10"},
                                    {"__glibc", "2.31"}});
  CHECK(virtual_packages({.subdir = "linux-aarch64", .cuda = "13.0"}) ==
        std::vector<VirtualPackage>{
            {"__unix", "0"}, {"__archspec", "1", "aarch64"}, {"__cuda", "13.0"}});
  CHECK(conda_subdir("x86_64") == "linux-64");
  CHECK(conda_subdir("aarch64") == "linux-aarch64");
}

TEST_CASE("the variant's Python is in the specs exactly once", "[env][conda]") {
  env::Request request{.python = "3.11"};
  request.conda.packages = {"ninja", "python-build"};
  CHECK(conda_specs(request) == std::vector<std::string>{"ninja", "python-build", "python=3.11"});
  for (const char* const spec :
       {"python=3.11.7", "conda-forge::python >=3.11", "Python[version=3]"}) {
    request.conda.packages = {spec};
    CHECK(conda_specs(request) == std::vector<std::string>{spec});
  }
  request.python = "3.13t";
  request.conda.packages = {"ninja"};
  CHECK(conda_specs(request).back() == "python 3.13.* *_cp313t");
}

TEST_CASE("solving uses only its channels and the target's virtual packages", "[env][conda]") {
  const ports::Command command =
      solve_command({CondaKind::conda, "/opt/conda", "24.1.0"}, example(), Answer::json, kUser);
  CHECK(command.argv == std::vector<std::string>{"/opt/conda", "create", "--dry-run", "--yes",
                                                 "--json", "--prefix", "/c/prefix",
                                                 "--override-channels", "--channel",
                                                 "http://127.0.0.1/a", "--channel", "conda-forge",
                                                 "--no-default-packages", "python=3.11", "ninja"});
  CHECK(command.environment.at("CONDA_OVERRIDE_GLIBC") == "2.31");
  CHECK(command.environment.at("CONDA_OVERRIDE_CUDA").empty());
  CHECK(command.environment.at("CONDA_SUBDIR") == "linux-64");
  CHECK(command.environment.at("CONDA_PKGS_DIRS") == "/c/packages");
  CHECK(command.environment.at("CONDARC") == "/home/user/.condarc");
  CHECK(command.environment.at("HTTPS_PROXY") == "http://proxy:3128");
  for (const char* const dropped : {"CONDA_PREFIX", "CONDA_CHANNELS", "PINWHEEL_TOKEN"}) {
    CHECK_FALSE(command.environment.contains(dropped));
  }
}

TEST_CASE("text for people is requested from mamba without JSON", "[env][conda]") {
  const ports::Command command =
      solve_command({CondaKind::micromamba, "micromamba", "2.0.5"}, example(), Answer::text, kUser);
  CHECK(command.argv == std::vector<std::string>{"micromamba", "create", "--dry-run", "--yes",
                                                 "--prefix", "/c/prefix", "--override-channels",
                                                 "--channel", "http://127.0.0.1/a", "--channel",
                                                 "conda-forge", "python=3.11", "ninja"});
}

TEST_CASE("an explicit list has the md5 if there is one", "[env][conda]") {
  CHECK(explicit_list(two()) ==
        "@EXPLICIT\nhttp://127.0.0.1/c/noarch/a-1.0-0.conda#11111111111111111111111111111111\n"
        "file:///c/linux-64/b-2.0-h1_0.tar.bz2\n");
  const CondaInstall install{"linux-64", "/c/conda/x", "/c/s/explicit.txt", "/c/packages"};
  CHECK(install_command({CondaKind::mamba, "mamba", "2.0.5"}, install, kUser).argv ==
        std::vector<std::string>{"mamba", "create", "--yes", "--quiet", "--prefix", "/c/conda/x",
                                 "--file", "/c/s/explicit.txt"});
}

TEST_CASE("rattler gets its request as JSON and runs isolated", "[env][conda]") {
  const nlohmann::json solve = nlohmann::json::parse(rattler_solve_request(example()));
  CHECK(solve["do"] == "solve");
  CHECK(solve["specs"] == nlohmann::json({"python=3.11", "ninja"}));
  CHECK(solve["virtual"][3] == nlohmann::json({"__glibc", "2.31", "0"}));
  const CondaInstall install{"linux-64", "/c/conda/x", {}, "/c/packages"};
  const nlohmann::json made = nlohmann::json::parse(rattler_install_request(two(), install));
  CHECK(made["prefix"] == "/c/conda/x");
  CHECK(made["packages"][1] == nlohmann::json({{"url", "file:///c/linux-64/b-2.0-h1_0.tar.bz2"},
                                               {"subdir", "linux-64"},
                                               {"sha256", std::string(64, 'b')},
                                               {"md5", ""},
                                               {"size", 0}}));
  const ports::Command command =
      rattler_command({CondaKind::rattler, "/v/bin/python"}, "/s/r.py", "/s/r.json", kUser);
  CHECK(command.argv == std::vector<std::string>{"/v/bin/python", "-I", "/s/r.py", "/s/r.json"});
  CHECK_FALSE(command.environment.contains("CONDA_PREFIX"));
}

TEST_CASE("the script in the program is the one in the source", "[env][conda]") {
  CHECK(rattler_script().find("def name_origins(") != std::string_view::npos);
  CHECK(rattler_script().find("os._exit(code)") != std::string_view::npos);
}

TEST_CASE("a prefix is named after what is in it", "[env][conda]") {
  std::vector<env::CondaPackage> packages = two();
  const std::string id = conda_prefix_id(packages);
  CHECK(id.size() == 18);
  CHECK(id.starts_with("conda-"));
  packages[0].url = "http://elsewhere/noarch/a-1.0-0.conda";
  CHECK(conda_prefix_id(packages) == id);
  packages[0].sha256[0] = 'b';
  CHECK(conda_prefix_id(packages) != id);
}

}  // namespace pinwheel::conda
