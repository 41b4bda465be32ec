#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "matrix/settings.h"
#include "ports/process.h"

namespace pinwheel::env {

/// Hex digest of the request: names it in facts and records. Pure.
std::string digest(const matrix::ContainerSettings& request);

/// An image that is on this machine.
struct ContainerImage {
  std::string id;   ///< "sha256:..."
  std::string key;  ///< of its contents: Dockerfile, context, arguments and the base's id
  std::string architecture = {};  ///< "amd64"; an import may say what the machine is instead
  std::map<std::string, std::string> variables = {};  ///< what it sets: PATH, CUDA_HOME
  std::map<std::string, std::string> labels = {};
  std::vector<std::string> digests = {};       ///< in registries: "docker.io/debian@sha256:..."
  std::string base_id = {};                    ///< of what it was built on; else its own
  std::vector<std::string> base_digests = {};  ///< likewise

  bool operator==(const ContainerImage&) const = default;
};

/// The label that bears an image's content key.
inline constexpr const char* kKeyLabel = "io.pinwheel.key";

/// Reads what `docker image inspect` printed: a list with one image. `environment` when it is
/// something else. Source: the engine API's ImageInspect.
Result<ContainerImage> parse_image(std::string_view json);

/// `docker image inspect NAME`.
ports::Command inspect_image(const std::string& client, const std::string& name,
                             const std::map<std::string, std::string>& client_variables);

/// `docker pull NAME`, for a machine ("aarch64") where the image must be for one.
ports::Command pull_image(const std::string& client, const std::string& name,
                          const std::string& arch,
                          const std::map<std::string, std::string>& client_variables);

/// Lists the ids of the images that bear a content key, one a line.
ports::Command find_image(const std::string& client, const std::string& key,
                          const std::map<std::string, std::string>& client_variables);

/// What an image is built from.
struct ImageBuild {
  std::string client;
  std::string dockerfile;  ///< absolute
  std::string context;     ///< absolute directory
  matrix::ContainerSettings request;
  std::string base_id;  ///< the base by id, so that nothing is pulled
  std::string key;
  std::vector<std::string> tags;
  std::string platform = {};  ///< "linux/arm64"; empty: the engine's own
};

/// `docker build` by BuildKit, which says what it does on standard error.
ports::Command build_image(const ImageBuild& build,
                           const std::map<std::string, std::string>& client_variables);

/// The key of an image's contents. `context_digest` covers every file of the build's context, the
/// Dockerfile among them.
std::string image_key(const matrix::ContainerSettings& request, const std::string& context_digest,
                      const std::string& base_id);

/// `[<branch>-]<short sha>-<id>`: the branch in small letters, digits and dashes, cut with a hash
/// where the whole would be longer than 128 characters (the most that a tag may have). `config`
/// when the id alone is too long.
Result<std::string> image_tag(const std::string& branch, const std::string& short_sha,
                              const std::string& id);

}  // namespace pinwheel::env
