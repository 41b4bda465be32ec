#include "publish/preflight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "pep/wheel_name.h"
#include "publish/variants_file.h"

namespace pinwheel::publish {
namespace {

constexpr size_t kMaxSummary = 512;
constexpr size_t kMaxLabel = 32;
constexpr std::array<std::string_view, 8> kMetadataVersions = {"1.0", "1.1", "1.2", "2.1",
                                                               "2.2", "2.3", "2.4", "2.5"};

size_t characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

/// Collects the findings of one file.
class FormChecker {
 public:
  explicit FormChecker(const Artifact& file) : file_(file) {}

  std::vector<Error> run() {
    for (const ports::FormField& field : file_.fields) check(field);
    if (has("license") && has("license_expression")) {
      add("has both License and License-Expression", "keep License-Expression");
    }
    return std::move(findings_);
  }

 private:
  void add(std::string_view what, std::string hint = {}) {
    findings_.push_back(Error{ErrorKind::check,
                              fmt::format("{} {}", quoted(file_.filename), what),
                              std::nullopt,
                              std::move(hint),
                              {}});
  }

  bool has(std::string_view name) const {
    return std::any_of(file_.fields.begin(), file_.fields.end(),
                       [name](const ports::FormField& field) { return field.name == name; });
  }

  void check(const ports::FormField& field) {
    if (field.name == "metadata_version") check_version(field.value);
    if (field.name == "summary") check_summary(field.value);
    if (field.name == "requires_dist") check_requirement(field.value);
    if (field.name == "project_urls") check_url(field.value);
    if (field.name == "requires_python" && !pep::parse_specifiers(field.value)) {
      add(fmt::format("has a malformed Requires-Python {}", quoted(field.value)),
          "write it like `>=3.10`");
    }
  }

  void check_version(const std::string& version) {
    const bool known = std::find(kMetadataVersions.begin(), kMetadataVersions.end(), version) !=
                       kMetadataVersions.end();
    if (known) return;
    add(fmt::format("has Metadata-Version {}, which PyPI does not support", quoted(version)),
        "build it with a backend that writes 2.1 to 2.5");
  }

  void check_summary(const std::string& summary) {
    if (summary.find('\n') != std::string::npos) add("has a multi-line Summary");
    if (characters(summary) > kMaxSummary) {
      add(fmt::format("has a Summary of more than {} characters", kMaxSummary));
    }
  }

  void check_requirement(const std::string& text) {
    const Result<pep::Requirement> requirement = pep::parse_requirement(text);
    if (!requirement) {
      add(fmt::format("has a malformed Requires-Dist {}", quoted(text)));
    } else if (!requirement->url.empty()) {
      add(fmt::format("requires {} from a URL, which PyPI rejects", quoted(requirement->name)),
          "require a version instead");
    }
  }

  void check_url(const std::string& text) {
    const std::string label = text.substr(0, text.find(','));
    if (characters(label) <= kMaxLabel) return;
    add(fmt::format("has a Project-URL whose label {} has more than {} characters", quoted(label),
                    kMaxLabel));
  }

