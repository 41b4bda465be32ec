#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/hidden_text.h"
#include "base/secret.h"
#include "container/container.h"
#include "container/container_image.h"
#include "container/engine.h"
#include "host/machine/env_machine.h"
#include "host/machine/fixed_path.h"
#include "ports/git.h"
#include "ports/log.h"
#include "ports/process.h"
#include "publish/upload_event.h"

namespace pinwheel::host {

/// The containers of a run; empty if its engine uses none.
struct Containers {
  std::string client;                                       ///< path of the engine's client
  std::map<std::string, std::string> variables;             ///< the client's own
  std::map<std::string, container::ContainerImage> images;  ///< by the digest of their settings
  std::string network;                                      ///< empty: the engine's default
  container::AfterEnd after_failure = container::AfterEnd::remove;
};

/// The surroundings of a run: the same for all its steps, and not part of any key.
struct Workplace {
  std::filesystem::path cache;                   ///< XDG cache directory of pinwheel, absolute
  std::filesystem::path state;                   ///< the run's state directory, absolute
  std::filesystem::path logs = {};               ///< of this run only, in the state directory
  std::filesystem::path output;                  ///< finished wheels and sdists, absolute
  std::filesystem::path matrix_directory;        ///< base of relative paths of publish targets
  std::map<std::string, std::string> variables;  ///< the user's environment
  PathMode paths = PathMode::real;
  /// For builds without `build.network: true`: `whole` if the machine does not allow a separate
  /// network.
  ports::Network build_network = ports::Network::whole;
  container::Engine engine = container::Engine::host;  ///< runs the commands of steps
  std::map<std::string, std::string> accepted;         ///< variant id -> reason, from `--accept`
  std::string token_file;
  PlainHttp plain_http = PlainHttp::refused;  ///< `--insecure`
  ports::LogHandle log = ports::no_log();
  /// The caller's values of the names in `environment.secrets`, for the steps of this run.
  std::map<std::string, Secret> secrets = {};
  /// Texts that no log, journal or report contains: `secrets`, and the secrets in the user's
  /// variables by `secrets_in`. May be null.
  std::shared_ptr<const HiddenText> hidden = {};
  MaskSecret mask = {};  ///< called with the secrets of uploads, on the step's thread
  Containers containers = {};
  /// Stops the preparation of the run; each step has its own stop token.
  std::stop_token stop = {};
  /// Called with the events of an upload, on the step's thread; may be empty.
  std::function<void(const publish::UploadEvent& event)> on_upload = {};
  /// Called with the exit of a build's or a test's own command, on the step's thread; may be empty.
  std::function<void(const std::string& step, const ports::Exit& exit)> on_exit = {};
  /// On the directories of the cache that this run uses; null: each machine has its own.
  std::shared_ptr<Leases> leases = {};
  /// The packages from the frozen plan or the report of this run; null: none.
  std::shared_ptr<const GivenResolutions> given = {};
  /// Absolute paths of the command line that are never source.
  std::vector<std::filesystem::path> named = {};
};

/// The user of the cache: a step of the matrix, or the run itself without one.
CacheUser cache_user(const Workplace& workplace, std::string step);

/// The directories that runs fill and the paths of the command line: no part of a package's source.
ports::NotSource not_source(const Workplace& workplace);

}  // namespace pinwheel::host
