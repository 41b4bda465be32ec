#include "plan/frozen.h"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/digest.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/utf8.h"
#include "env/patchelf.h"
#include "env/resolution.h"
#include "pep/wheel_name.h"

namespace pinwheel::plan {
namespace {

using Json = nlohmann::json;
constexpr const char* kSchema = "pinwheel-frozen-plan/3";

Json levels_json(const FrozenLevels& levels) {
  return {{"engine", std::string(to_string(levels.engine))},
          {"python", std::string(to_string(levels.python))},
          {"base-images", levels.bases}};
}

FrozenLevels read_levels(const Json& json) {
  const std::string engine = json.at("engine").get<std::string>();
  const std::string python = json.at("python").get<std::string>();
  const std::optional<container::Engine> known_engine = container::parse_engine(engine);
  const std::optional<env::PythonSource> known_python = env::parse_python_source(python);
  if (!known_engine) throw std::out_of_range(quoted(engine) + " is not an engine");
  if (!known_python) throw std::out_of_range(quoted(python) + " is not a Python source");
  FrozenLevels levels{*known_engine, *known_python};
  json.at("base-images").get_to(levels.bases);
  return levels;
}

Json images_json(const std::map<std::string, FrozenImage>& images) {
  Json json = Json::object();
  for (const auto& [settings, image] : images) {
    json[settings] = {{"base", image.base},
                      {"base-id", image.base_id},
                      {"base-digests", image.base_digests},
                      {"key", image.key}};
    if (image.python.empty()) continue;
    json[settings]["python"] = image.python;
    json[settings]["implementation"] = image.implementation;
  }
  return json;
}

std::map<std::string, FrozenImage> read_images(const Json& json) {
  std::map<std::string, FrozenImage> images;
  for (const auto& [settings, image] : json.items()) {
    images[settings] = {image.at("base").get<std::string>(),
                        image.at("base-id").get<std::string>(),
                        image.at("base-digests").get<std::vector<std::string>>(),
                        image.at("key").get<std::string>(),
                        image.value("python", ""),
                        image.value("implementation", "")};
  }
  return images;
}

/// Rejects duplicates: steps are made from these names.
void check_each_once(const std::vector<std::string>& names, std::string_view what) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    throw std::out_of_range(fmt::format("{} {} is listed twice", what, quoted(name)));
  }
}

SourceChange read_change(const Json& json) {
  return {json.at("commit").get<std::string>(), json.at("source-date-epoch").get<int64_t>()};
}

Json change_json(const SourceChange& change) {
  return {{"commit", change.commit}, {"source-date-epoch", change.epoch}};
}

uint64_t read_build(const Json& json) {
  const std::optional<uint64_t> build = pep::parse_build_number(json.dump());
  if (!build) throw std::out_of_range(quoted(json.dump()) + " is not a build number");
  return *build;
}

FrozenPlan read(const Json& json) {
  FrozenPlan frozen;
  json.at("matrix-digest").get_to(frozen.matrix_digest);
  json.at("channel").get_to(frozen.channel);
  json.at("targets").get_to(frozen.targets);
  json.at("variants").get_to(frozen.variants);
  json.at("version").get_to(frozen.version.version);
  json.at("unreleased").get_to(frozen.version.unreleased);
  if (json.contains("build-number")) frozen.version.build = read_build(json.at("build-number"));
  json.at("source-date-epoch").get_to(frozen.source_date_epoch);
  json.at("commit").get_to(frozen.commit);
  frozen.wheel_change = read_change(json.at("wheel-source"));
  const Json family = json.value("family", Json::object());
  for (const auto& [name, change] : family.items()) {
    frozen.family_changes[name] = read_change(change);
  }
  json.at("source-digest").get_to(frozen.source_digest);
  json.at("machine").get_to(frozen.machine);
  frozen.levels = read_levels(json.at("levels"));
  frozen.images = read_images(json.at("images"));
  json.at("resolutions").get_to(frozen.resolutions);
  json.value("backend-answers", Json::object()).get_to(frozen.answers);
  frozen.patchelf = json.value("patchelf", "");
  frozen.matrix = json.value("matrix", "");
  frozen.tag = json.value("tag", "");
  frozen.repository = json.value("repository", "");
  if (json.contains("variables")) {
    frozen.variables = json.at("variables").get<std::map<std::string, std::string>>();
  }
  json.at("files").get_to(frozen.files);
  check_each_once(frozen.targets, "target");
  check_each_once(frozen.variants, "variant");
  // The digests become file names, so nothing else is allowed.
  for (const auto& [request, resolution] : frozen.resolutions) {
    if (!is_hex(request)) {
      throw std::out_of_range(quoted(request) + " is not the digest of a request");
    }
  }
  for (const auto& [question, requires_] : frozen.answers) {
    if (!is_hex(question)) {
      throw std::out_of_range(quoted(question) + " is not the digest of a question");
    }
  }
  return frozen;
}

Done check_utf8(std::string_view what, const std::string& text) {
  if (is_utf8(text)) return {};
  return fail(ErrorKind::config,
              fmt::format("{} {} cannot be in a frozen plan: it is not UTF-8", what, quoted(text)),
              "rename it");
}

}  // namespace

