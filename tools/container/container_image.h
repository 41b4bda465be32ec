#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "matrix/settings.h"
#include "ports/process.h"

namespace pinwheel::container {

/// Hex digest of the request, which identifies it in facts and records. Pure.
std::string digest(const matrix::ContainerSettings& request);

/// An image that is available on this machine.
struct ContainerImage {
  std::string id;   ///< "sha256:..."
  std::string key;  ///< content key: Dockerfile, context, arguments and the base's id
  std::string architecture =
      {};  ///< "amd64"; an imported image may have the machine's name instead
  std::map<std::string, std::string> variables = {};  ///< variables that it sets: PATH, CUDA_HOME
  std::map<std::string, std::string> labels = {};
  std::vector<std::string> digests = {};       ///< in registries: "docker.io/debian@sha256:..."
  std::string base_id = {};                    ///< of the image it was built on; else its own
  std::vector<std::string> base_digests = {};  ///< likewise

  bool operator==(const ContainerImage&) const = default;
};

/// The label with an image's content key.
inline constexpr const char* kKeyLabel = "io.pinwheel.key";

/// Parses the output of `docker image inspect`: a list with one image. `environment` for anything
/// else. Source: the engine API's ImageInspect.
Result<ContainerImage> parse_image(std::string_view json);

/// `docker image inspect NAME`.
ports::Command inspect_image(const std::string& client, const std::string& name,
                             const std::map<std::string, std::string>& client_variables);

/// `docker pull NAME`, for a given machine ("aarch64") if `arch` is set.
ports::Command pull_image(const std::string& client, const std::string& name,
                          const std::string& arch,
                          const std::map<std::string, std::string>& client_variables);

/// Lists the ids of the images with a content key, one per line.
ports::Command find_image(const std::string& client, const std::string& key,
                          const std::map<std::string, std::string>& client_variables);

/// The inputs of an image build.
struct ImageBuild {
  std::string client;
  std::string dockerfile;  ///< absolute
  std::string context;     ///< absolute directory
  matrix::ContainerSettings request;
  std::string base_id;  ///< the base by id, so that nothing is pulled
  std::string key;
  std::vector<std::string> tags;
  std::string platform = {};  ///< "linux/arm64"; empty: the engine's default
};

/// `docker build` with BuildKit, which logs to standard error.
ports::Command build_image(const ImageBuild& build,
                           const std::map<std::string, std::string>& client_variables);

/// The content key of an image. `context_digest` covers every file of the build context, including
/// the Dockerfile.
std::string image_key(const matrix::ContainerSettings& request, const std::string& context_digest,
                      const std::string& base_id);

/// `[<branch>-]<short sha>-<id>`: the branch in lower-case letters, digits and dashes, truncated
/// with a hash if the tag would exceed 128 characters (the limit for tags). `config` if the id
/// alone is too long.
Result<std::string> image_tag(const std::string& branch, const std::string& short_sha,
                              const std::string& id);

/// The architecture name in images for a machine: "amd64" for "x86_64", "arm64" for "aarch64";
/// unchanged for others. Source: the OCI image specification, which uses Go's names.
std::string image_architecture(std::string_view machine);

/// The `--platform` that an image of `architecture` needs on `machine`, "linux/arm64"; empty if the
/// image is native or does not state an architecture.
std::string foreign_platform(std::string_view architecture, std::string_view machine);

}  // namespace pinwheel::container
