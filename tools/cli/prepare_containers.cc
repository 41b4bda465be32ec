#include "cli/prepare_containers.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "base/text.h"
#include "cli/levels.h"
#include "env/container_image.h"
#include "host/machine/contained_machine.h"
#include "host/machine/container_engine.h"
#include "host/machine/container_images.h"
#include "host/machine/local_machine.h"
#include "host/steps/image_checks.h"
#include "plan/environments.h"
#include "plan/image_tests.h"
#include "plan/step_id.h"

namespace pinwheel::cli {
namespace {

constexpr const char* kRepository = "pinwheel";
constexpr size_t kShortCommit = 7;

/// An image that a run needs, and the ids that it is called after.
struct Wanted {
  matrix::ContainerSettings settings;
  std::set<std::string> ids = {};
  std::string test_of = {};  ///< the image whose own Python tests run on
};

Wanted* want(std::map<std::string, Wanted>& wanted, const matrix::ContainerSettings& settings,
             const std::string& id) {
  if (settings.base.empty()) return nullptr;
  Wanted& one = wanted[env::digest(settings)];
  one.settings = settings;
  if (!id.empty()) one.ids.insert(id);
  return &one;
}

/// "test-debian-bullseye", with the Python where the image is given one.
std::string id_of(const plan::ImageTest& test) {
  std::string id = "test-" + plan::image_slug(test.image);
  if (test.python == matrix::TestPython::image) return id;
  return id + "-cp" + replace_all(test.environment.python, ".", "");
}

Done want_test_images(const Undertaking& what, std::map<std::string, Wanted>& wanted) {
  TRY(const std::vector<plan::ImageTest> tests,
      plan::image_tests(what.loaded.matrix, what.loaded.expansion, what.outline, what.options));
  for (const plan::ImageTest& test : tests) {
    Wanted* const image = want(wanted, test.environment.container, id_of(test));
    if (image != nullptr && test.python == matrix::TestPython::image) image->test_of = test.image;
  }
  return {};
}

Result<std::map<std::string, Wanted>> wanted_images(const Undertaking& what) {
  std::map<std::string, Wanted> wanted;
  const auto& [loaded, outline, options] = what;
  TRY(const std::vector<plan::BuildRequest> builds,
      plan::build_requests(loaded.matrix, loaded.expansion, outline, options));
  for (const auto& [build, request] : builds) want(wanted, request.container, build);
  TRY(const std::vector<env::Request> requests,
      plan::requests_of(loaded.matrix, loaded.expansion, outline, options));
  for (const env::Request& request : requests) want(wanted, request.container, {});
  return wanted;
}

/// An image outside git has no commit to be called after.
Result<std::vector<std::string>> tags_of(const Wanted& image, const Facts& facts) {
  std::vector<std::string> tags;
  if (image.settings.dockerfile.empty() || facts.plan.commit.empty()) return tags;
  for (const std::string& build : image.ids) {
    TRY(const std::string tag,
        env::image_tag(facts.branch, facts.plan.commit.substr(0, kShortCommit), build));
    tags.push_back(fmt::format("{}:{}", kRepository, tag));
  }
  return tags;
}

/// The engine of the levels, and what of it every container needs, in the workplace.
Result<host::ContainerEngine> enter_engine(host::LocalMachine& local, const LevelOptions& levels,
                                           host::Workplace& workplace) {
  TRY(host::ContainerEngine engine,
      host::find_engine(local.files, local.process, engine_of(levels), workplace.variables));
  workplace.containers.client = engine.client;
  workplace.containers.variables = engine.variables;
  workplace.containers.network = levels.network;
  if (levels.keep_failed) workplace.containers.after_failure = env::AfterEnd::keep;
  return engine;
}

void enter_image(const std::string& digest, const std::string& base,
                 const env::ContainerImage& image, host::Workplace& workplace, Facts& facts) {
  facts.plan.images[digest] = image.key;
  facts.images[digest] = {base, image};
  workplace.containers.images[digest] = image;
}

/// What the image's own Python is; remembered with the image once it was asked.
Done enter_python(const std::string& digest, const Wanted& image, const host::LocalMachine& local,
                  const host::Workplace& workplace, Facts& facts) {
  TRY(const std::unique_ptr<host::ContainedMachine> contained,
      host::contain(local.machine, workplace, image.settings, "look", workplace.stop));
  TRY(facts.plan.image_pythons[digest], host::image_python(contained->machine(), image.test_of));
  return {};
}

}  // namespace

Done prepare_containers(const Undertaking& what, const LevelOptions& levels, TestImages tests,
                        host::Workplace& workplace, Streams& streams, Facts& facts) {
  if (levels.engine == EngineChoice::host) return {};
  host::LocalMachine local(workplace);
  TRY(const host::ContainerEngine engine, enter_engine(local, levels, workplace));
  const host::ImageBench bench{local.machine, engine, workplace.matrix_directory,
                               workplace.state / "logs" / "images",
                               [&streams](std::string_view text) { streams.note(text); }};
  TRY(auto wanted, wanted_images(what));
  if (tests == TestImages::prepare) TRY_DONE(want_test_images(what, wanted));
  for (const auto& [digest, image] : wanted) {
    TRY(const std::vector<std::string> tags, tags_of(image, facts));
    const auto pinned = facts.pinned.find(digest);
    matrix::ContainerSettings settings = image.settings;
    // A name may have moved on since; a registry still has the image by its digest.
    if (pinned != facts.pinned.end() && !pinned->second.base_digests.empty()) {
      settings.base = pinned->second.base_digests.front();
    }
    TRY(const env::ContainerImage made, host::ensure_image(bench, settings, tags));
    enter_image(digest, image.settings.base, made, workplace, facts);
    if (!image.test_of.empty()) TRY_DONE(enter_python(digest, image, local, workplace, facts));
  }
  return {};
}

Done recall_containers(const Undertaking& what, const LevelOptions& levels,
                       host::Workplace& workplace, Facts& facts) {
  if (levels.engine == EngineChoice::host) return {};
  host::LocalMachine local(workplace);
  TRY(const host::ContainerEngine engine, enter_engine(local, levels, workplace));
  const host::ImageBench bench{local.machine, engine, workplace.matrix_directory, {}, {}};
  TRY(auto wanted, wanted_images(what));
  TRY_DONE(want_test_images(what, wanted));
  for (const auto& [digest, image] : wanted) {
    TRY(const std::optional<env::ContainerImage> found, host::find_image(bench, image.settings));
    if (!found) continue;
    enter_image(digest, image.settings.base, *found, workplace, facts);
    if (!image.test_of.empty()) TRY_DONE(enter_python(digest, image, local, workplace, facts));
  }
  return {};
}

}  // namespace pinwheel::cli
