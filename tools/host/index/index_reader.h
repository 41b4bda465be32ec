#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/net/get_remote.h"
#include "ports/byte_source.h"
#include "ports/http.h"
#include "publish/choose_file.h"
#include "publish/index_audit.h"

namespace pinwheel::host {

/// A page as the index serves it.
struct ServedPage {
  std::string url;  ///< after redirects: links are relative to it
  publish::PageForm form = publish::PageForm::html;
  std::string content_type;
  std::string body;
};

/// What a link leads to.
struct FoundFile {
  publish::LinkFacts link;
  /// Changes when the file does: its size, and its entity tag or its time.
  std::string state = {};
};

/// The wanted form of a page. `served` is what installers get.
enum class WantedPage { served, html, json };

/// Reads the pages and files of an index, on a server or in a directory. Thread-safe. Files of a
/// directory are addressed by file:// URLs, which no page of a server can link to; those outside of
/// the directory are not read.
class IndexReader {
 public:
  /// `http` must outlive the reader. `scratch` is for files of servers without range requests.
  IndexReader(ports::Http& http, RemoteAddress index, std::filesystem::path scratch);
  IndexReader(ports::Http& http, const std::filesystem::path& index, std::filesystem::path scratch);

  /// The URL of the index, with a slash at its end.
  const std::string& root() const { return root_; }
  publish::PagePlace place() const { return place_; }

  /// The page of a directory URL; nullopt if the index has none in that form. `config`, `transient`
  /// or `environment` if it does not answer, `check` for a page over its limit.
  Result<std::optional<ServedPage>> page(const std::string& url, WantedPage wanted) const;
  /// The names of the directories of an index in a directory, which may be sub-indexes; none on a
  /// server.
  std::vector<std::string> directories() const;

  /// Asks for the first byte of a file.
  FoundFile find(const std::string& url) const;
  /// All bytes of a file, in order. `restart` is called before the first one, and again if the
  /// transfer has to begin anew.
  Done stream(const std::string& url, const std::function<void()>& restart,
              const std::function<void(std::string_view)>& sink) const;
  /// The text of a small file; `config` if it is not there.
  Result<std::string> text(const std::string& url, const ByteLimit& limit) const;

  struct OpenFile {
    std::unique_ptr<ports::ByteSource> bytes;
    bool is_here = false;  ///< all of it is on this machine
  };
  /// A file to be read in parts. It must not outlive the reader.
  Result<OpenFile> open(const std::string& url) const;

 private:
  RemoteAccess access() const { return {http_, credentials_, root_}; }
  /// The path of a file:// URL; `config` for one outside of the directory.
  Result<std::filesystem::path> local_path(const std::string& url) const;
  Result<std::optional<ServedPage>> local_page(const std::string& url, WantedPage wanted) const;

  ports::Http& http_;
  std::optional<ports::BasicCredentials> credentials_ = std::nullopt;
  std::string root_;
  publish::PagePlace place_;
  std::filesystem::path directory_ = {};  ///< absolute; of an index in a directory
  std::filesystem::path scratch_;
};

}  // namespace pinwheel::host
