#include "init/other_builds.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "init/torch_choice.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kMuslImage = "musllinux-x86_64-image";
constexpr std::string_view kUsualImage = "musllinux_1_2";

bool names_musl(const std::string& glob) {
  return glob.find("musllinux") != std::string::npos;
}

/// The options that name musl, "`build` (pyproject.toml)".
Texts options_for_musl(const ProjectFacts& facts) {
  Texts names;
  for (const auto& [name, value] : facts.cibuildwheel.options) {
    const bool named =
        name == "build" &&
        std::ranges::any_of(project::words_of_option(facts.cibuildwheel, name), names_musl);
    if (named || name.starts_with("musllinux-")) {
      names.push_back(fmt::format("{} ({})", quoted(name), value.file));
    }
  }
  return names;
}

bool skips_musl(const ProjectFacts& facts, const Texts& pythons) {
  const Texts globs = project::words_of_option(facts.cibuildwheel, "skip");
  return std::ranges::all_of(pythons, [&](const std::string& python) {
    const std::string id = "cp" + replace_all(python, ".", "") + "-musllinux_x86_64";
    return std::ranges::any_of(globs, [&](const auto& glob) { return glob_match(glob, id); });
  });
}

/// The full name of the image; cibuildwheel's short one is that of PyPA.
std::string musl_image(const ProjectFacts& facts) {
  std::string image(kUsualImage);
  const auto found = facts.cibuildwheel.options.find(std::string(kMuslImage));
  if (found != facts.cibuildwheel.options.end() && !found->second.items.empty()) {
    image = found->second.items[0];
  }
  return image.find('/') == std::string::npos ? fmt::format("quay.io/pypa/{}_x86_64", image)
                                              : image;
}

bool is_threaded(const std::string& python) {
  return python.ends_with('t');
}

}  // namespace

std::vector<LeftOut> musl_builds(const ProjectFacts& facts, const Texts& pythons) {
  const Texts options = options_for_musl(facts);
  if (options.empty() || skips_musl(facts, pythons)) return {};
  const std::string what = "wheels for musl, by cibuildwheel's " + join(options, ", ");
  if (!choose_torch(facts).needed_because.empty()) return {{what, "torch has no builds for musl"}};
  return {{what, fmt::format("built only in containers, by `--engine docker` or `podman`; these "
                             "lines make them, too:\n"
                             "axes:\n"
                             "  libc: [glibc, musl]\n"
                             "overrides:\n"
                             "  - when: {{libc: musl}}\n"
                             "    environment: {{container: {{base: {}}}}}",
                             musl_image(facts))}};
}

std::vector<LeftOut> threaded_builds(const ProjectFacts& facts, const Texts& named,
                                     const Texts& pythons) {
  Texts missing;
  for (const std::string& python : named) {
    if (is_threaded(python) && std::ranges::find(pythons, python) == pythons.end()) {
      missing.push_back(python);
    }
  }
  if (!missing.empty()) {
    return {{"free-threaded Pythons that the project names: " + quoted_list(missing),
             "they have no limited API, and not every torch; if the project builds for them, write "
             "them into `axes.python`, and `python: limited(X.Y) else version` into `abi`"}};
  }
  const Texts enabled = project::words_of_option(facts.cibuildwheel, "enable");
  const bool wanted = std::ranges::find(enabled, "cpython-freethreading") != enabled.end();
  if (!wanted || std::ranges::any_of(pythons, is_threaded)) return {};
  return {
      {fmt::format("cibuildwheel's `enable` ({})", facts.cibuildwheel.options.at("enable").file),
       "free-threaded Pythons are values of `axes.python`, `3.13t` and `3.14t`, with "
       "`environment: {python: auto}`"}};
}

std::vector<MatrixLine> threaded_lines(const Texts& pythons) {
  const auto found = std::ranges::find_if(pythons, is_threaded);
  if (found == pythons.end()) return {};
  return {{"environment.python", "auto",
           fmt::format("few machines have {}: a run fetches it", *found)}};
}

}  // namespace pinwheel::init