Done check_names(const FrozenPlan& frozen) {
  TRY_DONE(check_utf8("the matrix file", frozen.matrix));
  for (const auto& [compute, image] : frozen.levels.bases) {
    TRY_DONE(check_utf8("the base image", compute));
    TRY_DONE(check_utf8("the base image", image));
  }
  if (!frozen.variables) return {};
  for (const auto& [name, value] : *frozen.variables) {
    TRY_DONE(check_utf8(fmt::format("the value of {},", quoted(name)), value));
  }
  return {};
}

std::string to_json(const FrozenPlan& frozen) {
  Json json = {{"schema", kSchema},
               {"matrix-digest", frozen.matrix_digest},
               {"channel", frozen.channel},
               {"targets", frozen.targets},
               {"variants", frozen.variants},
               {"version", frozen.version.version},
               {"unreleased", frozen.version.unreleased},
               {"source-date-epoch", frozen.source_date_epoch},
               {"commit", frozen.commit},
               {"wheel-source", change_json(frozen.wheel_change)},
               {"source-digest", frozen.source_digest},
               {"machine", frozen.machine},
               {"levels", levels_json(frozen.levels)},
               {"images", images_json(frozen.images)},
               {"resolutions", frozen.resolutions},
               {"backend-answers", frozen.answers},
               {"patchelf", frozen.patchelf},
               {"files", frozen.files}};
  for (const auto& [name, change] : frozen.family_changes) {
    json["family"][name] = change_json(change);
  }
  if (frozen.version.build > 0) json["build-number"] = frozen.version.build;
  if (!frozen.matrix.empty()) json["matrix"] = frozen.matrix;
  if (!frozen.tag.empty()) json["tag"] = frozen.tag;
  if (!frozen.repository.empty()) json["repository"] = frozen.repository;
  if (frozen.variables) json["variables"] = *frozen.variables;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<FrozenPlan> parse_frozen_plan(std::string_view text, const std::string& file) {
  const std::string hint = "make it again: `pinwheel plan --out FILE`";
  if (json_levels(text) > limits::kJsonLevels) {
    return fail(ErrorKind::config,
                fmt::format("{} is not a frozen plan: it has more than {} levels", quoted(file),
                            limits::kJsonLevels),
                hint);
  }
  try {
    const Json json = parse_json(text);
    const std::string schema = json.at("schema").get<std::string>();
    if (schema != kSchema) {
      return fail(ErrorKind::config,
                  fmt::format("{} has schema {}; this pinwheel reads {}", quoted(file),
                              quoted(schema), quoted(kSchema)),
                  hint);
    }
    return read(json);
  } catch (const std::exception& error) {
    return fail(ErrorKind::config,
                fmt::format("{} is not a frozen plan: {}", quoted(file), error.what()), hint);
  }
}

Result<std::string> fingerprint(const FrozenPlan& frozen) {
  FrozenPlan lasting = frozen;
  // Another build number is another release of the same inputs.
  lasting.version = {.version = {}, .build = frozen.version.build};
  lasting.tag.clear();
  lasting.source_date_epoch = 0;
  lasting.wheel_change.epoch = 0;
  for (auto& [name, change] : lasting.family_changes) change.epoch = 0;
  lasting.machine.clear();
  lasting.files.clear();
  for (auto& [request, resolution] : lasting.resolutions) {
    TRY(const env::Resolution packages, env::parse_resolution(resolution));
    resolution = packages.digest();
  }
  return sha256_hex(to_json(lasting));
}

Done check_frozen(const FrozenPlan& frozen, const std::string& matrix_digest,
                  const std::string& source_digest) {
  if (!frozen.patchelf.empty() && frozen.patchelf != env::kPatchelfVersion) {
    return fail(ErrorKind::drift,
                fmt::format("the plan repairs wheels with patchelf {}, this pinwheel with {}",
                            frozen.patchelf, env::kPatchelfVersion),
                "use the pinwheel that froze the plan, or freeze a new one");
  }
  if (frozen.matrix_digest != matrix_digest) {
    return fail(ErrorKind::drift,
                "the matrix file differs from the one that the plan was frozen from",
                "check out the commit of the plan, or freeze a new one");
  }
  if (frozen.source_digest != source_digest) {
    return fail(
        ErrorKind::drift,
        fmt::format("the package source differs from commit {} that the plan was frozen from",
                    quoted(frozen.commit)),
        "check out that commit, with the submodules and Git LFS files that were there, or freeze a "
        "new plan");
  }
  return {};
}

Done check_image(const FrozenImage& frozen, const std::string& base_id, const std::string& key) {
  if (frozen.base_id != base_id) {
    return fail(ErrorKind::drift,
                fmt::format("the image {} is {} here; the plan was frozen with {}",
                            quoted(frozen.base), quoted(base_id), quoted(frozen.base_id)),
                "copy that image here (`docker save`, `docker load`), or freeze a new plan");
  }
  if (frozen.key != key) {
    return fail(ErrorKind::drift,
                fmt::format("the Dockerfile on {}, or its context, differs from the one that the "
                            "plan was frozen from",
                            quoted(frozen.base)),
                "check out the commit of the plan, or freeze a new one");
  }
  return {};
}

}  // namespace pinwheel::plan
