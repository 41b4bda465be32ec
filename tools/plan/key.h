#pragma once
// Keys and reuse
//
// A step has a key: the sha256 of everything that decides its result. If a finished result has the
// same key, the step is not run again. There are no timestamps and no "dirty" marks: a result is
// valid wherever its key is computed again, in this checkout, in a clone, or on another machine.
//
// The key has named parts, so that a difference can be shown:
//
//     action                "build-wheel"
//     class                 "cu130"
//     source.digest         "5c1f..."          the files that wheel builds receive
//     variables.CXXFLAGS    "-O2"
//     toolchain             "g++ 12.2.0 ..."   of the machine
//     needs env:45f5b2273608  "45f5..."        the product of a dependency
//
// `key_parts` flattens the action into such parts, `with_needs` adds the products of the
// dependencies, and `key_of` hashes the map together with a schema number. With another CXXFLAGS,
// `plan` prints `variables.CXXFLAGS: "-O2" -> "-O3"` as the reason for a new build.
//
// A dependency enters with its product, not with its key. The product of a build is a digest of
// the names and contents of its files. If a build runs again, for instance because its result was
// deleted, and writes the same bytes, then the keys of its tests are the same, and the tests are
// reused. An environment has no files to compare, so its product is its key, which contains its
// exact packages.
//
// Some inputs must never be parts, because they do not change the result or are not the same
// everywhere: local paths, values of secrets (their names are parts), job counts, memory and time
// limits, and retries. An input that is forgotten here is the worst bug of the program: it reuses
// a wrong result. An input too many only costs a build.
//
// Before a run, `known_results` walks the plan in order. The key of a step is complete once all of
// its dependencies have a result, or are environments and toolkits, whose key is known before they
// exist. The journal is searched first (`run/reuse`: done, with all outputs present and
// unchanged), then the stores. Every result that is found completes further keys.
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/map_difference.h"
#include "plan/action.h"
#include "plan/outcome.h"

namespace pinwheel::plan {

/// The inputs that determine a step's result, by name: "version" -> `"1.2.0"`, "variables.CXXFLAGS"
/// -> `"-O2"`. A value longer than a digest is replaced by its sha256. The same action has the same
/// parts on every machine: they contain no secrets, job counts or local paths.
using KeyParts = std::map<std::string, std::string>;

/// The parts from the action itself.
KeyParts key_parts(const Action& action);

/// The parts of a build's key that determine the output of its command: without the names, tags and
/// checks of the wheel, the steps after the command, and the digest of the source, which covers
/// files that no build reads.
KeyParts compile_parts(KeyParts parts);

/// Digest of the request for a build, independent of how it is done: it excludes the compiler of
/// the machine and the source of Python, which the step's own key covers. The same wheel has the
/// same recipe whether built on the host or in a container.
std::string recipe_of(const BuildWheel& action);
/// The contents of `pinwheel.json` in the wheel of a build: the action's record with its recipe.
std::string wheel_record(const BuildWheel& action);

/// The product of a finished step, for the keys of its dependents: a digest of its files' names and
/// contents and of its evidence; for a step that has neither (an environment), its key.
std::string product_of(const StepOutcome& outcome);

/// Adds the products of the step's needs, by step id. Device code that was compiled for a build is
/// not an input of the build, which makes the same files without it.
KeyParts with_needs(KeyParts parts, const std::map<std::string, std::string>& products);

/// Hex digest of the parts and of the schema of keys itself.
std::string key_of(const KeyParts& parts);

/// The products of a step's needs, by step id.
using Products = std::vector<std::pair<std::string_view, std::string_view>>;

/// The same as `key_of(with_needs(parts, products))` for parts without needs, without their copy.
std::string key_of(const KeyParts& parts, Products products);

// Which fields of an action are in its key. A field that is added to one of these structs does not
// compile before it is listed here, as a part of the key or as excluded.

/// Whether a field is in a key while it is empty. `if_set` fields were added later: without them,
/// the key is the same as before.
enum class InKey { always, if_set };

/// How a field adds to a key.
enum class KeyShape {
  value,   ///< its own value
  list,    ///< the values of its fields, in order
  object,  ///< a part for each of its fields, under its name
  merged,  ///< a part for each of its fields, next to those of the struct
};

/// A field that is in the key. A list or a map of structs has the shape of its elements.
template <KeyShape S, InKey I, typename T, typename F, typename Nested>
struct KeyField {
  using Type = F;

