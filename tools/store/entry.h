#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/derived_file.h"
#include "store/domain.h"

// The three nouns of a store. An entry is the result of a finished step, at the address of its key
// (store/address). Its files are blobs, each named by the digest of its bytes. The JSON of the
// entry is a blob, too, its record. A place contains entries and blobs.
namespace pinwheel::store {

/// Bytes identified by their name in a place.
struct Blob {
  std::string sha256;  ///< hex
  uint64_t size = 0;

  bool operator==(const Blob&) const = default;
  auto operator<=>(const Blob&) const = default;
};

/// A file that a step produced, as its entry lists it.
struct NamedBlob {
  std::string name;  ///< relative, without `..`: "dist/demo-1.0-py3-none-any.whl"
  Blob blob;

  bool operator==(const NamedBlob&) const = default;
};

/// The outcome of a step. Failures are never stored.
enum class Ending {
  done,
  skipped,     ///< a test that could not run there: its evidence counts, but it replaces no test
  unfinished,  ///< a build that was stopped before its end: its outputs are a checkpoint
};

std::string_view to_string(Ending ending);

/// The facts of the machine that the key does not fix. They do not include the machine's name.
struct MachineFacts {
  std::string compiler = {};  ///< "g++ 12.2.0"; empty if none was used
  std::string python = {};    ///< with its patch release, "3.12.7"; empty if none was used

  bool operator==(const MachineFacts&) const = default;
};

/// A package that was installed.
struct InstalledPackage {
  std::string version;      ///< not empty; for conda with its build, "1.2.13 h5eee18b_0"
  std::string sha256 = {};  ///< of its file, hex; empty for packages without a file

  bool operator==(const InstalledPackage&) const = default;
};
using InstalledPackages = std::map<std::string, InstalledPackage>;  ///< by name

/// The run that wrote an entry.
struct Writer {
  std::string run;          ///< its id: random, or that of the CI run; not empty
  std::string commit = {};  ///< hex; empty outside of a repository
  std::string channel = {};
  Domain domain = Domain::branch;

  bool operator==(const Writer&) const = default;
};

/// The result of a finished step, with everything that another machine needs to use it.
struct Entry {
  std::string step;                               ///< "build:cu130"
  std::string key;                                ///< of the result (plan/key)
  std::map<std::string, std::string> parts = {};  ///< the parts of the key
  Ending ending = Ending::done;
  std::string reason = {};        ///< why it was skipped
  std::string evidence = "none";  ///< "ran", "loaded", "inspected", "none"
  std::vector<NamedBlob> outputs = {};
  std::vector<DerivedFile> derivations = {};  ///< among the outputs; absent in the JSON if empty
  std::vector<std::string> warnings = {};     ///< notes for people
  std::string log_sha256 = {};                ///< of its log, which stays on its machine; or empty
  std::string finished = {};                  ///< UTC, "2026-01-02T03:04:05Z"
  int64_t elapsed_ms = 0;
  int attempts = 1;
  MachineFacts machine = {};
  /// The packages of the step's environment, of which the key contains only a digest; empty if
  /// unknown.
  InstalledPackages packages = {};
  std::string plan = {};  ///< digest of the frozen plan; empty without one
  /// The `traceparent` of its span, if its trace was exported; absent in the JSON if empty.
  std::string span = {};
  Writer writer;

  bool operator==(const Entry&) const = default;
};

/// Whether an entry should replace the entry that a place has for the same key: it ran where the
/// other was skipped, has stronger evidence, or is a later checkpoint. Otherwise the one in the
/// place stays, so that everyone gets the same bytes.
bool improves(const Entry& candidate, const Entry& present);

/// JSON, schema `pinwheel-result/1`; bytes that are not UTF-8 are replaced.
std::string to_json(const Entry& entry);

constexpr size_t kMostRecordBytes = 4UL << 20;

/// The inverse of `to_json`. `check` for any other text: unknown and missing members, an output
/// name that could leave its directory or occurs twice, a derived file that is no output, an
/// invalid digest or span, a text longer than `kMostRecordBytes`.
Result<Entry> parse_entry(std::string_view text);

}  // namespace pinwheel::store
