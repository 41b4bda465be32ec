#include "prepare/prepare_containers.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "base/text.h"
#include "container/container_image.h"
#include "host/machine/contained_machine.h"
#include "host/machine/container_engine.h"
#include "host/machine/container_images.h"
#include "host/steps/image_checks.h"
#include "plan/environments.h"
#include "plan/image_tests.h"
#include "plan/step_id.h"
#include "prepare/host.h"

namespace pinwheel::prepare {
namespace {

constexpr const char* kRepository = "pinwheel";
constexpr size_t kShortCommit = 7;

/// An image that a run needs, with the ids for its tags.
struct Wanted {
  matrix::ContainerSettings settings;
  std::set<std::string> ids = {};
  std::string test_of = {};  ///< the image whose own Python runs tests
};

Wanted* want(std::map<std::string, Wanted>& wanted, const matrix::ContainerSettings& settings,
             const std::string& id) {
  if (settings.base.empty()) return nullptr;
  Wanted& one = wanted[container::digest(settings)];
  one.settings = settings;
  if (!id.empty()) one.ids.insert(id);
  return &one;
}

/// "test-debian-bullseye", with the Python if the Dockerfile provides one.
std::string id_of(const plan::ImageTest& test) {
  std::string id = "test-" + plan::image_slug(test.image);
  if (test.python == matrix::TestPython::image) return id;
  return id + "-cp" + replace_all(test.environment.python, ".", "");
}

Done want_test_images(const RunScope& scope, std::map<std::string, Wanted>& wanted) {
  TRY(const std::vector<plan::ImageTest> tests,
      plan::image_tests(scope.loaded.matrix, scope.loaded.expansion, scope.outline, scope.options));
  for (const plan::ImageTest& test : tests) {
    Wanted* const image = want(wanted, test.environment.container, id_of(test));
    if (image != nullptr && test.python == matrix::TestPython::image) image->test_of = test.image;
  }
  return {};
}

Result<std::map<std::string, Wanted>> needed_images(const RunScope& scope, TestImageUse tests) {
  std::map<std::string, Wanted> wanted;
  const auto& [matrix, expansion, classes, digest] = scope.loaded;
  TRY(const std::vector<plan::BuildRequest> builds,
      plan::build_requests(matrix, expansion, scope.outline, scope.options));
  for (const auto& [build, request] : builds) want(wanted, request.container, build);
  TRY(const std::vector<env::Request> requests,
      plan::requests_of(matrix, expansion, scope.outline, scope.options));
  for (const env::Request& request : requests) want(wanted, request.container, {});
  if (tests == TestImageUse::prepare) TRY_DONE(want_test_images(scope, wanted));
  std::erase_if(wanted, [&scope](const auto& image) {
    return scope.executed && !scope.executed->containers.contains(image.first);
  });
  return wanted;
}

/// The tags of an image. Outside git there is no commit for them.
Result<std::vector<std::string>> tags_of(const Wanted& image, const VersionFacts& version) {
  std::vector<std::string> tags;
  if (image.settings.dockerfile.empty() || version.commit.empty()) return tags;
  for (const std::string& build : image.ids) {
    TRY(const std::string tag,
        container::image_tag(version.branch, version.commit.substr(0, kShortCommit), build));
    tags.push_back(fmt::format("{}:{}", kRepository, tag));
  }
  return tags;
}

/// Builds or finds the images of a run, and collects their facts.
class ImageSite {
 public:
  ImageSite(const Host& host, const host::Workplace& around, host::ContainerEngine engine,
            const LevelOptions& levels)
      : local_(host.machine(around)), engine_(std::move(engine)), workplace_(around) {
    host::Containers& containers = workplace_.containers;
    containers.client = engine_.client;
    containers.variables = engine_.variables;
    containers.network = levels.network;
    if (levels.keep_failed) containers.after_failure = container::AfterEnd::keep;
  }

  const host::EnvMachine& machine() const { return *local_; }
  const host::ContainerEngine& engine() const { return engine_; }

  /// Adds an available image. If tests run on the image's own Python, probes it and stores the
  /// result with the image.
  Done enter(const std::string& digest, const Wanted& wanted,
             const container::ContainerImage& image) {
    prepared_.images[digest] = {wanted.settings.base, image};
    workplace_.containers.images[digest] = image;
    if (wanted.test_of.empty()) return {};
    TRY(const std::unique_ptr<host::ContainedMachine> contained,
        host::contain(machine(), workplace_, wanted.settings, "look", workplace_.stop));
    TRY(prepared_.pythons[digest], host::image_python(contained->machine(), wanted.test_of));
    return {};
  }

  PreparedContainers result() && {
    prepared_.containers = std::move(workplace_.containers);
    return std::move(prepared_);
  }

 private:
  OpenMachine local_;
  host::ContainerEngine engine_;
  host::Workplace workplace_;  ///< with the containers so far
  PreparedContainers prepared_ = {};
};

Result<host::ContainerEngine> answering_engine(const Host& host, const LevelOptions& levels,
                                               const host::Workplace& workplace) {
  const OpenMachine local = host.machine(workplace);
  return host::find_engine(local->files, local->process, levels.engine, local->variables);
}

/// A tag may have moved since it was pinned; a registry still has the image by its digest.
matrix::ContainerSettings settings_of(const Wanted& image, const std::string& digest,
                                      const PinnedImages& pinned) {
  matrix::ContainerSettings settings = image.settings;
  const auto known = pinned.find(digest);
  if (known != pinned.end() && !known->second.base_digests.empty()) {
    settings.base = known->second.base_digests.front();
  }
  return settings;
}

}  // namespace

Result<PreparedContainers> prepare_containers(const Host& host, const RunScope& scope,
                                              const host::Workplace& workplace,
                                              const PinnedImages& pinned, ports::Notices& notices) {
  if (!container::uses_containers(scope.levels.engine)) return PreparedContainers{};
  // A job that only publishes needs no engine.
  if (scope.executed && scope.executed->steps.empty()) return PreparedContainers{};
  TRY(host::ContainerEngine engine, answering_engine(host, scope.levels, workplace));
  ImageSite site(host, workplace, std::move(engine), scope.levels);
  const host::ImageBench bench{site.machine(), site.engine(), workplace.matrix_directory,
                               workplace.state / "logs" / "images",
                               [&notices](std::string_view text) { notices.note(text); }};
  TRY(const auto wanted, needed_images(scope, scope.images));
  for (const auto& [digest, image] : wanted) {
    TRY(const std::vector<std::string> tags, tags_of(image, scope.version));
    TRY(const container::ContainerImage made,
        host::ensure_image(bench, settings_of(image, digest, pinned), tags));
    TRY_DONE(site.enter(digest, image, made));
  }
  return std::move(site).result();
}

Result<PreparedContainers> recall_containers(const Host& host, const RunScope& scope,
                                             const host::Workplace& workplace) {
  if (!container::uses_containers(scope.levels.engine)) return PreparedContainers{};
  TRY(host::ContainerEngine engine, answering_engine(host, scope.levels, workplace));
  ImageSite site(host, workplace, std::move(engine), scope.levels);
  const host::ImageBench bench{site.machine(), site.engine(), workplace.matrix_directory, {}, {}};
  TRY(const auto wanted, needed_images(scope, TestImageUse::prepare));
  for (const auto& [digest, image] : wanted) {
    TRY(const std::optional<container::ContainerImage> found,
        host::find_image(bench, image.settings));
    if (found) TRY_DONE(site.enter(digest, image, *found));
  }
  return std::move(site).result();
}

}  // namespace pinwheel::prepare
