#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "host/net/http.h"
#include "ports/clock.h"
#include "ports/files.h"
#include "ports/git.h"
#include "ports/http.h"
#include "ports/log.h"

namespace pinwheel::prepare {

/// A machine together with the ports that it refers to.
using OpenMachine = std::shared_ptr<const host::EnvMachine>;

/// Everything that a command reaches outside its own memory. `main` makes the only one; tests
/// replace each part. The ports outlive it.
struct Host {
  ports::Files& files;
  ports::Git& git;
  ports::Clock& clock;
  std::map<std::string, std::string> variables = {};  ///< the user's environment
  std::filesystem::path directory = {};               ///< the working directory, absolute
  /// Opens the machine of a workplace. Its programs see the workplace's variables, stop with the
  /// workplace's token, and are logged.
  std::function<OpenMachine(const host::Workplace& workplace)> machine = {};
  /// Opens a connection whose requests are logged; a stop request ends them.
  std::function<std::shared_ptr<ports::Http>(host::HttpOptions options, ports::LogHandle log,
                                             std::stop_token stop)>
      http = {};

  /// The absolute normal form of a path that is relative to the working directory.
  std::filesystem::path at(const std::filesystem::path& path) const {
    return (directory / path).lexically_normal();
  }
};

/// The workplace of a command outside a run: the user's variables and this log, no directories.
inline host::Workplace outside_run(const Host& host, ports::LogHandle log) {
  host::Workplace place;
  place.variables = host.variables;
  place.log = std::move(log);
  return place;
}

}  // namespace pinwheel::prepare