  const Artifact& file_;
  std::vector<Error> findings_;
};

}  // namespace

std::vector<Error> form_findings(const Artifact& file) {
  return FormChecker(file).run();
}

namespace {

/// A parsed file name, wheel or sdist.
struct Named {
  std::string distribution;
  pep::Version version;
  std::vector<std::string> platforms = {};  ///< empty for an sdist
  std::string variant = {};                 ///< the label of a wheel variant
};

Result<Named> read_name(const Artifact& file) {
  if (file.kind == FileKind::sdist) {
    TRY(const pep::SdistName name, pep::parse_sdist_name(file.filename));
    return Named{name.distribution, name.version, {}};
  }
  TRY(const pep::WheelName name, pep::parse_wheel_name(file.filename));
  return Named{name.distribution, name.version, name.tags.platform, name.variant};
}

Error finding(std::string message, std::string hint = {}) {
  return Error{ErrorKind::check, std::move(message), std::nullopt, std::move(hint), {}};
}

/// Compares the file name with METADATA.
void check_name(const Artifact& file, const Named& named, std::vector<Error>& out) {
  if (pep::normalize_name(named.distribution) != pep::normalize_name(file.name)) {
    out.push_back(finding(
        fmt::format("{} has the name {} in its metadata", quoted(file.filename), quoted(file.name)),
        "build the file again; do not rename files"));
  }
  const Result<pep::Version> version = pep::parse_version(file.version);
  if (!version || *version != named.version) {
    out.push_back(finding(fmt::format("{} has version {} in its metadata", quoted(file.filename),
                                      quoted(file.version)),
                          "build the file again; do not rename files"));
  }
}

std::optional<uint64_t> size_limit(const PreflightRules& rules) {
  constexpr uint64_t kPypiLimit = 100ULL << 20U;
  // Its load balancer accepts no larger request, whatever limit the project has.
  constexpr uint64_t kPypiLargest = 1ULL << 30U;
  if (!has_pypi_rules(rules.kind)) return rules.size_limit;
  return std::min(rules.size_limit.value_or(kPypiLimit), kPypiLargest);
}

void check_size(const Artifact& file, const PreflightRules& rules, std::vector<Error>& out) {
  const std::optional<uint64_t> limit = size_limit(rules);
  if (!limit || file.size <= *limit) return;
  out.push_back(finding(
      fmt::format("{} has {} bytes, more than the limit of {}", quoted(file.filename), file.size,
                  *limit),
      "make it smaller (fewer architectures), or have the index raise its limit and then raise the "
      "target's `size-limit` or --size-limit"));
}

void check_pypi(const Artifact& file, const Named& named, std::vector<Error>& out) {
  if (!named.version.local.empty()) {
    out.push_back(finding(
        fmt::format("{} has a local version, which PyPI does not accept", quoted(file.filename)),
        "configure names without a label for this target (`label: none`, `others: name-suffix`)"));
  }
  // PyPI accepts a wheel with another spelling and only notifies its owner (PEP 427); it rejects an
  // sdist.
  if (file.kind == FileKind::sdist && named.distribution != pep::escape_name(named.distribution)) {
    out.push_back(
        finding(fmt::format("{} does not start with the normalized project name {}",
                            quoted(file.filename), quoted(pep::escape_name(named.distribution)))));
  }
  if (!named.variant.empty()) {
    out.push_back(finding(
        fmt::format("{} is a wheel variant, which PyPI does not accept", quoted(file.filename)),
        "publish variants to an index in a directory or a bucket"));
  }
  for (const std::string& platform : named.platforms) {
    if (is_pypi_platform(platform)) continue;
    out.push_back(finding(fmt::format("{} has the platform tag {}, which PyPI does not accept",
                                      quoted(file.filename), quoted(platform)),
                          "finish the wheel with a manylinux or musllinux tag"));
  }
  const std::vector<Error> in_form = form_findings(file);
  out.insert(out.end(), in_form.begin(), in_form.end());
  out.insert(out.end(), file.archive_findings.begin(), file.archive_findings.end());
}

/// Formats differing values: "`1.0` (`a.whl`), `2.0` (`b.whl`)".
std::string groups_of(const std::map<std::string, std::string>& groups) {
  std::vector<std::string> parts;
  parts.reserve(groups.size());
  for (const auto& [value, filename] : groups) {
    parts.push_back(fmt::format("{} ({})", quoted(value), quoted(filename)));
  }
  return join(parts, ", ");
}

/// The files of one project, which form one release.
struct Project {
  std::map<std::string, std::string> versions;  ///< public version -> a file with it
  std::vector<std::string> sdists;
  size_t wheels = 0;
};

void check_project(const std::string& name, const Project& project, std::vector<Error>& out) {
  if (project.versions.size() > 1) {
    out.push_back(finding(fmt::format("one release of {} has one version, not {}", quoted(name),
                                      groups_of(project.versions)),
                          "remove the files of older versions from the list"));
  }
  if (project.sdists.size() > 1) {
    out.push_back(finding(fmt::format("one release of {} has one sdist, not {}", quoted(name),
                                      quoted_list(project.sdists))));
  }
  if (project.wheels == 0) {
    out.push_back(finding(fmt::format("there is no wheel of {} to publish", quoted(name)),
                          "installers would build from the sdist: build the wheels first"));
  }
}

/// The variants of a version share one file on the index.
void check_variants(const std::vector<Artifact>& files, std::vector<Error>& out) {
  std::vector<VariantWheel> wheels;
  for (const Artifact& file : files) {
    const auto name = pep::parse_wheel_name(file.filename);
    if (name && file.variant) wheels.push_back({file.filename, *name, *file.variant});
  }
  const auto variants = variants_of(std::move(wheels));
  if (!variants) out.push_back(variants.error());
}

void check_set(const std::vector<Artifact>& files, std::vector<Error>& out) {
  std::map<std::string, Project> projects;
  std::set<std::string> filenames;
  for (const Artifact& file : files) {
    Project& project = projects[pep::normalize_name(file.name)];
    const Result<pep::Version> version = pep::parse_version(file.version);
    project.versions.emplace(version ? pep::to_string(pep::public_part(*version)) : file.version,
                             file.filename);
    if (file.kind == FileKind::sdist) project.sdists.push_back(file.filename);
    if (file.kind == FileKind::wheel) ++project.wheels;
    if (!filenames.insert(file.filename).second) {
      out.push_back(finding(fmt::format("{} is given twice", quoted(file.filename))));
    }
  }
  for (const auto& [name, project] : projects) check_project(name, project, out);
  check_variants(files, out);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

using Names = std::set<std::string, std::less<>>;

/// Splits "11_0_arm64" into "11", "0" and "arm64": numbers, then the rest. Empty unless there are
/// as many numbers and the rest is one of `archs`.
std::vector<std::string> numbered(std::string_view text, size_t numbers, const Names& archs) {
  std::vector<std::string> out;
  while (out.size() < numbers) {
    const size_t end = text.find('_');
    if (end == std::string_view::npos || !is_number(text.substr(0, end))) return {};
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return archs.contains(text) ? out : std::vector<std::string>{};
}

bool is_macos(std::string_view version) {
  static const Names kArchs = {"ppc", "ppc64", "i386",  "x86_64",    "arm64",     "intel",
                               "fat", "fat3",  "fat64", "universal", "universal2"};
  static const Names kMajors = {"11", "12", "13", "14", "15", "26"};
  const std::vector<std::string> parts = numbered(version, 2, kArchs);
  if (parts.empty()) return false;
  return parts[0] == "10" || (kMajors.contains(parts[0]) && parts[1] == "0");
}

bool is_linux(std::string_view version, pep::Libc libc) {
  static const Names kArchs = {"x86_64",  "i686",  "aarch64", "armv7l",
                               "ppc64le", "s390x", "riscv64"};
  static const Names kBig = {"ppc64"};  // manylinux only
  return !numbered(version, 2, kArchs).empty() ||
         (libc == pep::Libc::glibc && !numbered(version, 2, kBig).empty());
}

/// Mobile systems and browsers.
bool is_small_system(std::string_view platform) {
  static const Names kIos = {"arm64_iphoneos", "arm64_iphonesimulator", "x86_64_iphoneos",
                             "x86_64_iphonesimulator"};
  static const Names kAndroid = {"armeabi_v7a", "arm64_v8a", "x86", "x86_64"};
  static const Names kBrowser = {"wasm32"};
  struct System {
    std::string_view prefix;
    size_t numbers;
    const Names& archs;
  };
  const std::array<System, 3> systems = {
      {{"ios_", 2, kIos}, {"android_", 1, kAndroid}, {"pyemscripten_", 2, kBrowser}}};
  return std::any_of(systems.begin(), systems.end(), [&](const System& system) {
    return platform.starts_with(system.prefix) &&
           !numbered(platform.substr(system.prefix.size()), system.numbers, system.archs).empty();
  });
}

}  // namespace

bool is_pypi_platform(std::string_view platform) {
  // The old manylinux names are a fixed list, unlike the names with glibc's numbers.
  static const Names kExact = {"any",
                               "win32",
                               "win_arm64",
                               "win_amd64",
                               "win_ia64",
                               "linux_armv6l",
                               "linux_armv7l",
                               "manylinux1_x86_64",
                               "manylinux1_i686",
                               "manylinux2010_x86_64",
                               "manylinux2010_i686",
                               "manylinux2014_x86_64",
                               "manylinux2014_i686",
                               "manylinux2014_aarch64",
                               "manylinux2014_armv7l",
                               "manylinux2014_ppc64",
                               "manylinux2014_ppc64le",
                               "manylinux2014_s390x"};
  if (kExact.contains(platform) || is_small_system(platform)) return true;
  constexpr std::string_view kMac = "macosx_";
  constexpr std::string_view kMany = "manylinux_";
  constexpr std::string_view kMusl = "musllinux_";
  if (platform.starts_with(kMac)) return is_macos(platform.substr(kMac.size()));
  if (platform.starts_with(kMany)) {
    return is_linux(platform.substr(kMany.size()), pep::Libc::glibc);
  }
  return platform.starts_with(kMusl) && is_linux(platform.substr(kMusl.size()), pep::Libc::musl);
}

std::vector<Error> preflight(const std::vector<Artifact>& files, const PreflightRules& rules) {
  if (files.empty()) return {finding("there is no file to publish")};
  std::vector<Error> out;
  for (const Artifact& file : files) {
    const Result<Named> named = read_name(file);
    if (!named) {
      out.push_back(
          finding(fmt::format("{} is not a wheel or sdist file name", quoted(file.filename)))
              .with_cause(named.error()));
      continue;
    }
    check_name(file, *named, out);
    check_size(file, rules, out);
    out.insert(out.end(), file.content_findings.begin(), file.content_findings.end());
    if (has_pypi_rules(rules.kind)) check_pypi(file, *named, out);
  }
  check_set(files, out);
  return out;
}

}  // namespace pinwheel::publish
