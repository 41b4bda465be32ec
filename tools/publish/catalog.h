#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "publish/index_file.h"
#include "publish/reply.h"
#include "publish/variants_file.h"

namespace pinwheel::publish {

/// A file of a directory index.
struct CatalogFile {
  /// Its path in the index, "cu130/pinwheel-kernels/x.whl", or the URL of a file that is stored
  /// elsewhere.
  std::string home;
  std::string sha256;
  uint64_t size = 0;  ///< bytes
  std::string requires_python = {};
  std::string metadata_sha256 = {};  ///< SHA-256 of `<home>.metadata`; empty for an sdist
  /// When it was first published, as `to_upload_time` writes it; empty if the index does not know.
  std::string upload_time = {};
  std::optional<std::string> yanked = std::nullopt;  ///< as in `IndexFile`

  bool operator==(const CatalogFile&) const = default;
};

using ProjectFiles = std::map<std::string, CatalogFile>;  ///< by file name
using Projects = std::map<std::string, ProjectFiles>;     ///< by normalized name

/// The contents of a directory index: projects and files of the root ("") and of each sub-index,
/// which is named for its label ("cpu", "cu130"). A file is stored in one place and may be listed
/// in several.
struct Catalog {
  std::map<std::string, Projects> places;
  /// What the wheel variants of each project state, by its normalized name. The pages have it for
  /// those whose wheels are listed.
  std::map<std::string, VersionVariants> variants = {};

  bool operator==(const Catalog&) const = default;
};

/// Whether the index lists a file of that name, in any place.
bool is_listed(const Catalog& catalog, const std::string& filename);

enum class InRoot { no, yes };

/// A file to be listed in the sub-index of its label, in the root, or in both, and in others;
/// without a label always in the root.
struct Addition {
  std::string filename;
  std::string project;  ///< normalized
  std::string label = {};
  InRoot in_root = InRoot::no;
  CatalogFile file = {};                      ///< `add` sets `home`, unless it is a URL
  std::vector<std::string> also_listed = {};  ///< more sub-indexes, which link to it
  std::optional<wheel::VariantMetadata> variant = std::nullopt;  ///< of a wheel variant
};

struct Merge {
  Catalog catalog;
  std::vector<Outcome> outcomes;   ///< `uploaded` or `identical`, one per addition
  std::vector<std::string> homes;  ///< the path or URL of each added file
  bool changed = false;            ///< whether anything must be written
};

/// Adds files to a catalog, and removes none. A file that the index has keeps its upload time, and
/// a new file of a version whose files were all yanked is yanked, too, with their reason. Kind
/// `publish` when the index, or another addition, has different bytes under the same name (every
/// conflict is a cause with both hashes); `check` if its variants contradict each other
/// (`add_variant`, `check_distinct`); `config` when a label is not a valid directory name or is
/// also the name of a project.
Result<Merge> add(Catalog catalog, const std::vector<Addition>& additions);

/// Whether a text can be the name of a sub-index; "" is the root. Kind `config`.
Done check_label(const std::string& label);

/// The paths and URLs of all files that the pages list.
std::set<std::string> homes_of(const Catalog& catalog);

/// The files of a project, in the root and in the sub-indexes, each once; `url` is their home.
std::vector<IndexFile> files_of(const Catalog& catalog, const std::string& project);

/// Every page of the index by its path: `index.html` and `index.json` of the root, of each
/// sub-index, and of each project in them, and `SHA256SUMS` in each directory with files. For each
/// version with wheel variants also `variants/SHA256/NAME-VERSION-variants.json`, to which the page
/// of the project links: its path changes with its contents, so a reader of an old page never gets
/// new ones.
std::map<std::string, std::string> pages_of(const Catalog& catalog);

/// Checks, before anything is written, that clients of the index can read its pages. Kind `publish`
/// for a page beyond the limit of pinwheel's own readers.
Done check_pages(const std::map<std::string, std::string>& pages);

/// Reads the files of one project's `index.json` into the catalog. Kind `publish` when the page is
/// corrupt or a file lacks its hash.
Done read_back(Catalog& catalog, const std::string& place, const std::string& project,
               std::string_view json);

/// The version of the simple repository API declared by the pages (PEP 629): 1.1 has `versions`,
/// `size` and `upload-time` (PEP 700). Later versions add keys that the pages do not have.
inline constexpr std::string_view kSimpleApiVersion = "1.1";

/// The pages of a simple index, for a static file server: HTML5 (PEP 503, 592; the upload time as
/// in PyTorch's index, `data-upload-time`) and JSON (PEP 691, 700).
/// The caller normalizes names; files and names are sorted, so that the same contents give the same
/// bytes. Each file needs a SHA-256 and a size; its `url` is written verbatim (percent-encoded by
/// the caller, relative to the page).
std::string project_page_html(std::string_view name, std::vector<IndexFile> files);
std::string project_page_json(std::string_view name, std::vector<IndexFile> files);
std::string root_page_html(std::vector<std::string> names);
std::string root_page_json(std::vector<std::string> names);

}  // namespace pinwheel::publish
