#include "host/machine/container_images.h"

#include <fmt/format.h>

#include <optional>

#include "base/digest.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "container/container_image.h"
#include "host/machine/machine_name.h"
#include "host/system/digest_file.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kPullLimit(30);
constexpr std::chrono::hours kBuildLimit(3);
constexpr size_t kShownLines = 8;

std::string end_of(std::string_view text) {
  return join(last_lines(text, kShownLines), "\n");
}

Error interrupted(const std::string& what) {
  return {ErrorKind::interrupted, what + " was interrupted"};
}

Result<std::optional<container::ContainerImage>> inspect(const ImageBench& bench,
                                                         const std::string& name) {
  TRY(const ports::Captured ran, bench.machine.process.capture(container::inspect_image(
                                     bench.engine.client, name, bench.engine.variables)));
  if (ran.exit.canceled) return fail(interrupted("the search for an image"));
  if (!ran.exit.ok()) return std::nullopt;
  TRY(container::ContainerImage image, container::parse_image(ran.out));
  return image;
}

/// Whether the image is for the requested machine; imported images are assumed to match.
bool fits(const container::ContainerImage& image, const std::string& arch) {
  return arch.empty() || image.digests.empty() ||
         image.architecture == container::image_architecture(arch);
}

/// The base image, pulled if it is missing or for a different architecture.
Result<container::ContainerImage> base_image(const ImageBench& bench,
                                             const matrix::ContainerSettings& settings) {
  const std::string& name = settings.base;
  TRY(const std::optional<container::ContainerImage> here, inspect(bench, name));
  if (here && fits(*here, settings.arch)) return *here;
  bench.note(fmt::format("pulling {}\n", name));
  ports::Command pull =
      container::pull_image(bench.engine.client, name, settings.arch, bench.engine.variables);
  pull.timeout = kPullLimit;
  TRY(const ports::Captured pulled, bench.machine.process.capture(pull));
  if (pulled.exit.canceled) return fail(interrupted("pulling " + pinwheel::quoted(name)));
  TRY(const std::optional<container::ContainerImage> now, inspect(bench, name));
  if (pulled.exit.ok() && now) return *now;
  return fail(ErrorKind::environment,
              fmt::format("the image {} is not available locally and cannot be pulled: {}",
                          pinwheel::quoted(name), end_of(pulled.err)),
              "check its name, or choose another with `--base-image`");
}

/// A digest of all files of the context, by relative path.
Result<std::string> digest_context(const fs::path& directory) {
  std::map<std::string, std::string> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    TRY(const FileDigest digest, digest_file(at->path()));
    files[at->path().lexically_relative(directory).string()] = digest.sha256;
  }
  if (failed) {
    return fail(ErrorKind::environment,
                fmt::format("{} cannot be read: {}", pinwheel::quoted(directory.string()),
                            failed.message()));
  }
  std::string all;
  for (const auto& [path, sha256] : files) all += sha256 + " " + path + "\n";
  return sha256_hex(all);
}

/// The image labeled with a content key.
Result<std::optional<container::ContainerImage>> image_with_key(const ImageBench& bench,
                                                                const std::string& key) {
  TRY(const ports::Captured ran, bench.machine.process.capture(container::find_image(
                                     bench.engine.client, key, bench.engine.variables)));
  const std::vector<std::string> ids = split(trim(ran.out), '\n');
  if (!ran.exit.ok() || ids.empty() || ids[0].empty()) return std::nullopt;
  return inspect(bench, ids[0]);
}

Done tag(const ImageBench& bench, const std::string& id, const std::vector<std::string>& tags) {
  for (const std::string& name : tags) {
    TRY(const ports::Captured ran,
        bench.machine.process.capture(
            {{bench.engine.client, "tag", id, name}, "/", bench.engine.variables, {}}));
    if (ran.exit.ok()) continue;
    return fail(ErrorKind::environment, fmt::format("the image cannot be tagged {}: {}",
                                                    pinwheel::quoted(name), trim(ran.err)));
  }
  return {};
}

