#include "plan/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "base/text_index.h"
#include "matrix/axis_value.h"
#include "matrix/compute_name.h"
#include "matrix/condition.h"
#include "matrix/expand.h"
#include "matrix/family.h"
#include "matrix/template.h"
#include "matrix/variant.h"
#include "pep/name.h"
#include "pep/version.h"
#include "pep/wheel_name.h"
#include "pep/wheel_variant.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

std::string without_dots(const std::string& text) {
  return replace_all(text, ".", "");
}

/// "cu130", or "cu13" if the binary depends only on the major version; empty if it does not depend
/// on the compute.
std::string label_of_compute(const matrix::Matrix& matrix, const matrix::Variant& variant) {
  const matrix::ComputeAbi abi = matrix::abi_of(matrix, variant).compute;
  if (abi == matrix::ComputeAbi::none) return {};
  const size_t components = abi == matrix::ComputeAbi::major ? 1 : 2;
  return matrix::label_of_compute(matrix.computes, variant.get("compute"), components);
}

/// The text in lower case, with `other` for everything except letters and digits.
std::string plain(const std::string& text, char other) {
  std::string out = to_lower(text);
  for (char& c : out) {
    if (!is_alphanumeric(c)) c = other;
  }
  return out;
}

/// A local version label contains only letters, digits and dots (PEP 440).
std::string local_segment(const std::string& text) {
  return plain(text, '.');
}

/// Whether the wheel's file name has the value of the axis, in its tags or as its name.
bool is_in_file_name(const matrix::Matrix& matrix, std::string_view axis) {
  const bool family = !matrix.family.empty() && axis == matrix::kPackageAxis;
  return family || axis == "python" || axis == "arch" || axis == matrix::kLibcAxis;
}

bool accepts_local_versions(matrix::TargetKind kind) {
  switch (kind) {
    case matrix::TargetKind::pypi:
    case matrix::TargetKind::testpypi:
      return false;
    case matrix::TargetKind::index:
    case matrix::TargetKind::directory:
    case matrix::TargetKind::s3:
    case matrix::TargetKind::github_release:
      return true;
  }
  return true;
}

