#include "plan/built_wheel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "matrix/axis_value.h"
#include "pep/cpython_tag.h"
#include "pep/name.h"
#include "pep/tag.h"
#include "pep/version.h"
#include "plan/device_code.h"
#include "project/limited_api.h"
#include "publish/release_record.h"

namespace pinwheel::plan {
namespace {

/// Newer than any Python in a tag.
constexpr int kNewestMinor = 60;

/// An interpreter: its minor release, and whether it is free-threaded.
using Interpreter = std::pair<int, bool>;

/// The minor release of "py310" or "cp310"; 0 for "py3"; nothing for another major release.
std::optional<int> minor_of(std::string_view python) {
  if (python == "py3") return 0;
  if (!python.starts_with("py3") && !python.starts_with("cp3")) return std::nullopt;
  int minor = 0;
  for (const char c : python.substr(3)) {
    if (!is_digit(c) || minor > kNewestMinor) return std::nullopt;
    minor = minor * 10 + (c - '0');
  }
  return minor;
}

void add_range(std::set<Interpreter>& pythons, int from, int to, bool free_threaded) {
  for (int minor = from; minor <= std::min(to, kNewestMinor); ++minor) {
    pythons.emplace(minor, free_threaded);
  }
}

/// The interpreters that install a wheel with this pair of tags.
std::set<Interpreter> pythons_of(const std::string& python, const std::string& abi) {
  std::set<Interpreter> pythons;
  const std::optional<int> minor = minor_of(python);
  if (!minor) return pythons;
  if (abi == "none") {
    const int last = python.starts_with("py") ? kNewestMinor : *minor;
    add_range(pythons, *minor, last, false);
    add_range(pythons, *minor, last, true);
  } else if (abi == "abi3") {
    add_range(pythons, *minor, kNewestMinor, false);
  } else if (const auto tag = pep::parse_cpython_tag(abi)) {
    pythons.emplace(tag->minor, tag->free_threaded);
  }
  return pythons;
}

std::set<Interpreter> pythons_of(const pep::TagSet& tags) {
  std::set<Interpreter> all;
  for (const std::string& python : tags.python) {
    for (const std::string& abi : tags.abi) all.merge(pythons_of(python, abi));
  }
  return all;
}

std::string python_part(const pep::TagSet& tags) {
  return join(tags.python, ".") + "-" + join(tags.abi, ".");
}

std::string python_part(const WheelTags& tags) {
  return tags.python + "-" + tags.abi;
}

/// How to make the wheel for every Python that the plan promises; `own` is the line for the wheel
/// that was built.
std::string no_abi_hint(project::Backend backend, PythonUse use, const std::string& own) {
  switch (use) {
    case PythonUse::some:
      return fmt::format("write {}: its libraries use symbols of CPython", own);
    case PythonUse::none:
      return fmt::format("{}; or write {}", project::no_abi_fix(backend), own);
    case PythonUse::unknown:
      break;
  }
  return fmt::format("write {}; if its libraries use no symbol of CPython, {} instead", own,
                     project::no_abi_fix(backend));
}

Error narrower_error(const BuildWheel& action, const pep::WheelName& built,
                     project::Backend backend, PythonUse use) {
  const std::string own = quoted(fmt::format("abi: {{python: {}}}", python_abi_of(built.tags)));
  std::string hint;
  if (action.tags.abi == "abi3") {
    const int minor = minor_of(action.tags.python).value_or(0);
    hint = fmt::format("{}; or write {}", project::limited_api_fix(backend, minor), own);
  } else if (action.tags.abi == "none") {
    hint = no_abi_hint(backend, use, own);
  } else {
    return {
        .kind = ErrorKind::unplanned_wheel,
        .message = fmt::format("the build made a wheel for {} in an environment of {}",
                               quoted(python_part(built.tags)), quoted(python_part(action.tags))),
        .hint = "make `build.command` use the Python of its environment"};
  }
  return {.kind = ErrorKind::unplanned_wheel,
          .message = fmt::format("the build made a wheel for {}, but `abi.python` promises {}",
                                 quoted(python_part(built.tags)), quoted(python_part(action.tags))),
          .hint = std::move(hint)};
}

/// The other builds whose wheels would have the same file name as this one.
std::vector<std::string> same_file(const BuildWheel& action, const pep::WheelName& built,
                                   TagFit fit) {
  const bool any = built.tags.platform == std::vector<std::string>{"any"};
  std::vector<std::string> same;
  for (const Sibling& sibling : action.siblings) {
    const bool python = fit == TagFit::wider || sibling.tags.python == action.tags.python;
    const bool abi = fit == TagFit::wider || sibling.tags.abi == action.tags.abi;
    const bool platform =
        sibling.tags.arch == action.tags.arch && sibling.tags.libc == action.tags.libc;
    if (python && abi && (any || platform)) {
      same.push_back(sibling.step);
    }
  }
  return same;
}

Error collision_error(const pep::WheelName& built, const std::vector<std::string>& same,
                      TagFit fit) {
  Error error{.kind = ErrorKind::unplanned_wheel,
              .message = fmt::format("the build made a wheel for {}; {} would write the same file",
                                     quoted(fmt::format("{}-{}", python_part(built.tags),
                                                        join(built.tags.platform, "."))),
                                     quoted_list(same))};
  error.hint =
      fit == TagFit::wider
          ? fmt::format("write {}: one build then serves them all",
                        quoted(fmt::format("abi: {{python: {}}}", python_abi_of(built.tags))))
          : "remove the axis `arch` or `libc`: the wheel does not depend on it";
  return error;
}

Done judge_name(const BuildWheel& action, const std::string& name) {
  if (action.package_name.empty()) return {};
  const std::string own = pep::normalize_name(name);
  const auto is_own = [&own](const std::string& planned) {
    return pep::normalize_name(planned) == own;
  };
  if (is_own(action.package_name)) return {};
  const bool planned =
      std::any_of(action.namings.begin(), action.namings.end(),
                  [&is_own](const wheel::Naming& naming) { return is_own(naming.distribution); });
  if (planned) return {};
  return fail(ErrorKind::unplanned_wheel,
              fmt::format("the project calls itself {}, but `package.name` is {}", quoted(name),
                          quoted(action.package_name)),
              fmt::format("write {}, or give the publish target a `name` of its own",
                          quoted(fmt::format("package: {{name: {}}}", name))));
}

Done judge_version(const BuildWheel& action, const pep::WheelName& built) {
  TRY(const pep::Version wanted, pep::parse_version(action.version));
  if (pep::public_part(built.version) == wanted) return {};
  return fail(ErrorKind::check,
              fmt::format("the backend built {}, but the requested version is {}",
                          quoted(pep::to_string(built)), quoted(action.version)),
              "make the backend read its version from `PINWHEEL_VERSION` or "
              "`SETUPTOOLS_SCM_PRETEND_VERSION`");
}

bool is_same_version(const pep::Version& version, const std::string& text) {
  const Result<pep::Version> wanted = pep::parse_version(text);
  return wanted && version == *wanted;
}

bool has_build_number(const pep::WheelName& wheel, uint64_t number) {
  return number == 0 ? !wheel.build : wheel.build == pep::BuildTag{number};
}

/// Whether a wheel has one of the names that its build gives. The project decides the parts that
/// the plan leaves open: its own name or version.
bool has_naming(const pep::WheelName& built, const BuildWheel& action,
                const wheel::Naming& naming) {
  if (!has_build_number(built, naming.build)) return false;
  const std::string& distribution =
      naming.distribution.empty() ? action.package_name : naming.distribution;
  const bool named = distribution.empty() ||
                     pep::normalize_name(distribution) == pep::normalize_name(built.distribution);
  if (!naming.version.empty()) return named && is_same_version(built.version, naming.version);
  return named && (action.version.empty() ||
                   is_same_version(pep::public_part(built.version), action.version));
}

bool has_label(const pep::WheelName& built, const wheel::Naming& naming) {
  return std::ranges::count(wheel::labels_of(naming), built.variant) > 0;
}

bool has_platform(const pep::WheelName& built, const BuildWheel& action) {
  return action.arch.empty() || std::ranges::all_of(built.tags.platform, [&](const auto& tag) {
           return tag == "any" || tag.ends_with("_" + action.arch);
         });
}

/// The name that a planned file has; nullopt if it is not one of the plan's.
std::optional<pep::WheelName> planned_wheel(const BuildWheel& action, const std::string& file) {
  const Result<pep::WheelName> built = pep::parse_wheel_name(file);
  if (!built || pep::to_string(*built) != file) return std::nullopt;
  const bool named = std::ranges::any_of(action.namings, [&](const wheel::Naming& naming) {
    return has_naming(*built, action, naming) && has_label(*built, naming);
  });
  const bool fits =
      tag_fit(built->tags, action.tags, action.environment.python) != TagFit::narrower;
  if (!named || !fits || !has_platform(*built, action) || !judge_platform(action, *built)) {
    return std::nullopt;
  }
  return *built;
}

/// Whether a file is a planned output, and the most bytes that it may have.
struct PlannedFile {
  const Action& action;
  const std::string& name;

