#include "conda/fetched_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "env/pass_list.h"

namespace pinwheel::conda {
namespace {

// Messages of uv about its downloads, and of its libraries.
constexpr std::array<std::string_view, 6> kNoNetwork = {
    "error sending request", "dns error", "Failed to download",
    "Connection refused",    "timed out", "client error (Connect)"};

/// uv's messages begin with the outermost one; the innermost has the reason.
std::string reason_in(std::string_view printed) {
  const std::vector<std::string> lines = split(trim(printed), '\n');
  const std::string line(trim(lines.back()));
  constexpr std::string_view kCause = "Caused by: ";
  return line.starts_with(kCause) ? line.substr(kCause.size()) : line;
}

}  // namespace

ports::Command install_by_uv(const std::string& uv, const std::string& version,
                             const std::string& directory,
                             const std::map<std::string, std::string>& user) {
  ports::Command command;
  command.argv = {uv, "python", "install", version};
  command.directory = "/";  // a project's `.python-version` has no say here
  for (const auto& [name, value] : user) {
    const bool passed = name == "PATH" || name == "HOME" || name == "TMPDIR" ||
                        name.starts_with("UV_") || name.starts_with("XDG_") ||
                        env::is_network_variable(name);
    if (passed) command.environment[name] = value;
  }
  command.environment["UV_PYTHON_INSTALL_DIR"] = directory;
  command.environment["UV_PYTHON_BIN_DIR"] = directory + "/bin";
  command.environment["UV_NO_PROGRESS"] = "1";
  return command;
}

Error uv_failure(const std::string& version, std::string_view printed) {
  const bool no_network = std::any_of(
      kNoNetwork.begin(), kNoNetwork.end(),
      [printed](std::string_view sign) { return printed.find(sign) != std::string_view::npos; });
  const std::string reason = reason_in(printed);
  return {
      .kind = no_network ? ErrorKind::transient : ErrorKind::environment,
      .message = fmt::format("{} failed{}", quoted(fmt::format("uv python install {}", version)),
                             reason.empty() ? "" : ": " + reason)};
}

env::Request conda_python(const std::string& version, std::vector<std::string> channels) {
  env::Request request;
  request.python = version;
  request.conda.channels = std::move(channels);
  if (request.conda.channels.empty()) request.conda.channels = {"conda-forge"};
  return request;
}

Error not_fetched(const std::string& version, std::vector<Error> tried) {
  const bool all_transient = std::all_of(tried.begin(), tried.end(), [](const Error& error) {
    return error.kind == ErrorKind::transient;
  });
  Error error{.kind = all_transient ? ErrorKind::transient : ErrorKind::environment,
              .message = fmt::format(
                  "Python {} is not on this machine, and neither uv nor conda could install it",
                  quoted(version)),
              .hint = fmt::format("run {} with a network connection, or install it in another way",
                                  quoted(fmt::format("uv python install {}", version)))};
  error.causes = std::move(tried);
  return error;
}

}  // namespace pinwheel::conda
