#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "matrix/ci_settings.h"
#include "matrix/node.h"
#include "matrix/target_kind.h"
#include "pep/wheel_variant.h"
#include "store/place_description.h"

namespace pinwheel::matrix {

struct Axis {
  std::string name;
  std::vector<std::string> values;
  Location at;
};

/// A line of `computes`: a compute of no known family.
struct DeclaredCompute {
  std::string name;        ///< a value of the axis `compute`, or the family of several: "gaudi"
  std::string label = {};  ///< empty: derived from its name
  Node patch = {};  ///< its settings for `environment` and `test`, applied before the overrides
  Location at;
};
using DeclaredComputes = std::vector<DeclaredCompute>;

/// One row of `exclude` or `include`: axis values or globs on them (otherwise with GitHub's
/// semantics).
struct Row {
  std::vector<std::pair<std::string, std::string>> values;
  Location at;
};

/// Conditions on axes: axis name -> alternatives (globs; versions match by component; a leading `!`
/// negates). All axes must match.
using When = std::map<std::string, std::vector<std::string>>;

enum class Status { supported, experimental, unmaintained, unsupported };

struct SupportRule {
  When when;
  std::optional<Status> status = std::nullopt;
  When only = {};  ///< variants that `when` matches and this does not are excluded
  std::vector<std::string> channels = {};  ///< empty: all
  std::string because = {};
  Location at;
};

/// The parts of a variant that the binary depends on (docs/matrix.md, "abi").
enum class PythonAbi { none, limited, version };
enum class TorchAbi { none, stable, minor };
enum class ComputeAbi { none, major, exact };
struct Abi {
  PythonAbi python = PythonAbi::version;
  std::string python_limited = {};  ///< "3.10" of limited(3.10)
  /// `limited(3.10) else version`: a Python that does not support that limited API gets a build of
  /// its own.
  bool python_else_version = false;
  TorchAbi torch = TorchAbi::minor;
  std::string torch_stable = {};  ///< "2.10" of stable(2.10)
  ComputeAbi compute = ComputeAbi::exact;
};

enum class VersionFrom { git_tag, calver, file, project };
enum class VersionBump { major, minor, patch };
struct VersionSettings {
  VersionFrom from = VersionFrom::git_tag;
  /// The tags with versions of the package. Empty: tags in the usual forms (only if the version
  /// does not come from tags).
  std::string match = "v*";
  VersionBump bump = VersionBump::minor;
  std::string file = {};  ///< for `from: file`, relative to the package source
  bool recut = false;     ///< a tag that ends with `-rN` names the re-cut N of its version
};

/// The package to build: a source directory, relative to the matrix file, or a third-party sdist
/// from an index (`requirement: torch-scatter==2.1.2`).
struct Package {
  std::string name;
  std::string source = {};       ///< a directory, or empty when `requirement` is set
  std::string requirement = {};  ///< an sdist on the index, "torch-scatter==2.1.2"
  VersionSettings version = {};
  bool sdist = false;
  std::vector<std::string> ignored = {};  ///< `ignore`: patterns of files that are in no wheel
  bool requires_torch_auto = false;
  /// `requires.siblings`: names of the packages of its family that it requires.
  std::vector<std::string> siblings = {};
  Location at;
  Location source_at = {};  ///< of `source`
};

/// Another package of the matrix, with the version of the first one (docs/matrix.md, "family").
struct FamilyMember {
  Package package;
  Abi abi;
};

struct ChannelSettings {
  std::string name;
  When select = {};
  bool nightly_version = false;
  std::vector<std::string> publish = {};  ///< names of publish targets
  bool publishes_nowhere = false;         ///< `publish: []`
  /// The target that gets the files first, for an install test; it is not one of `publish`.
  std::string through = {};
  Location at;
};

struct PublishTarget {  // NOLINT(clang-analyzer-optin.performance.Padding): as documented
  std::string name;
  TargetKind kind = TargetKind::directory;
  std::string url = {};              ///< kind `index`
  std::string check_url = {};        ///< kind `index`: its simple API; empty: derived from `url`
  std::string path = {};             ///< kind `directory`, relative to the matrix file
  std::string bucket = {};           ///< kind `s3`: "s3://BUCKET/PREFIX"
  std::string default_compute = {};  ///< pypi kinds: the compute whose wheel has the plain name
  bool name_suffix = false;          ///< `others: name-suffix`, see plan/names.h
  std::string name_template = {};    ///< `name: "{name}-nightly"`
  bool local_label = false;          ///< `label: local`
  std::string label_template = {};   ///< `label: "pt{torch.nodot}{compute.label}"`
  UploadAuth auth = UploadAuth::automatic;
  std::string audience = {};  ///< of identity tokens, kind `index`; empty: its own
  Attesting attestations = Attesting::automatic;
  /// Kind `index`: the client trust configuration of a private Sigstore, relative to the matrix
  /// file.
  std::string sigstore = {};
  bool unconfirmed = false;  ///< `confirm: none`: the index has no pages that list its files
  /// `size-limit: 300 MB`, in bytes per file; the known limit of the index when absent.
  std::optional<uint64_t> size_limit = std::nullopt;
  /// `keep-nightlies: 14`, kinds `directory` and `s3`: the number of nightlies of each project that
  /// stay listed; all when absent.
  std::optional<size_t> keep_nightlies = std::nullopt;
  /// `files: github`, kind `directory`: the target of kind `github-release` that has the files; the
  /// pages link there. Empty: the directory has them.
  std::string files = {};
  std::string repository = {};  ///< kind `github-release`: "OWNER/NAME"; empty: found at the run
  std::string api = {};         ///< kind `github-release`: the URL of the API; empty: the usual one
  std::string notes = {};  ///< kind `github-release`: the changelog, relative to the matrix file
  /// `variants: pep850`, kinds `directory`, `s3` and `github-release`: wheels are also wheel
  /// variants of this draft.
  std::optional<pep::VariantDraft> variants = std::nullopt;
  Location at;
};

/// The answer of a build backend: the requirements of its builds.
struct BackendAnswer {
  std::string question;            ///< digest of the inputs of the answer
  std::vector<std::string> texts;  ///< PEP 508

