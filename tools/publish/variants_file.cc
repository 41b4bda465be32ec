#include "publish/variants_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "pep/name.h"

namespace pinwheel::publish {
namespace {

constexpr std::string_view kVariantsSuffix = "-variants.json";

tl::unexpected<Error> contradiction(const VariantWheel& wheel, std::string_view what,
                                    std::string_view stated, std::string_view others) {
  return fail(
      ErrorKind::check,
      fmt::format(
          "{} has {} that differ from those of the other variants of its version: {}, not {}",
          quoted(wheel.filename), what, quoted(stated), quoted(others)),
      "the variants of a version share one file on the index: make all of them with the "
      "same draft and the same build settings, or publish a new version");
}

std::string draft_of(const wheel::VariantMetadata& metadata) {
  return metadata.draft ? std::string(pep::to_string(*metadata.draft)) : metadata.schema;
}

/// One list must continue the other; the longer one holds.
Done add_namespaces(wheel::VariantMetadata& all, const VariantWheel& wheel) {
  const std::vector<std::string>& added = wheel.metadata.namespaces;
  const size_t common = std::min(all.namespaces.size(), added.size());
  if (!std::equal(added.begin(), added.begin() + static_cast<std::ptrdiff_t>(common),
                  all.namespaces.begin())) {
    return contradiction(wheel, "priorities", join(added, ", "), join(all.namespaces, ", "));
  }
  if (added.size() > all.namespaces.size()) all.namespaces = added;
  return {};
}

Done add_providers(wheel::VariantMetadata& all, const VariantWheel& wheel) {
  for (const auto& [name, provider] : wheel.metadata.providers) {
    const auto [known, added] = all.providers.emplace(name, provider);
    if (added || known->second == provider) continue;
    return fail(ErrorKind::check,
                fmt::format("{} has another provider of {} than the other variants of its version",
                            quoted(wheel.filename), quoted(name)),
                "make all variants of a version with the same providers");
  }
  return {};
}

std::string properties_text(const wheel::VariantProperties& properties) {
  return properties.empty() ? "no properties" : join(wheel::property_lines(properties), ", ");
}

pep::BuildTag build_of(const VariantWheel& wheel) {
  return wheel.name.build.value_or(pep::BuildTag{});
}

}  // namespace

std::string variants_file_name(const pep::WheelName& wheel) {
  return fmt::format("{}-{}{}", pep::escape_name(wheel.distribution), pep::to_string(wheel.version),
                     kVariantsSuffix);
}

bool is_variants_file(std::string_view filename) {
  return filename.ends_with(kVariantsSuffix);
}

Done add_variant(wheel::VariantMetadata& all, const VariantWheel& wheel,
                 const std::optional<pep::BuildTag>& listed) {
  const std::string& label = wheel.name.variant;
  const auto stated = wheel.metadata.variants.find(label);
  if (stated == wheel.metadata.variants.end() || wheel.metadata.variants.size() != 1) {
    return fail(ErrorKind::check,
                fmt::format("`variant.json` of {} does not describe exactly the variant {}",
                            quoted(wheel.filename), quoted(label)),
                "make it again with `pinwheel finish --variant`");
  }
  if (listed && build_of(wheel) < *listed) return {};
  if (all.variants.empty()) {
    all = wheel.metadata;
    return {};
  }
  if (all.draft != wheel.metadata.draft || (!all.draft && all.schema != wheel.metadata.schema)) {
    return contradiction(wheel, "rules", draft_of(wheel.metadata), draft_of(all));
  }
  TRY_DONE(add_namespaces(all, wheel));
  TRY_DONE(add_providers(all, wheel));
  const auto [known, added] = all.variants.emplace(label, stated->second);
  if (added || known->second == stated->second) return {};
  if (!listed || *listed < build_of(wheel)) {
    known->second = stated->second;
    return {};
  }
  return contradiction(wheel, fmt::format("properties for {}", quoted(label)),
                       properties_text(stated->second), properties_text(known->second));
}

Done check_distinct(const wheel::VariantMetadata& all) {
  std::map<std::vector<std::string>, std::string> labels;
  for (const auto& [label, properties] : all.variants) {
    const auto [known, added] = labels.emplace(wheel::property_lines(properties), label);
    if (added) continue;
    return fail(
        ErrorKind::check,
        fmt::format("the wheel variants {} and {} have the same properties: {}",
                    quoted(known->second), quoted(label), quoted(properties_text(properties))),
        "installers cannot tell them apart: build them for other drivers or "
        "architectures, or publish one of them");
  }
  return {};
}

Result<std::map<std::string, VersionVariants>> variants_of(std::vector<VariantWheel> wheels) {
  std::stable_sort(wheels.begin(), wheels.end(), [](const auto& left, const auto& right) {
    return build_of(right) < build_of(left);
  });
  std::map<std::string, VersionVariants> projects;
  std::map<std::string, pep::BuildTag> newest;
  for (const VariantWheel& wheel : wheels) {
    const std::string project = pep::normalize_name(wheel.name.distribution);
    const std::string version = pep::to_string(wheel.name.version);
    const std::string key = fmt::format("{} {} {}", project, version, wheel.name.variant);
    const auto [listed, first] = newest.emplace(key, build_of(wheel));
    TRY_DONE(add_variant(projects[project][version], wheel,
                         first ? std::nullopt : std::optional(listed->second)));
  }
  for (const auto& [project, versions] : projects) {
    for (const auto& [version, all] : versions) TRY_DONE(check_distinct(all));
  }
  return projects;
}

}  // namespace pinwheel::publish
