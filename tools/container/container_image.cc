#include "container/container_image.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"

namespace pinwheel::container {

std::string image_architecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
}

std::string foreign_platform(std::string_view architecture, std::string_view machine) {
  if (architecture.empty() || architecture == image_architecture(machine)) return {};
  return "linux/" + std::string(architecture);
}

namespace {

using Json = nlohmann::json;
using Variables = std::map<std::string, std::string>;

constexpr size_t kLongestTag = 128;
constexpr size_t kHash = 8;

std::string slug(const std::string& branch) {
  std::string out;
  for (const char c : branch) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      out.push_back(static_cast<char>(std::tolower(byte)));
    } else if (!out.empty() && out.back() != '-') {
      out.push_back('-');
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

Json to_json(const matrix::ContainerSettings& request) {
  Json out = {
      {"dockerfile", request.dockerfile}, {"base", request.base}, {"arguments", request.arguments}};
  if (!request.arch.empty()) out["arch"] = request.arch;
  if (!request.target.empty()) out["target"] = request.target;
  return out;
}

Variables split_assignments(const Json& list) {
  Variables out;
  for (const Json& each : list) {
    const std::string text = each.get<std::string>();
    const size_t equals = text.find('=');
    if (equals != std::string::npos) out[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return out;
}

Result<ContainerImage> unreadable(const std::string& why) {
  return fail(ErrorKind::environment,
              fmt::format("cannot parse the container engine's description of an image: {}", why));
}

}  // namespace

std::string digest(const matrix::ContainerSettings& request) {
  return sha256_hex(to_json(request).dump());
}

Result<ContainerImage> parse_image(std::string_view json) {
  try {
    const Json all = parse_json(json);
    const Json& one = all.at(0);
    ContainerImage image;
    image.id = one.at("Id").get<std::string>();
    // podman omits the name of the digest.
    if (!image.id.starts_with("sha256:")) image.id = "sha256:" + image.id;
    image.architecture = one.value("Architecture", "");
    for (const Json& digest : one.value("RepoDigests", Json::array())) {
      // podman gives locally built images a digest with this name, which cannot be pulled.
      if (digest.get<std::string>().starts_with("localhost/")) continue;
      image.digests.push_back(digest.get<std::string>());
    }
    const Json config = one.value("Config", Json::object());
    if (config.contains("Env") && config["Env"].is_array()) {
      image.variables = split_assignments(config["Env"]);
    }
    if (config.contains("Labels") && config["Labels"].is_object()) {
      image.labels = config["Labels"].get<Variables>();
    }
    image.base_id = image.id;
    image.base_digests = image.digests;
    const auto key = image.labels.find(kKeyLabel);
    image.key = key == image.labels.end() ? image.id : key->second;
    return image;
  } catch (const Json::exception& thrown) {
    return unreadable(thrown.what());
  }
}

ports::Command inspect_image(const std::string& client, const std::string& name,
                             const Variables& client_variables) {
  return {{client, "image", "inspect", name}, "/", client_variables, {}};
}

ports::Command pull_image(const std::string& client, const std::string& name,
                          const std::string& arch, const Variables& client_variables) {
  ports::Command out{{client, "pull", "--quiet"}, "/", client_variables, {}};
  if (!arch.empty()) {
    out.argv.insert(out.argv.end(), {"--platform", "linux/" + image_architecture(arch)});
  }
  out.argv.push_back(name);
  return out;
}

ports::Command find_image(const std::string& client, const std::string& key,
                          const Variables& client_variables) {
  return {{client, "images", "--quiet", "--no-trunc", "--filter",
           fmt::format("label={}={}", kKeyLabel, key)},
          "/",
          client_variables,
          {}};
}

ports::Command build_image(const ImageBuild& build, const Variables& client_variables) {
  ports::Command out{
      {build.client, "build", "--file", build.dockerfile, "--label",
       fmt::format("{}={}", kKeyLabel, build.key), "--build-arg", "BASE_IMAGE=" + build.base_id},
      "/",
      client_variables,
      {}};
  out.environment["DOCKER_BUILDKIT"] = "1";
  out.tracing = ports::Tracing::privileged;
  if (!build.platform.empty()) out.argv.insert(out.argv.end(), {"--platform", build.platform});
  if (!build.request.target.empty()) {
    out.argv.insert(out.argv.end(), {"--target", build.request.target});
  }
  for (const auto& [name, value] : build.request.arguments) {
    out.argv.insert(out.argv.end(), {"--build-arg", name + "=" + value});
  }
  for (const std::string& tag : build.tags) out.argv.insert(out.argv.end(), {"--tag", tag});
  out.argv.push_back(build.context);
  return out;
}

std::string image_key(const matrix::ContainerSettings& request, const std::string& context_digest,
                      const std::string& base_id) {
  Json whole = to_json(request);
  // The name of the base does not matter, and the Dockerfile is in the context.
  whole["base"] = base_id;
  whole.erase("arch");
  whole["context"] = context_digest;
  return sha256_hex(whole.dump());
}

Result<std::string> image_tag(const std::string& branch, const std::string& short_sha,
                              const std::string& id) {
  const std::string end = fmt::format("{}-{}", short_sha, id);
  if (end.size() > kLongestTag) {
    return fail(ErrorKind::config,
                fmt::format("the image tag {} has {} characters, the limit is {}", quoted(end),
                            end.size(), kLongestTag),
                "shorten the values of the axes");
  }
  const std::string name = slug(branch);
  if (name.empty()) return end;
  if (name.size() + 1 + end.size() <= kLongestTag) return name + "-" + end;
  const size_t room = kLongestTag - end.size() - 1;
  if (room <= kHash + 1) return end;
  return fmt::format("{}-{}-{}", name.substr(0, room - kHash - 1),
                     sha256_hex(branch).substr(0, kHash), end);
}

}  // namespace pinwheel::container
