#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "host/net/http.h"
#include "ports/clock.h"
#include "ports/files.h"
#include "ports/git.h"
#include "ports/http.h"
#include "ports/log.h"
#include "project/pyproject.h"
#include "run/attempt.h"
#include "store/place_description.h"

namespace pinwheel::prepare {

/// A machine together with the ports that it refers to.
using OpenMachine = std::shared_ptr<const host::EnvMachine>;

/// Everything that a command reaches outside its own memory. `main` makes the only one; tests
/// replace each part. The ports outlive it.
///
/// Not part of it, because it belongs to the process itself: its terminal with the variables that
/// describe it, and its log (`cli/streams`, `cli/diagnostics`); its id, its
/// program (`/proc/self/exe`), its redirected streams, its memory and its processors; signals.
struct Host {
  ports::Files& files;
  ports::Git& git;
  ports::Clock& clock;
  std::map<std::string, std::string> variables = {};  ///< the user's environment
  std::filesystem::path directory = {};               ///< the working directory, absolute
  /// The places of PINWHEEL_STORE; an error is reported where they are used.
  Result<std::vector<store::PlaceDescription>> stores = std::vector<store::PlaceDescription>();
  /// Opens the machine of a workplace. Its programs see the workplace's variables, end when the
  /// workplace's token is stopped, and are logged.
  std::function<OpenMachine(const host::Workplace& workplace)> machine = {};
  /// Opens a connection whose requests are logged; a stop request ends them.
  std::function<std::shared_ptr<ports::Http>(host::HttpOptions options, ports::LogHandle log,
                                             std::stop_token stop)>
      http = {};

  /// Asks a backend for its requirements in the environment of a build, `host::ask_backend`.
  std::function<Result<std::vector<std::string>>(
      const host::Workplace& workplace, const run::Attempt& attempt,
      const project::BuildSystem& system, const std::stop_token& stop)>
      ask_backend = {};
  /// Executes an attempt of a step, `host::perform`.
  std::function<Result<run::Success>(const host::Workplace& workplace, const run::Attempt& attempt,
                                     std::stop_token stop)>
      perform = {};

  /// The absolute normal form of a path that may be relative to the working directory.
  std::filesystem::path at(const std::filesystem::path& path) const {
    return (directory / path).lexically_normal();
  }
};

/// The workplace of a command outside a run: the user's variables and this log, without
/// directories.
inline host::Workplace outside_run(const Host& host, ports::LogHandle log) {
  host::Workplace place;
  place.variables = host.variables;
  place.log = std::move(log);
  return place;
}

constexpr const char* kPinwheelVersion = PINWHEEL_VERSION;

}  // namespace pinwheel::prepare
