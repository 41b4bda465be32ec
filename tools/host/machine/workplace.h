#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>

#include "base/secret.h"
#include "env/container.h"
#include "env/container_image.h"
#include "env/engine.h"
#include "host/machine/fixed_path.h"
#include "ports/process.h"
#include "publish/upload_event.h"

namespace pinwheel::host {

/// The containers that a run works in; none where its engine uses none.
struct Containers {
  std::string client;                                 ///< path of the engine's client
  std::map<std::string, std::string> variables;       ///< the client's own
  std::map<std::string, env::ContainerImage> images;  ///< by the digest of their settings
  std::string network;                                ///< empty: the engine's own
  env::AfterEnd after_failure = env::AfterEnd::remove;
};

/// Where a run works: what is the same for all its steps and in none of their keys.
struct Workplace {
  std::filesystem::path cache;                   ///< XDG cache directory of pinwheel, absolute
  std::filesystem::path state;                   ///< the run's state directory, absolute
  std::filesystem::path output;                  ///< finished wheels and sdists, absolute
  std::filesystem::path matrix_directory;        ///< relative paths of publish targets start here
  std::map<std::string, std::string> variables;  ///< the user's environment
  PathMode paths = PathMode::real;
  env::Engine engine = env::Engine::host;       ///< carries out the commands of steps
  std::map<std::string, std::string> accepted;  ///< variant id -> reason, from `--accept`
  std::string token_file;
  MaskSecret mask = {};  ///< told of the secrets of uploads, on the thread of their step
  Containers containers = {};
  /// Ends what is prepared for the run; its steps have one of their own.
  std::stop_token stop = {};
  /// Told what an upload does, on the thread of its step; empty where nobody asks.
  std::function<void(const publish::UploadEvent& event)> on_upload = {};
  /// Told how the own commands of a build or a test ended, on the thread of the step; empty where
  /// nobody asks.
  std::function<void(const std::string& step, const ports::Exit& exit)> on_exit = {};
};

}  // namespace pinwheel::host