Done build(const ImageBench& bench, const container::ImageBuild& what) {
  if (bench.engine.buildkit == BuildKit::missing) {
    return fail(ErrorKind::environment,
                fmt::format("{} {} cannot build images: its buildx plugin is missing",
                            pinwheel::quoted(bench.engine.client), bench.engine.version),
                "install `docker-buildx-plugin`, or put a client older than 23 first on PATH");
  }
  const fs::path log = bench.logs / fmt::format("image-{}.log", what.key.substr(0, 12));
  TRY_DONE(bench.machine.files.make_directories(bench.logs));
  bench.note(fmt::format("building an image from {} on {}\n", what.dockerfile, what.request.base));
  ports::Command command = container::build_image(what, bench.engine.variables);
  command.timeout = kBuildLimit;
  TRY(const ports::Exit exit, bench.machine.process.log(command, log));
  if (exit.ok()) return {};
  if (exit.canceled) return fail(interrupted("building an image"));
  const Result<std::string> text = bench.machine.files.read(log, limits::kJournal);
  return fail(ErrorKind::step,
              fmt::format("{} cannot be built on {}:\n{}", pinwheel::quoted(what.dockerfile),
                          quoted(what.request.base), text ? end_of(*text) : std::string()),
              fmt::format("the full log is in {}", pinwheel::quoted(log.string())));
}

void stand_on(const container::ContainerImage& base, container::ContainerImage& image) {
  image.base_id = base.id;
  image.base_digests = base.digests;
}

}  // namespace

Result<std::optional<container::ContainerImage>> find_image(
    const ImageBench& bench, const matrix::ContainerSettings& settings) {
  TRY(const std::optional<container::ContainerImage> base, inspect(bench, settings.base));
  if (!base || !fits(*base, settings.arch)) return std::nullopt;
  if (settings.dockerfile.empty()) return base;
  const fs::path dockerfile = (bench.matrix_directory / settings.dockerfile).lexically_normal();
  TRY(const ports::FileStatus status, bench.machine.files.status(dockerfile));
  if (status.type == ports::FileType::missing) return std::nullopt;
  TRY(const std::string context, digest_context(dockerfile.parent_path()));
  TRY(std::optional<container::ContainerImage> image,
      image_with_key(bench, container::image_key(settings, context, base->id)));
  if (image) stand_on(*base, *image);
  return image;
}

Result<container::ContainerImage> ensure_image(const ImageBench& bench,
                                               const matrix::ContainerSettings& settings,
                                               const std::vector<std::string>& tags) {
  TRY(const container::ContainerImage base, base_image(bench, settings));
  if (settings.dockerfile.empty()) return base;
  const fs::path dockerfile = (bench.matrix_directory / settings.dockerfile).lexically_normal();
  TRY(const ports::FileStatus status, bench.machine.files.status(dockerfile));
  if (status.type == ports::FileType::missing) {
    return fail(ErrorKind::config,
                fmt::format("there is no Dockerfile {}", pinwheel::quoted(dockerfile.string())),
                "`environment.container.dockerfile` is relative to the matrix file");
  }
  TRY(const std::string context, digest_context(dockerfile.parent_path()));
  const std::string key = container::image_key(settings, context, base.id);
  TRY(std::optional<container::ContainerImage> image, image_with_key(bench, key));
  if (!image) {
    // BuildKit identifies bases by name only; this name can only refer to the inspected base.
    const std::string name = fmt::format("pinwheel-base:{}", base.id.substr(7, 12));
    TRY_DONE(tag(bench, base.id, {name}));
    TRY_DONE(build(bench, {bench.engine.client, dockerfile.string(),
                           dockerfile.parent_path().string(), settings, name, key, tags,
                           container::foreign_platform(base.architecture, machine_name())}));
    TRY(image, image_with_key(bench, key));
  }
  if (!image) {
    return fail(ErrorKind::internal, "a built image has no key");
  }
  TRY_DONE(tag(bench, image->id, tags));
  stand_on(base, *image);
  return *image;
}

}  // namespace pinwheel::host
