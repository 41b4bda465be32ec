#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/domain.h"

// The three nouns of a store: an entry is the result of a finished step, under the address of its
// key (store/address). Its files are blobs, each under the digest of its bytes; the JSON of the
// entry is such a blob, too: its record. A place has entries and blobs.
namespace pinwheel::store {

/// Bytes by their name in a place.
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

/// How a step ended. There is no failure: one is never stored.
enum class Ending {
  done,
  skipped,  ///< a test that could not run there: its evidence counts, but it replaces no test
};

std::string_view to_string(Ending ending);

/// What was used of the machine that the key does not fix. No name of the machine.
struct MachineFacts {
  std::string compiler = {};  ///< "g++ 12.2.0"; empty if none was used
  std::string python = {};    ///< with its patch release, "3.12.7"; empty if none was used

  bool operator==(const MachineFacts&) const = default;
};

/// What was installed of a package.
struct InstalledPackage {
  std::string version;      ///< not empty; of conda's with its build, "1.2.13 h5eee18b_0"
  std::string sha256 = {};  ///< of its file, hex; empty for what is no file

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

/// The result of a finished step, with everything that another machine must know to use it.
struct Entry {
  std::string step;                               ///< "build:cu130"
  std::string key;                                ///< of the result (plan/key)
  std::map<std::string, std::string> parts = {};  ///< the parts of the key
  Ending ending = Ending::done;
  std::string reason = {};        ///< why it was skipped
  std::string evidence = "none";  ///< "ran", "loaded", "inspected", "none"
  std::vector<NamedBlob> outputs = {};
  std::vector<std::string> warnings = {};  ///< what people should know of the result
  std::string log_sha256 = {};  ///< of its log, which stays where it was written; or empty
  std::string finished = {};    ///< UTC, "2026-01-02T03:04:05Z"
  int64_t elapsed_ms = 0;
  int attempts = 1;
  MachineFacts machine = {};
  /// Of the step's environment, whose part of the key is a digest; empty if they are not known.
  InstalledPackages packages = {};
  std::string plan = {};  ///< digest of the frozen plan; empty without one
  Writer writer;

  bool operator==(const Entry&) const = default;
};

/// Whether an entry should replace one that a place has for the same key: it finished what the
/// other skipped, or shows more. Else the one in the place stays, so that all who use it have the
/// same bytes.
bool improves(const Entry& candidate, const Entry& present);

/// JSON, schema `pinwheel-result/1`; bytes that are not UTF-8 are replaced.
std::string to_json(const Entry& entry);

constexpr size_t kMostRecordBytes = 4UL << 20;

/// The inverse of `to_json`. `check` for any other text: unknown and missing members, a name of an
/// output that could leave its directory or that two outputs have, a digest that is none, a text
/// longer than `kMostRecordBytes`.
Result<Entry> parse_entry(std::string_view text);

}  // namespace pinwheel::store