  F T::*member;
  std::string_view name;  ///< of its part; two fields of one name make one part, a list
  Nested nested;          ///< the fields of the field; none for a value
};

/// A field that is not in the key.
template <typename T, typename F>
struct ExcludedField {
  using Type = F;

  F T::*member;
};

/// Whether these are the types of all fields of an aggregate, in order: it accepts that many
/// initializers and no more.
template <typename T, typename... Types>
concept ListsEveryField = requires {
  T{std::declval<Types>()...};
}
&&!requires {
  T{std::declval<Types>()..., {}};
};

template <typename T, typename... Rows>
constexpr std::tuple<Rows...> every_field(Rows... rows) {
  static_assert(ListsEveryField<T, typename Rows::Type...>,
                "list every field of the struct, in its order");
  return {rows...};
}

template <InKey I = InKey::always, typename T, typename F>
constexpr auto part(F T::*member, std::string_view name) {
  return KeyField<KeyShape::value, I, T, F, std::tuple<>>{member, name, {}};
}

/// An element of a list.
template <InKey I = InKey::always, typename T, typename F>
constexpr auto element(F T::*member) {
  return part<I>(member, {});
}

template <InKey I = InKey::always, typename T, typename F, typename Nested>
constexpr auto list_part(F T::*member, std::string_view name, Nested fields) {
  return KeyField<KeyShape::list, I, T, F, Nested>{member, name, fields};
}

template <InKey I = InKey::always, typename T, typename F, typename Nested>
constexpr auto object_part(F T::*member, std::string_view name, Nested fields) {
  return KeyField<KeyShape::object, I, T, F, Nested>{member, name, fields};
}

template <typename T, typename F, typename Nested>
constexpr auto merged(F T::*member, Nested fields) {
  return KeyField<KeyShape::merged, InKey::always, T, F, Nested>{member, {}, fields};
}

template <typename T, typename F>
constexpr auto excluded(F T::*member) {
  return ExcludedField<T, F>{member};
}

inline constexpr auto kTorchFields = every_field<matrix::TorchSettings>(
    element(&matrix::TorchSettings::spec), element(&matrix::TorchSettings::index));

inline constexpr auto kCondaFields = every_field<matrix::CondaSettings>(
    element(&matrix::CondaSettings::channels), element(&matrix::CondaSettings::packages),
    excluded(&matrix::CondaSettings::toolkit));  // cleared: the toolkit is a step of its own

inline constexpr auto kRequestFields = every_field<env::Request>(
    part(&env::Request::python, "python"), part(&env::Request::requirements, "requirements"),
    list_part(&env::Request::torch, "torch", kTorchFields), part(&env::Request::toolkit, "toolkit"),
    part(&env::Request::toolkit_from, "toolkit-from"),
    part<InKey::if_set>(&env::Request::toolkit_packages, "toolkit-packages"),
    excluded(&env::Request::toolkit_conda),  // the toolkit's step has its exact packages
    excluded(&env::Request::container),      // the environment's step has the image's content key
    list_part<InKey::if_set>(&env::Request::conda, "conda", kCondaFields),
    part<InKey::if_set>(&env::Request::conda_cuda, "conda-cuda"),
    part<InKey::if_set>(&env::Request::purpose, "purpose"));

/// The fields for a toolkit, which has a prefix of its own.
inline constexpr auto kToolkitRequestFields = every_field<env::Request>(
    excluded(&env::Request::python), excluded(&env::Request::requirements),
    excluded(&env::Request::torch), part(&env::Request::toolkit, "toolkit"),
    part(&env::Request::toolkit_from, "toolkit-from"),
    part<InKey::if_set>(&env::Request::toolkit_packages, "toolkit-packages"),
    excluded(&env::Request::toolkit_conda),  // `MakeToolkit::packages` has the exact ones
    excluded(&env::Request::container),      // `MakeToolkit::image` has its content key
    excluded(&env::Request::conda), excluded(&env::Request::conda_cuda),
    excluded(&env::Request::purpose));

inline constexpr auto kEnvironmentFields = every_field<CreateEnvironment>(
    object_part(&CreateEnvironment::request, "request", kRequestFields),
    part(&CreateEnvironment::resolution, "resolution"),
    part<InKey::if_set>(&CreateEnvironment::image, "image"),
    excluded(&CreateEnvironment::only_tests));  // evidence from a machine with a GPU counts too

inline constexpr auto kToolkitFields = every_field<MakeToolkit>(
    merged(&MakeToolkit::request, kToolkitRequestFields), part(&MakeToolkit::packages, "packages"),
    part<InKey::if_set>(&MakeToolkit::image, "image"));

/// The digest covers the files. Where they were read does not matter.
inline constexpr auto kSourceFields = every_field<Source>(
    excluded(&Source::directory), part(&Source::requirement, "requirement"),
    part(&Source::digest, "digest"), excluded(&Source::url), excluded(&Source::archive_sha256),
    excluded(&Source::files), excluded(&Source::ignored));

inline constexpr auto kNamingFields = every_field<wheel::Naming>(
    element(&wheel::Naming::distribution), element(&wheel::Naming::version),
    excluded(&wheel::Naming::targets), element<InKey::if_set>(&wheel::Naming::build),
    element<InKey::if_set>(&wheel::Naming::pins), element<InKey::if_set>(&wheel::Naming::variants),
    element<InKey::if_set>(&wheel::Naming::draft));

inline constexpr auto kTagFields =
    every_field<WheelTags>(element(&WheelTags::python), element(&WheelTags::abi),
                           element(&WheelTags::arch), element<InKey::if_set>(&WheelTags::libc));

inline constexpr auto kCheckFields =
    every_field<matrix::Check>(element(&matrix::Check::rule), element(&matrix::Check::arguments));

inline constexpr auto kRepairFields = every_field<matrix::RepairSettings>(
    part(&matrix::RepairSettings::mode, "mode"), part(&matrix::RepairSettings::command, "command"));

/// The duration of a build, its retries and its number of jobs do not affect its result, and a
/// split build makes the same wheel.
inline constexpr auto kBuildFields = every_field<matrix::BuildSettings>(
    part(&matrix::BuildSettings::command, "command"),
    part(&matrix::BuildSettings::arch_list, "arch-list"),
    excluded(&matrix::BuildSettings::memory_per_job), excluded(&matrix::BuildSettings::timeout),
    excluded(&matrix::BuildSettings::retry),
    object_part(&matrix::BuildSettings::repair, "repair", kRepairFields),
    part<InKey::if_set>(&matrix::BuildSettings::external, "repair.external"),
    part<InKey::if_set>(&matrix::BuildSettings::network, "network"),
    excluded(&matrix::BuildSettings::checkpoint), excluded(&matrix::BuildSettings::split),
    excluded(&matrix::BuildSettings::with));  // the environment is that of the representative

inline constexpr auto kChecksFields = every_field<matrix::CheckSettings>(
    list_part(&matrix::CheckSettings::before, "before", kCheckFields),
    list_part(&matrix::CheckSettings::after, "after", kCheckFields),
    part<InKey::if_set>(&matrix::CheckSettings::accept, "accept"));

/// `BuildWheel::environment` and `variables` contain the results of the environment's settings.
inline constexpr auto kBuildSettingsFields = every_field<matrix::Settings>(
    excluded(&matrix::Settings::environment), merged(&matrix::Settings::build, kBuildFields),
    merged(&matrix::Settings::checks, kChecksFields), excluded(&matrix::Settings::test));

inline constexpr auto kBuildWheelFields = every_field<BuildWheel>(
    part(&BuildWheel::class_id, "class"),
    excluded(&BuildWheel::package_name),  // the namings have the names of the matrix's package
    object_part(&BuildWheel::environment, "environment", kRequestFields),
    object_part(&BuildWheel::source, "source", kSourceFields),
    merged(&BuildWheel::settings, kBuildSettingsFields), part(&BuildWheel::version, "version"),
    excluded(&BuildWheel::arch),  // part of the tags
    part(&BuildWheel::compute, "compute"), part(&BuildWheel::torch, "torch"),
    part(&BuildWheel::torch_abi, "torch-abi"), part(&BuildWheel::torch_target, "torch-abi"),
    part(&BuildWheel::variables, "variables"),
    list_part(&BuildWheel::namings, "namings", kNamingFields),
    list_part(&BuildWheel::tags, "tags", kTagFields), part(&BuildWheel::toolchain, "toolchain"),
    part(&BuildWheel::requires_torch, "requires-torch"),
    part(&BuildWheel::source_date_epoch, "epoch"), part(&BuildWheel::record_json, "record"),
    excluded(&BuildWheel::siblings),  // other builds have keys of their own
    object_part<InKey::if_set>(&BuildWheel::checked_in, "checked-in", kRequestFields),
    part<InKey::if_set>(&BuildWheel::secrets, "secrets"),
    part<InKey::if_set>(&BuildWheel::build_number, "build-number"));

inline constexpr auto kCompileDeviceCodeFields =
    every_field<CompileDeviceCode>(merged(&CompileDeviceCode::build, kBuildWheelFields),
                                   part(&CompileDeviceCode::architecture, "architecture"));

inline constexpr auto kBuildSdistFields = every_field<BuildSdist>(
    object_part(&BuildSdist::environment, "environment", kRequestFields),
    object_part(&BuildSdist::source, "source", kSourceFields),
    part(&BuildSdist::distribution, "name"), part(&BuildSdist::version, "version"),
    part(&BuildSdist::variables, "variables"), part(&BuildSdist::source_date_epoch, "epoch"),
    part<InKey::if_set>(&BuildSdist::secrets, "secrets"),
    part<InKey::if_set>(&BuildSdist::network, "network"));

/// `TestWheel::environment` and `image` contain the results of the excluded settings.
inline constexpr auto kTestFields = every_field<matrix::TestSettings>(
    excluded(&matrix::TestSettings::environment), part(&matrix::TestSettings::pip, "pip"),
    part(&matrix::TestSettings::command, "command"),
    part(&matrix::TestSettings::hardware, "hardware"),
    part<InKey::if_set>(&matrix::TestSettings::device, "device"),
    part<InKey::if_set>(&matrix::TestSettings::without_gpu, "without-gpu"),
    excluded(&matrix::TestSettings::timeout), excluded(&matrix::TestSettings::images));

inline constexpr auto kTestWheelFields = every_field<TestWheel>(
    part(&TestWheel::variant_id, "variant"), part(&TestWheel::build, "build"),
    object_part(&TestWheel::environment, "environment", kRequestFields),
    merged(&TestWheel::settings, kTestFields), part(&TestWheel::package_name, "package"),
    excluded(&TestWheel::arch),  // part of the variant's id
    part(&TestWheel::compute, "compute"), object_part(&TestWheel::source, "source", kSourceFields),
    part(&TestWheel::variables, "variables"),
    part<InKey::if_set>(&TestWheel::operators, "operators"),
    part<InKey::if_set>(&TestWheel::image, "image"), part<InKey::if_set>(&TestWheel::skip, "skip"),
    part<InKey::if_set>(&TestWheel::secrets, "secrets"),
    part<InKey::if_set>(&TestWheel::siblings, "siblings"));

/// `Publish::names` contains the results of the settings for file names. How files are uploaded
/// does not change what was published.
inline constexpr auto kTargetFields = every_field<matrix::PublishTarget>(
    part(&matrix::PublishTarget::name, "target"), part(&matrix::PublishTarget::kind, "kind"),
    part(&matrix::PublishTarget::url, "url"), excluded(&matrix::PublishTarget::check_url),
    part(&matrix::PublishTarget::path, "path"),
    part<InKey::if_set>(&matrix::PublishTarget::bucket, "bucket"),
    excluded(&matrix::PublishTarget::default_compute),
    excluded(&matrix::PublishTarget::name_suffix), excluded(&matrix::PublishTarget::name_template),
    excluded(&matrix::PublishTarget::local_label), excluded(&matrix::PublishTarget::label_template),
    excluded(&matrix::PublishTarget::auth), excluded(&matrix::PublishTarget::audience),
    excluded(&matrix::PublishTarget::attestations), excluded(&matrix::PublishTarget::sigstore),
    excluded(&matrix::PublishTarget::unconfirmed), excluded(&matrix::PublishTarget::size_limit),
    part<InKey::if_set>(&matrix::PublishTarget::keep_nightlies, "keep-nightlies"),
    part<InKey::if_set>(&matrix::PublishTarget::files, "files"),
    part<InKey::if_set>(&matrix::PublishTarget::repository, "repository"),
    part<InKey::if_set>(&matrix::PublishTarget::api, "api"),
    excluded(&matrix::PublishTarget::notes), excluded(&matrix::PublishTarget::variants),
    excluded(&matrix::PublishTarget::at));

/// The record of the first publication, which the key covers, identifies the files.
inline constexpr auto kInstallWheelFields = every_field<InstallWheel>(
    part(&InstallWheel::variant_id, "variant"), part(&InstallWheel::build, "build"),
    list_part(&InstallWheel::name, "name", kNamingFields),
    merged(&InstallWheel::target, kTargetFields),
    object_part(&InstallWheel::environment, "environment", kRequestFields),
    excluded(&InstallWheel::arch),  // part of the variant's id
    part(&InstallWheel::compute, "compute"), part(&InstallWheel::variables, "variables"),
    list_part<InKey::if_set>(&InstallWheel::siblings, "siblings", kNamingFields));

/// The notes are read when the release is made, and only for a new one.
inline constexpr auto kTaggedReleaseFields = every_field<TaggedRelease>(
    part<InKey::if_set>(&TaggedRelease::project, "project"),
    part<InKey::if_set>(&TaggedRelease::version, "version"),
    part<InKey::if_set>(&TaggedRelease::tag, "tag"),
    part<InKey::if_set>(&TaggedRelease::commit, "commit"), excluded(&TaggedRelease::notes),
    part<InKey::if_set>(&TaggedRelease::build, "build-number"));

inline constexpr auto kPublishFields = every_field<Publish>(
    merged(&Publish::target, kTargetFields), part(&Publish::builds, "builds"),
    list_part(&Publish::names, "names", kNamingFields), part(&Publish::labels, "labels"),
    part(&Publish::default_build, "default"), part<InKey::if_set>(&Publish::root_builds, "root"),
    part<InKey::if_set>(&Publish::also_listed, "also-listed"),
    part(&Publish::require_evidence, "evidence"),
    excluded(&Publish::withheld),  // `builds` excludes them
    excluded(&Publish::others),    // they do not change what this target gets
    excluded(&Publish::linked),    // `target` names it, and `release` has its tag
    merged(&Publish::release, kTaggedReleaseFields), part<InKey::if_set>(&Publish::role, "role"),
    excluded(&Publish::from),  // the record of its step identifies the files
    excluded(&Publish::pinwheel), excluded(&Publish::commit),
    excluded(&Publish::environments));  // the keys of its builds

/// A part in which two keys differ: an element of the `map_differences` of their parts.
using KeyDifference = MapDifference<std::string>;

/// "version: 1.2.0 -> 1.3.0", "source.digest changed", "variables.CFLAGS is new",
/// "variables.CFLAGS is gone".
std::string to_text(const KeyDifference& difference);

}  // namespace pinwheel::plan