  bool is_planned() const {
    if (const auto* const build = std::get_if<BuildWheel>(&action)) {
      return planned_wheel(*build, name).has_value();
    }
    if (const auto* const device = std::get_if<CompileDeviceCode>(&action)) {
      return name == device_code_name(device->build.class_id, device->architecture);
    }
    const auto* const sdist = std::get_if<BuildSdist>(&action);
    const Result<pep::SdistName> made = pep::parse_sdist_name(name);
    return sdist != nullptr && made && pep::to_string(*made) == name &&
           (sdist->distribution.empty() ||
            pep::normalize_name(sdist->distribution) == pep::normalize_name(made->distribution)) &&
           (sdist->version.empty() || is_same_version(made->version, sdist->version));
  }
  ByteLimit limit() const {
    if (std::holds_alternative<CompileDeviceCode>(action)) return kDeviceCodeLimit;
    return std::holds_alternative<BuildSdist>(action) ? limits::kSdist : limits::kWheel;
  }
};

size_t count_of_outputs(const Action& action) {
  if (const auto* const build = std::get_if<BuildWheel>(&action))
    return each_file(build->namings).size();
  const bool one = std::holds_alternative<BuildSdist>(action) ||
                   std::holds_alternative<CompileDeviceCode>(action);
  return one ? 1 : 0;
}

/// The records of a release, one for each project that its first publication has.
std::vector<std::string> unexpected_records(const Publish& action,
                                            const std::vector<NamedFile>& files) {
  std::set<std::string> projects;
  for (const auto& [build, naming] : action.names) {
    projects.insert(pep::normalize_name(naming.distribution));
  }
  std::vector<std::string> reasons;
  std::set<std::string> names;
  for (const NamedFile& file : files) {
    const bool planned = publish::is_release_record(file.name) &&
                         file.name.find('/') == file.name.npos &&
                         file.size <= limits::kReleaseRecord.most;
    if (planned && names.insert(file.name).second) continue;
    reasons.push_back(fmt::format("{} is not an output of the plan", quoted(file.name)));
  }
  if (files.size() != projects.size()) {
    reasons.push_back(fmt::format("it has {}", plural(files.size(), "file")));
  }
  return reasons;
}

}  // namespace

std::vector<std::string> unexpected_outputs(const Action& action,
                                            const std::vector<NamedFile>& files) {
  const auto* const publication = std::get_if<Publish>(&action);
  if (publication != nullptr && publication->role == PublishRole::first) {
    return unexpected_records(*publication, files);
  }
  std::vector<std::string> reasons;
  std::set<std::string> names;
  for (const NamedFile& file : files) {
    const PlannedFile planned{action, file.name};
    if (!planned.is_planned() || !names.insert(file.name).second) {
      reasons.push_back(fmt::format("{} is not an output of the plan", quoted(file.name)));
    }
    if (file.size > planned.limit().most) {
      reasons.push_back(fmt::format("{} should have {}, but {} has at most {}", quoted(file.name),
                                    format_bytes(file.size), planned.limit().of,
                                    format_bytes(planned.limit().most)));
    }
  }
  if (files.size() != count_of_outputs(action)) {
    reasons.push_back(fmt::format("it has {}", plural(files.size(), "file")));
  }
  return reasons;
}

TagFit tag_fit(const pep::TagSet& built, const WheelTags& planned, const std::string& oldest) {
  const std::set<Interpreter> have = pythons_of(built);
  std::set<Interpreter> promised = pythons_of(planned.python, planned.abi);
  const bool any = planned.abi == "none";
  if (any) {
    const std::vector<std::string> parts = split(oldest, '.');
    const int first = parts.size() < 2 ? 0 : minor_of("py3" + parts[1]).value_or(0);
    std::erase_if(promised, [first](const Interpreter& each) { return each.first < first; });
  }
  if (!std::includes(have.begin(), have.end(), promised.begin(), promised.end())) {
    return TagFit::narrower;
  }
  return any || have == promised ? TagFit::exact : TagFit::wider;
}

std::string python_abi_of(const pep::TagSet& tags) {
  const auto has = [&tags](std::string_view abi) {
    return std::find(tags.abi.begin(), tags.abi.end(), abi) != tags.abi.end();
  };
  if (has("none") && pythons_of(tags).size() > 2) return "none";
  if (!has("abi3")) return "version";
  int oldest = kNewestMinor;
  for (const std::string& python : tags.python) {
    oldest = std::min(oldest, minor_of(python).value_or(kNewestMinor));
  }
  return fmt::format("limited(3.{})", oldest);
}

Result<std::vector<std::string>> judge_built_wheel(const BuildWheel& action,
                                                   const pep::WheelName& built,
                                                   const std::string& metadata_name,
                                                   project::Backend backend, PythonUse use) {
  TRY_DONE(judge_name(action, metadata_name));
  TRY_DONE(judge_version(action, built));
  if (!built.variant.empty()) {
    return fail(ErrorKind::check,
                fmt::format("the build made the wheel variant {}", quoted(built.variant)),
                "make the backend build a wheel without a label; `publish.NAME.variants` adds it");
  }
  const TagFit fit = tag_fit(built.tags, action.tags, action.environment.python);
  if (fit == TagFit::narrower) return fail(narrower_error(action, built, backend, use));
  const std::vector<std::string> same = same_file(action, built, fit);
  if (!same.empty()) return fail(collision_error(built, same, fit));
  std::vector<std::string> warnings;
  if (fit == TagFit::wider) {
    warnings.push_back(fmt::format(
        "the wheel is for {}, more than the planned {}; {} makes one build serve them all",
        quoted(python_part(built.tags)), quoted(python_part(action.tags)),
        quoted(fmt::format("abi: {{python: {}}}", python_abi_of(built.tags)))));
  }
  return warnings;
}

Done judge_platform(const BuildWheel& action, const pep::WheelName& finished) {
  if (action.tags.libc.empty()) return {};
  const pep::Libc wanted = action.tags.libc == matrix::kMusl ? pep::Libc::musl : pep::Libc::glibc;
  for (const std::string& platform : finished.tags.platform) {
    const std::optional<pep::LinuxPolicy> policy = pep::parse_linux_policy(platform);
    if (!policy || policy->libc == wanted) continue;
    return fail(ErrorKind::unplanned_wheel,
                fmt::format("the build made a wheel for {}, but its variants are for {}",
                            quoted(platform), action.tags.libc),
                "build it with the compiler and the libraries of an image for " + action.tags.libc);
  }
  return {};
}

}  // namespace pinwheel::plan