  bool operator==(const BackendAnswer&) const = default;
};

/// A validated matrix file. Per-variant sections stay a tree until `settings_for`
/// (matrix/settings.h) merges the overrides that match the variant.
struct Matrix {
  std::string file;       ///< the path as given, for messages
  std::string directory;  ///< the directory of the file, for relative paths
  Package package;
  std::vector<FamilyMember> family = {};
  std::vector<Axis> axes;  ///< those of the file; with a family, the axis `package` is the first
  std::vector<std::string> attributes;
  DeclaredComputes computes = {};
  std::vector<Row> exclude;
  std::vector<Row> include;
  std::vector<SupportRule> rules;
  Abi abi;        ///< of `package`
  Node sections;  ///< mapping: environment, build, checks, test
  struct Override {
    When when;
    Node patch;
    Location at;
  };
  std::vector<Override> overrides;
  std::vector<ChannelSettings> channels;
  std::vector<PublishTarget> targets;
  /// `[build-system] requires` of each package's source, by the package's name. Not in the file:
  /// set after reading the sources.
  std::map<std::string, std::vector<std::string>> build_requires = {};
  /// Further requirements of the source's backend, by variant; set after asking the backend.
  std::map<std::string, BackendAnswer> backend_answers = {};
  /// Patterns on computes, or "default", and the evidence; in the order of the file.
  std::vector<std::pair<std::string, std::string>> require_evidence = {};
  CiSettings ci = {};
  std::vector<store::PlaceDescription> stores = {};  ///< of results; paths relative to the file
};

}  // namespace pinwheel::matrix
