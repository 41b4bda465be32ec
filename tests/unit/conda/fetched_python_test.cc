#include "conda/fetched_python.h"

#include "conda/conda_client.h"
#include "unit/catch.h"

namespace pinwheel::conda {
namespace {

TEST_CASE("uv installs into pinwheel's directory, with the user's mirror and proxies only") {
  const ports::Command command = install_by_uv("/bin/uv", "3.13t", "/cache/pythons/uv",
                                               {{"HOME", "/home/u"},
                                                {"UV_PYTHON_INSTALL_MIRROR", "https://mirror"},
                                                {"UV_PYTHON_INSTALL_DIR", "/home/u/pythons"},
                                                {"https_proxy", "http://proxy"},
                                                {"TOKEN", "secret"}});
  CHECK(command.argv == std::vector<std::string>{"/bin/uv", "python", "install", "3.13t"});
  CHECK(command.environment.at("UV_PYTHON_INSTALL_DIR") == "/cache/pythons/uv");
  CHECK(command.environment.at("UV_PYTHON_BIN_DIR") == "/cache/pythons/uv/bin");
  CHECK(command.environment.at("UV_PYTHON_INSTALL_MIRROR") == "https://mirror");
  CHECK(command.environment.at("https_proxy") == "http://proxy");
  CHECK_FALSE(command.environment.contains("TOKEN"));
}

TEST_CASE("a uv without a network is worth another try, one without the version is not") {
  const Error offline = uv_failure("3.13t",
                                   "error: Failed to install cpython-3.13.9+freethreaded\n"
                                   "  Caused by: error sending request for url\n"
                                   "  Caused by: dns error: failed to lookup address\n");
  CHECK(offline.kind == ErrorKind::transient);
  CHECK(offline.message == "`uv python install 3.13t` failed: dns error: failed to lookup address");
  const Error unknown = uv_failure("3.99", "error: No download found for request: cpython-3.99\n");
  CHECK(unknown.kind == ErrorKind::environment);
  CHECK(uv_failure("3.99", "").message == "`uv python install 3.99` failed");
}

TEST_CASE("conda gets a request for one Python, of conda-forge unless the matrix has channels") {
  CHECK(conda_python("3.13t", {}).conda.channels == std::vector<std::string>{"conda-forge"});
  const env::Request request = conda_python("3.13t", {"https://channel"});
  CHECK(request.conda.channels == std::vector<std::string>{"https://channel"});
  CHECK(conda::conda_specs(request) == std::vector<std::string>{"python 3.13.* *_cp313t"});
}

TEST_CASE("the error names every way that was tried") {
  const Error error =
      not_fetched("3.13t", {{ErrorKind::transient, "no uv"}, {ErrorKind::environment, "no conda"}});
  CHECK(error.kind == ErrorKind::environment);
  CHECK(error.message ==
        "Python `3.13t` is not on this machine, and neither uv nor conda could install it");
  REQUIRE(error.causes.size() == 2);
  CHECK(error.hint.find("uv python install 3.13t") != std::string::npos);
  CHECK(not_fetched("3.13t", {{ErrorKind::transient, "offline"}}).kind == ErrorKind::transient);
}

}  // namespace
}  // namespace pinwheel::conda
