#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "matrix/node.h"

namespace pinwheel::matrix {

/// The format of a scalar. Plain numbers keep their spelling, so `3.10` is fine.
enum class Format {
  text,         ///< any nonempty text except a boolean or null
  scalar,       ///< text or a boolean: rows of `include` may hold `experimental: true`
  name,         ///< letters, digits, `.`, `_`, `-`
  boolean,      ///< true or false
  count,        ///< a whole number from 0 to 99
  bytes,        ///< "100 MB", "4 GiB", above zero
  duration,     ///< "3 h", "90 min", above zero
  backoff,      ///< "5s..2m"
  python_abi,   ///< none, limited(3.10), version
  torch_abi,    ///< none, stable(2.10), minor
  requirement,  ///< name==version
  hardware,     ///< none, gpu, or the path of a device, "/dev/accel0"
  cron,         ///< "17 3 * * *": five fields in their ranges, as GitHub Actions reads them
  // In the texts below, placeholders may stand for a part; a text with placeholders is checked
  // after they are filled in (`settings_for`).
  dependency,     ///< PEP 508: "numpy>=2; python_version<'3.13'"
  torch_spec,     ///< of torch, with options for pip: "torch~=2.13.0", "--pre torch"
  url,            ///< absolute: "https://..."
  image,          ///< of containers: "debian:12"
  module,         ///< "torch.utils"
  operator_name,  ///< "demo::sum"
  distribution,   ///< the name of a project, "{name}-nightly"
  local_label,    ///< letters and digits, divided by `.`, `_` or `-`
};

struct Key;

/// The schema of a node. One table (`matrix_shape`) drives both validation and the JSON Schema.
struct Shape {
  enum class Kind {
    scalar,          ///< of `format`, or one of `allowed`
    list,            ///< of `item[0]`
    scalar_or_list,  ///< one `item[0]`, or a list of them
    mapping,         ///< of `keys`; other names map to `item[0]` if there is one
    by_value,  ///< one `item[0]`, or a mapping from globs on axis values (or `default`) to items
    tagged,    ///< one of `allowed`, or a mapping with exactly one of `keys`
    word_or_mapping,  ///< one of `allowed`, or a mapping of `keys`
  };
  enum class Empty { allowed, refused };
  enum class Names { any, variables };

  Kind kind = Kind::scalar;
  Format format = Format::text;
  std::vector<std::string> allowed = {};
  std::vector<Shape> item = {};
  std::vector<Key> keys;
  Empty empty = Empty::refused;  ///< of lists and mappings
  std::vector<std::string> exactly_one_of = {};
  /// Whether the names that map to `item` are environment variables.
  Names names = Names::any;
};

enum class Need { optional, required };

struct Key {
  std::string name;
  Shape shape;
  std::string about;  ///< one line for the JSON Schema
  Need need = Need::optional;
};

/// The schema of a matrix file.
const Shape& matrix_shape();

/// The shape of an override's patch: nothing is required, and the key of a list may have a leading
/// `+`, which appends.
Shape patch_of(const Shape& shape);

/// Checks that the tree has the shape; else a `config` error with the location and the nearest
/// valid name. `what` names the node in messages, e.g. "a matrix file".
Done validate(const Node& node, const Shape& shape, const std::string& what);

/// Whether the text has the format.
bool has_format(Format format, std::string_view text);
/// The format in words: "a size such as `100 MB`".
std::string_view describe(Format format);

}  // namespace pinwheel::matrix