const matrix::PublishTarget* find_target(const matrix::Matrix& matrix, const std::string& name) {
  for (const matrix::PublishTarget& target : matrix.targets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

/// "-cpu", "-rocm", "-cu12", or the label that the matrix declares: distinguishes a compute from
/// the target's default.
std::string compute_suffix(const matrix::Matrix& matrix, const matrix::Variant& representative) {
  const std::string& compute = representative.get("compute");
  if (matrix::abi_of(matrix, representative).compute == matrix::ComputeAbi::none) return {};
  const std::string family = split(compute, '/')[0];
  const matrix::DeclaredCompute* const declared = matrix::find_declared(matrix.computes, compute);
  const bool by_label = family == "cuda" || (declared != nullptr && !declared->label.empty());
  return "-" + plain(by_label ? label_of_compute(matrix, representative) : family, '-');
}

/// "-inference": the values of the project's own axes, except the first of each axis.
std::string own_axes_suffix(const matrix::Matrix& matrix, const matrix::Variant& representative) {
  std::string suffix;
  for (const matrix::Axis& axis : matrix.axes) {
    if (is_in_file_name(matrix, axis.name) || axis.name == "torch" || axis.name == "compute")
      continue;
    const std::string& value = representative.get(axis.name);
    if (!value.empty() && value != axis.values.front()) suffix += "-" + plain(value, '-');
  }
  return suffix;
}

bool serves_default(const matrix::PublishTarget& target, const matrix::AbiClass& cls,
                    const matrix::VariantIndex& variants) {
  return std::any_of(cls.members.begin(), cls.members.end(), [&](const std::string& id) {
    const Result<const matrix::Variant*> member = variants.find(id);
    return member && matrix::value_matches(target.default_compute, (*member)->get("compute"));
  });
}

std::string with_local(const ReleaseVersion& version, const std::string& label) {
  std::string text;
  text.reserve(version.version.size() + label.size() + version.unreleased.size() + 2);
  text = version.version;
  for (const std::string* const part : {&label, &version.unreleased}) {
    if (part->empty()) continue;
    text.append(1, text.size() == version.version.size() ? '+' : '.').append(*part);
  }
  return text;
}

/// A GitHub release has a tag, and a tag of a development version would be a version of later
/// commits.
Done check_released(const matrix::Matrix& matrix, const matrix::PublishTarget& target,
                    const ReleaseVersion& version) {
  const bool github = target.kind == matrix::TargetKind::github_release;
  if (!github && target.files.empty()) return {};
  if (version.build > 0 && !matrix.package.version.recut) {
    return fail(
        Error{ErrorKind::config,
              fmt::format("target {} cannot have a release of {}: the tag of the version "
                          "has a release already",
                          quoted(target.name), version_text(version.version, version.build))}
            .with_location(target.at)
            .with_hint("set `package.version.recut: true`; the release then has a tag that "
                       "ends with `-rN`"));
  }
  if (!github) return {};
  const Result<pep::Version> parsed = pep::parse_version(version.version);
  const bool development = parsed && parsed->dev.has_value();
  if (!development && version.unreleased.empty()) return {};
  return fail(
      Error{ErrorKind::config, fmt::format("target {} would tag {}, which is no release",
                                           quoted(target.name), quoted(with_local(version, "")))}
          .with_location(target.at)
          .with_hint("publish development versions and nightlies to another target; for a "
                     "release, tag the commit"));
}

/// One class on one target.
struct Place {
  const matrix::AbiClass* cls = nullptr;
  const matrix::Variant* representative = nullptr;
  const matrix::PublishTarget* target = nullptr;
};

/// The variant for the templates of names: wheels that do not depend on the compute have none.
matrix::Variant named_variant(const matrix::Matrix& matrix, matrix::Variant variant) {
  if (matrix::abi_of(matrix, variant).compute != matrix::ComputeAbi::none) return variant;
  for (auto& [axis, value] : variant.axes) {
    if (axis == "compute") value.clear();
  }
  variant.declared_label.clear();
  return variant;
}

Result<std::string> distribution_of(const matrix::Matrix& matrix, const Place& place,
                                    const matrix::VariantIndex& variants) {
  std::string name = matrix::package_of(matrix, *place.representative).name;
  if (place.target->name_suffix) {
    if (!serves_default(*place.target, *place.cls, variants)) {
      name += compute_suffix(matrix, *place.representative);
    }
    name += own_axes_suffix(matrix, *place.representative);
  }
  if (place.target->name_template.empty()) return name;
  return matrix::expand_template(replace_all(place.target->name_template, "{name}", name),
                                 named_variant(matrix, *place.representative), place.target->at);
}

Result<std::string> version_of(const matrix::Matrix& matrix, const Place& place,
                               const ReleaseVersion& version) {
  const matrix::PublishTarget& target = *place.target;
  TRY_DONE(check_released(matrix, target, version));
  std::string label;
  if (target.local_label) label = label_of(matrix, *place.representative);
  if (!target.label_template.empty()) {
    TRY(const std::string expanded,
        matrix::expand_template(target.label_template, named_variant(matrix, *place.representative),
                                target.at));
    label = local_segment(expanded);
  }
  if (accepts_local_versions(target.kind)) return with_local(version, label);
  if (!label.empty()) {
    return fail(
        Error{
            ErrorKind::config,
            fmt::format("target {} would publish {}, but PyPI does not accept local versions",
                        quoted(target.name), quoted(fmt::format("{}+{}", version.version, label)))}
            .with_location(target.at)
            .with_hint("remove `label`; distinguish the variants with `others: name-suffix`"));
  }
  return version.version;
}

/// The axis of the binary that distinguishes two classes and is missing from the names.
std::string missing_axis(const matrix::Matrix& matrix, const matrix::Variant& a,
                         const matrix::Variant& b) {
  const bool other_package = a.get(matrix::kPackageAxis) != b.get(matrix::kPackageAxis);
  if (!matrix.family.empty() && other_package) return matrix::kPackageAxis;
  for (const auto& [axis, value] : a.axes) {
    const std::string& other = b.get(axis);
    if (is_in_file_name(matrix, axis) || value == other) continue;
    if (axis == "torch" && matrix::abi_of(matrix, a).torch != matrix::TorchAbi::minor) continue;
    if (axis == "compute" && label_of_compute(matrix, a) == label_of_compute(matrix, b)) continue;
    return axis;
  }
  return "compute";
}

/// The labels of the wheel's files. The compute is the only axis that properties of variants
/// describe.
Result<std::vector<std::string>> variants_on(const matrix::Matrix& matrix, const Place& place,
                                             const matrix::VariantIndex& variants) {
  const matrix::PublishTarget& target = *place.target;
  const std::string& compute = place.representative->get("compute");
  std::vector<std::string> labels;
  // The wheel is the same for every compute.
  if (matrix::abi_of(matrix, *place.representative).compute == matrix::ComputeAbi::none) {
    return labels;
  }
  const bool fallback = serves_default(target, *place.cls, variants);
  if (fallback) labels = {"", std::string(pep::kNullVariant)};
  if (split(compute, '/')[0] != "cuda") {
    if (fallback) return labels;
    return fail(
        Error{ErrorKind::config,
              fmt::format("target {} makes wheel variants, and installers know no properties of {}",
                          quoted(target.name), quoted(compute))}
            .with_location(target.at)
            .with_hint("make it the `default`, or let the channel select only the default and "
                       "CUDA"));
  }
  const std::string label = to_lower(label_of(matrix, *place.representative));
  if (label == pep::kNullVariant) {
    return fail(Error{ErrorKind::config,
                      fmt::format("{} cannot have the label `null` on target {}: wheel variants "
                                  "use it for machines that support no other variant",
                                  quoted(compute), quoted(target.name))}
                    .with_location(target.at)
                    .with_hint("give the compute another `label` in `computes`"));
  }
  if (const Done valid = pep::check_variant_label(label); !valid) {
    return fail(Error(valid.error())
                    .with_location(target.at)
                    .with_hint("give the compute a shorter `label` in `computes`, with up to 16 "
                               "lower-case letters, digits, `.` and `_`"));
  }
  labels.push_back(label);
  return labels;
}

/// The parts of a file's name, one on each line.
using FileIdentity = std::string;

/// The hint for a collision: no suffix names a torch, PyPI accepts no label, and properties of
/// variants describe only computes.
std::string collision_hint(const std::string& axis, const matrix::PublishTarget& target) {
  if (target.variants) {
    return fmt::format(
        "wheel variants differ only in their compute: give the target a `name` "
        "template with {}, or let the channel select one value",
        quoted(fmt::format("{{{}}}", axis)));
  }
  if (accepts_local_versions(target.kind)) {
    return fmt::format("give the target `label: local`, or a `label` template with {}",
                       quoted(fmt::format("{{{}}}", axis)));
  }
  if (axis == "torch") {
    return "give the target a `name` template with `{torch.nodot}`, or let the channel select one "
           "torch";
  }
  return fmt::format("give the target `others: name-suffix`, or a `name` template with {}",
                     quoted(fmt::format("{{{}}}", axis)));
}

Error collision(const matrix::Matrix& matrix, const Place& first, const Place& second,
                const wheel::Naming& naming) {
  const std::string axis = missing_axis(matrix, *first.representative, *second.representative);
  return Error{ErrorKind::config,
               fmt::format("{} and {} would both be {} on target {}: the name lacks axis {}",
                           quoted(build_id(first.cls->id)), quoted(build_id(second.cls->id)),
                           quoted(fmt::format("{} {}", naming.distribution, naming.version)),
                           quoted(second.target->name), quoted(axis))}
      .with_location(second.target->at)
      .with_hint(collision_hint(axis, *second.target));
}

/// Adds the name of a wheel on a target. `config` if a file of that name has other requirements on
/// another target, because one file cannot have both.
Done add_naming(std::vector<wheel::Naming>& namings, wheel::Naming naming,
                const matrix::PublishTarget& target) {
  for (wheel::Naming& known : namings) {
    if (known.distribution != naming.distribution || known.version != naming.version) continue;
    for (const auto& [sibling, pin] : naming.pins) {
      if (known.pins.at(sibling) == pin) continue;
      return fail(
          Error{ErrorKind::config,
                fmt::format("the wheel {} would need two requirements: {} for target {} and {} for "
                            "target {}",
                            quoted(fmt::format("{} {}", naming.distribution, naming.version)),
                            quoted(known.pins.at(sibling)), quoted(known.targets.front()),
                            quoted(pin), quoted(target.name))}
              .with_location(target.at)
              .with_hint("give both targets the same `name`, `default`, `others` and `label`"));
    }
    if (known.variants != naming.variants || known.draft != naming.draft) continue;
    known.targets.insert(known.targets.end(), naming.targets.begin(), naming.targets.end());
    return {};
  }
  namings.push_back(std::move(naming));
  return {};
}

/// The target of a run that publishes nothing: a local label, so that every class has its own name.
matrix::PublishTarget local_target() {
  matrix::PublishTarget target;
  target.local_label = true;
  return target;
}

/// What the names of all wheels depend on.
struct NamingInputs {
  const matrix::Matrix& matrix;
  const matrix::VariantIndex& variants;
  const ReleaseVersion& version;
  std::map<std::string, matrix::AbiClass> family;  ///< by id: the classes of a family's packages
};

Result<wheel::Naming> name_of(const NamingInputs& in, const Place& place) {
  TRY(std::string distribution, distribution_of(in.matrix, place, in.variants));
  TRY(std::string version, version_of(in.matrix, place, in.version));
  return wheel::Naming{std::move(distribution), std::move(version), {}, in.version.build};
}

/// The exact requirement on the wheel of a class; `sibling` is the name of its package.
struct Pin {
  std::string sibling;
  std::string requirement;
};

Result<Pin> pin_of(const NamingInputs& in, const matrix::AbiClass& cls,
                   const matrix::PublishTarget& target) {
  TRY(const matrix::Variant* const representative, in.variants.find(cls.representative));
  TRY(const wheel::Naming naming, name_of(in, {&cls, representative, &target}));
  return Pin{matrix::package_of(in.matrix, *representative).name,
             fmt::format("{}=={}", naming.distribution, naming.version)};
}

/// The exact requirements of a wheel on the packages that its own lists. `config` if its variants
/// need wheels of one package that have different names.
Result<std::map<std::string, std::string>> pins_of(const NamingInputs& in, const Place& place) {
  const std::vector<std::string>& direct =
      matrix::package_of(in.matrix, *place.representative).siblings;
  // All members of a class may need one sibling.
  std::set<std::string> needed;
  for (const auto& [member, classes] : place.cls->siblings) {
    needed.insert(classes.begin(), classes.end());
  }
  std::map<std::string, std::string> pins;
  for (const std::string& id : needed) {
    TRY(const Pin pin, pin_of(in, in.family.at(id), *place.target));
    if (std::ranges::find(direct, pin.sibling) == direct.end()) continue;
    const auto [known, fresh] = pins.emplace(pin.sibling, pin.requirement);
    if (fresh || known->second == pin.requirement) continue;
    return fail(
        Error{ErrorKind::config, fmt::format("the wheel of {} would require both {} and {}",
                                             quoted(build_id(place.cls->id)), quoted(known->second),
                                             quoted(pin.requirement))}
            .with_location(matrix::package_of(in.matrix, *place.representative).at)
            .with_hint(fmt::format("let its `abi` depend on everything that the `abi` of {} "
                                   "depends on",
                                   quoted(pin.sibling))));
  }
  return pins;
}

/// Adds the labels of a wheel's variants on a target that has wheel variants, and their draft.
Done add_variants(const NamingInputs& in, const Place& place, wheel::Naming& naming) {
  TRY(naming.variants, variants_on(in.matrix, place, in.variants));
  if (!naming.variants.empty()) naming.draft = *place.target->variants;
  return {};
}

/// Only one build of a target with variants can be the plain wheel and the variant `null`.
Error two_plain_wheels(const Place& first, const Place& second) {
  return Error{
      ErrorKind::config,
      fmt::format("{} and {} are both the `default` of target {}, which has one plain wheel",
                  quoted(build_id(first.cls->id)), quoted(build_id(second.cls->id)),
                  quoted(second.target->name))}
      .with_location(second.target->at)
      .with_hint("name one compute as `default`");
}

/// The files of all targets.
using TakenFiles = std::unordered_map<FileIdentity, Place>;

/// The files of one target.
class TargetFiles {
 public:
  explicit TargetFiles(size_t count) : identities_(count) { places_.reserve(count); }

  /// Adds a file; if there is one with its identity, returns that one's place instead.
  const Place* take(const FileIdentity& identity, const Place& place) {
    const size_t file = identities_.add(identity);
    if (file < places_.size()) return &places_[file];
    places_.push_back(place);
    return nullptr;
  }

 private:
  UniqueTexts identities_;
  std::vector<Place> places_;
};

/// Writes the identity of a wheel; `distinguished` is what its name, version and tags do not state.
void write_identity(const wheel::Naming& naming, const WheelTags& tags,
                    const std::string& distinguished, FileIdentity& identity) {
  identity.assign(pep::normalize_name(naming.distribution));
  for (const std::string* const part :
       {&naming.version, &distinguished, &tags.python, &tags.abi, &tags.arch, &tags.libc}) {
    identity.append(1, '\n').append(*part);
  }
}

/// A file can be that of one build only: installers would take the one of whichever target they
/// read, and a run has one directory for its files.
Done take_files(const wheel::Naming& naming, const WheelTags& tags, const Place& place,
                TakenFiles& files) {
  FileIdentity identity;
  for (const std::string& label : wheel::labels_of(naming)) {
    write_identity(naming, tags, label, identity);
    const auto [at, fresh] = files.try_emplace(identity, place);
    const Place& first = at->second;
    if (fresh || first.cls->id == place.cls->id) continue;
    wheel::Naming file = naming;
    file.variants.clear();
    if (!label.empty()) file.variants.push_back(label);
    return fail(
        Error{ErrorKind::config,
              fmt::format("{} would be {} on target {} and {} on target {}",
                          quoted(wheel_pattern(file, tags)), quoted(build_id(first.cls->id)),
                          quoted(first.target->name), quoted(build_id(place.cls->id)),
                          quoted(place.target->name))}
            .with_location(place.target->at)
            .with_hint("write the same `default` in both targets, or give one of them a `name` "
                       "template of its own"));
  }
  return {};
}

/// Adds the rest of a wheel's name on a target, except `targets`.
Done complete(const NamingInputs& in, const Place& place, wheel::Naming& naming) {
  if (!place.cls->siblings.empty()) {
    TRY(naming.pins, pins_of(in, place));
  }
  return place.target->variants ? add_variants(in, place, naming) : Done();
}

/// Called with each checked name, whose `targets` are not set yet.
using UseName = std::function<Done(const Place&, wheel::Naming)>;

/// Checks the names on a target, and passes each to `use`.
Done name_for_target(const NamingInputs& in, const NamingRequest& request,
                     const matrix::PublishTarget& target, const UseName& use, TakenFiles& files) {
  TargetFiles taken(request.classes.size());
  FileIdentity identity;
  // Then `taken` has the same files.
  const bool alone = request.targets.size() <= 1 && !target.variants;
  for (const matrix::AbiClass* const each : request.classes) {
    const matrix::AbiClass& cls = *each;
    TRY(const matrix::Variant* const representative, in.variants.find(cls.representative));
    const Place place{&cls, representative, &target};
    TRY(wheel::Naming naming, name_of(in, place));
    TRY_DONE(complete(in, place, naming));
    const WheelTags tags =
        tags_of(matrix::abi_of(in.matrix, *representative), *representative, request.machine);
    const std::string compute =
        target.variants ? label_of_compute(in.matrix, *representative) : std::string();
    write_identity(naming, tags, compute, identity);
    if (const Place* const first = taken.take(identity, place)) {
      return fail(collision(in.matrix, *first, place, naming));
    }
    const bool plain = std::ranges::count(naming.variants, "") > 0;
    if (plain) {
      // No label has this character.
      write_identity(naming, tags, "*", identity);
      const Place* const first = taken.take(identity, place);
      if (first != nullptr) return fail(two_plain_wheels(*first, place));
    }
    if (!alone) TRY_DONE(take_files(naming, tags, place, files));
    TRY_DONE(use(place, std::move(naming)));
  }
  return {};
}

}  // namespace

std::string version_text(const std::string& version, uint64_t build) {
  return build == 0 ? version : fmt::format("{} build {}", version, build);
}

std::string wheel_pattern(const wheel::Naming& file, const WheelTags& tags) {
  const std::string build = file.build == 0 ? "" : fmt::format("{}-", file.build);
  const std::string label = file.variants.empty() ? "" : "-" + file.variants.front();
  return fmt::format("{}-{}-{}{}-{}-{}{}.whl", replace_all(file.distribution, "-", "_"),
                     file.version, build, tags.python, tags.abi, platform_pattern(tags), label);
}

bool is_wheel_named(std::string_view filename, const wheel::Naming& naming) {
  const Result<pep::WheelName> name = pep::parse_wheel_name(filename);
  const Result<pep::Version> wanted = pep::parse_version(naming.version);
  if (!name || !wanted || name->version != *wanted) return false;
  if (naming.build > 0 && name->build != pep::BuildTag{naming.build}) return false;
  return pep::normalize_name(name->distribution) == pep::normalize_name(naming.distribution) &&
         std::ranges::count(wheel::labels_of(naming), name->variant) > 0;
}

std::string platform_pattern(const WheelTags& tags) {
  if (tags.libc.empty()) return "*_" + tags.arch;
  return (tags.libc == matrix::kMusl ? "musllinux_*_" : "manylinux_*_") + tags.arch;
}

WheelTags tags_of(const matrix::Abi& abi, const matrix::Variant& representative,
                  const std::string& machine) {
  const std::string& arch = representative.get("arch");
  WheelTags tags{"py3", "none", arch.empty() ? machine : arch,
                 representative.get(matrix::kLibcAxis)};
  const matrix::PythonAbi python = matrix::python_abi_for(abi, representative.get("python"));
  if (python == matrix::PythonAbi::limited) {
    tags.python = "cp" + without_dots(abi.python_limited);
    tags.abi = "abi3";
  }
  if (python == matrix::PythonAbi::version) {
    std::string digits = without_dots(representative.get("python"));
    tags.abi = "cp" + digits;
    if (digits.ends_with('t')) digits.pop_back();
    tags.python = "cp" + digits;
  }
  return tags;
}

std::string label_of(const matrix::Matrix& matrix, const matrix::Variant& representative) {
  std::string torch;
  std::string compute;
  std::string others;
  size_t length = 0;
  for (const auto& [axis, value] : representative.axes) length += value.size() + 1;
  others.reserve(length);
  for (const auto& [axis, value] : representative.axes) {
    if (is_in_file_name(matrix, axis)) continue;
    if (axis == "torch") {
      const bool depends = matrix::abi_of(matrix, representative).torch == matrix::TorchAbi::minor;
      if (depends) torch = "pt" + without_dots(value);
    } else if (axis == "compute") {
      compute = local_segment(label_of_compute(matrix, representative));
    } else {
      others.append(1, '.').append(local_segment(value));
    }
  }
  if (torch.empty() && compute.empty()) {
    others.erase(0, 1);
    return others;
  }
  return torch + compute + others;
}

std::vector<wheel::Naming> each_file(const std::vector<wheel::Naming>& namings) {
  std::vector<wheel::Naming> files;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> known;
  for (const wheel::Naming& naming : namings) {
    for (const std::string& label : wheel::labels_of(naming)) {
      const auto [at, fresh] =
          known.emplace(std::tuple(naming.distribution, naming.version, label), files.size());
      if (!fresh) {
        std::vector<std::string>& targets = files[at->second].targets;
        targets.insert(targets.end(), naming.targets.begin(), naming.targets.end());
        continue;
      }
      files.push_back(naming);
      files.back().variants.clear();
      if (!label.empty()) files.back().variants.push_back(label);
    }
  }
  return files;
}

wheel::Naming name_on(const std::string& target, const std::vector<wheel::Naming>& namings) {
  for (const wheel::Naming& naming : namings) {
    const bool takes =
        std::find(naming.targets.begin(), naming.targets.end(), target) != naming.targets.end();
    if (takes) return naming;
  }
  return {};
}

namespace {

/// Of two drafts, the same file name would have different contents.
Done check_one_draft(const matrix::Matrix& matrix, const std::vector<std::string>& targets) {
  const matrix::PublishTarget* first = nullptr;
  for (const std::string& name : targets) {
    const matrix::PublishTarget* const target = find_target(matrix, name);
    if (target == nullptr || !target->variants) continue;
    if (first == nullptr) first = target;
    if (first->variants == target->variants) continue;
    return fail(
        Error{ErrorKind::config, fmt::format("{} and {} get wheel variants of different drafts",
                                             quoted(first->name), quoted(target->name))}
            .with_location(target->at)
            .with_hint("write the same `variants` in both"));
  }
  return {};
}

/// Checks the names on all targets, and passes each to `use`.
Done name_for_targets(const matrix::Matrix& matrix, const NamingRequest& request,
                      const UseName& use) {
  const matrix::VariantIndex variants(request.variants);
  NamingInputs in{matrix, variants, request.version, {}};
  if (!matrix.family.empty()) {
    TRY(std::vector<matrix::AbiClass> classes, matrix::abi_classes(matrix, request.variants));
    for (matrix::AbiClass& cls : classes) in.family.emplace(cls.id, std::move(cls));
  }
  TakenFiles files;
  if (request.targets.empty()) {
    const matrix::PublishTarget local = local_target();
    return name_for_target(in, request, local, use, files);
  }
  TRY_DONE(check_one_draft(matrix, request.targets));
  for (const std::string& name : request.targets) {
    const matrix::PublishTarget* const target = find_target(matrix, name);
    if (target == nullptr) {
      std::vector<std::string> known;
      for (const matrix::PublishTarget& each : matrix.targets) known.push_back(each.name);
      return fail(ErrorKind::usage,
                  fmt::format("{} has no publish target {}", quoted(matrix.file), quoted(name)),
                  suggest(name, known));
    }
    TRY_DONE(name_for_target(in, request, *target, use, files));
  }
  return {};
}

}  // namespace

Result<Namings> name_wheels(const matrix::Matrix& matrix, const NamingRequest& request) {
  Namings namings;
  namings.reserve(request.classes.size());
  const auto add = [&namings](const Place& place, wheel::Naming naming) {
    const matrix::PublishTarget& target = *place.target;
    if (!target.name.empty()) naming.targets.push_back(target.name);
    return add_naming(namings[place.cls->id], std::move(naming), target);
  };
  TRY_DONE(name_for_targets(matrix, request, add));
  return namings;
}

Done check_wheel_names(const matrix::Matrix& matrix, const NamingRequest& request) {
  // Requirements on siblings are compared with those on other targets.
  if (!matrix.family.empty()) return name_wheels(matrix, request).map([](const Namings&) {});
  const auto ignore = [](const Place& /*place*/, const wheel::Naming& /*naming*/) {
    return Done();
  };
  return name_for_targets(matrix, request, ignore);
}

}  // namespace pinwheel::plan
