#include "host/index/index_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/limits.h"
#include "base/mask.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/name.h"
#include "publish/root_page.h"
#include "publish/simple_page.h"

namespace pinwheel::host {
namespace {

using publish::AuditedPage;
using publish::IndexFile;
using publish::PageForm;
using publish::PagePlace;

/// A page that may be that of a project, or the root page of a sub-index.
struct ReadPage {
  AuditedPage page;
  bool is_there = false;
  std::vector<std::string> directories = {};  ///< that the page links to
  std::optional<Error> error = std::nullopt;
};

std::string directory_url(const std::string& parent, const std::string& name) {
  return parent + encode_segment(name) + "/";
}

bool is_package(const IndexFile& file) {
  return publish::version_of_file(file.filename).has_value();
}

/// Whether a page lists directories and no packages, as the root of an index does.
bool lists_directories(const ReadPage& read) {
  const auto& files = read.page.files;
  return read.is_there && !read.directories.empty() &&
         std::none_of(files.begin(), files.end(),
                      [](const auto& file) { return is_package(file.listed); });
}

Result<std::vector<IndexFile>> files_of(const ServedPage& served) {
  TRY(std::vector<IndexFile> files, publish::parse_simple_page(served.content_type, served.body));
  for (IndexFile& file : files) file.url = resolve_url(served.url, file.url);
  // A page may link to its parent and to the project's site as well; what looks like no file is
  // none.
  std::erase_if(files, [](const IndexFile& file) {
    return file.filename.find('.') == std::string::npos || file.filename == "index.html" ||
           file.filename == "index.json" || file.filename == "SHA256SUMS";
  });
  return files;
}

/// The page in the form that installers do not receive.
Result<std::optional<ServedPage>> other_page(const IndexReader& reader, const std::string& url,
                                             const ServedPage& served) {
  const bool is_server = reader.place() == PagePlace::server;
  const bool json = served.form == PageForm::json;
  const std::string address = is_server && !json ? url + "index.json" : url;
  TRY(std::optional<ServedPage> other,
      reader.page(address, json ? WantedPage::html : WantedPage::json));
  if (other && other->form == served.form) other.reset();
  return other;
}

enum class OtherForm { read, leave_out };

void read_other(const IndexReader& reader, const std::string& url, const ServedPage& served,
                AuditedPage& page) {
  const Result<std::optional<ServedPage>> other = other_page(reader, url, served);
  if (!other || !*other) {
    if (!other) page.other_fault = other.error().message;
    return;
  }
  Result<std::vector<IndexFile>> files = files_of(**other);
  if (files) {
    page.other_form = *std::move(files);
  } else {
    page.other_fault = files.error().message;
  }
}

ReadPage read_page(const IndexReader& reader, const std::string& parent, AuditedPage page,
                   OtherForm other) {
  ReadPage read{std::move(page)};
  const std::string url = directory_url(parent, read.page.project);
  read.page.url = url;
  read.page.place = reader.place();
  const Result<std::optional<ServedPage>> served = reader.page(url, WantedPage::served);
  if (!served || !*served) {
    read.page.fault =
        served ? fmt::format("the index has no page {}", quoted_url(url)) : served.error().message;
    if (!served) read.error = served.error();
    return read;
  }
  read.is_there = true;
  read.page.url = (*served)->url;
  read.page.form = (*served)->form;
  Result<std::vector<IndexFile>> files = files_of(**served);
  if (!files) read.page.fault = files.error().message;
  for (IndexFile& file : files.value_or(std::vector<IndexFile>{})) {
    read.page.files.push_back({std::move(file)});
  }
  if ((*served)->form == PageForm::html) {
    read.directories = publish::parse_root_html((*served)->body, (*served)->url)
                           .value_or(std::vector<std::string>{});
  }
  if (other == OtherForm::read && !lists_directories(read)) {
    read_other(reader, url, **served, read.page);
  }
  return read;
}

/// The entries of a root page; nullopt if there is none.
Result<std::optional<std::vector<std::string>>> root_names(const IndexReader& reader,
                                                           const std::string& url) {
  TRY(const std::optional<ServedPage> served, reader.page(url, WantedPage::served));
  if (!served) return std::nullopt;
  if (served->form == PageForm::json) return publish::parse_root_json(served->body);
  return publish::parse_root_html(served->body, served->url);
}

/// Reads an index and its sub-indexes.
class PagesReader {
 public:
  PagesReader(const IndexReader& reader, const PageScope& scope) : reader_(reader), scope_(scope) {
    for (const std::string& name : scope.projects) named_.push_back(pep::normalize_name(name));
    labels_.insert(scope.labels.begin(), scope.labels.end());
  }

  Result<std::vector<AuditedPage>> read() {
    TRY(const std::vector<std::string> names, root_projects());
    if (names.empty() && named_.empty() && labels_.empty()) {
      return std::move(pages_);  // an index without projects
    }
    TRY_DONE(read_projects("", names));
    const std::set<std::string> labels = labels_;
    for (const std::string& label : labels) TRY_DONE(read_label(label));
    if (pages_.empty() && !named_.empty()) {
      return fail(
          ErrorKind::config,
          fmt::format("{} has no page of {}", quoted_url(reader_.root()), quoted_list(named_)),
          "check the names, and whether the index has sub-indexes (`--sub-index`)");
    }
    return std::move(pages_);
  }

 private:
  /// The projects of the root; finds sub-indexes of a directory.
  Result<std::vector<std::string>> root_projects() {
    const bool is_server = reader_.place() == PagePlace::server;
    if (is_server && !named_.empty()) return named_;
    TRY(const auto listed, root_names(reader_, reader_.root()));
    if (!listed && (is_server || scope_.labels.empty())) {
      return fail(ErrorKind::config,
                  fmt::format("{} is not a simple index", quoted_url(reader_.root())),
                  "pass the URL or the directory of a root page (PEP 503), or name projects");
    }
    const std::vector<std::string> names = listed.value_or(std::vector<std::string>{});
    for (const std::string& name : reader_.directories()) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      const ReadPage page =
          read_page(reader_, reader_.root(), {.project = name}, OtherForm::leave_out);
      if (lists_directories(page)) labels_.insert(name);
    }
    return named_.empty() ? names : named_;
  }

  Done read_label(const std::string& label) {
    const std::string url = directory_url(reader_.root(), label);
    if (!named_.empty()) return read_projects(label, named_);
    TRY(const auto names, root_names(reader_, url));
    if (!names) {
      return fail(ErrorKind::config, fmt::format("the index has no sub-index {}", quoted(label)),
                  {});
    }
    return read_projects(label, *names);
  }

  Done read_projects(const std::string& label, const std::vector<std::string>& names) {
    if (names.size() + pages_.size() > limits::kIndexPages.most) {
      return fail(too_many(quoted_url(reader_.root()), limits::kIndexPages)
                      .with_hint("name projects of the index"));
    }
    const std::string parent =
        label.empty() ? reader_.root() : directory_url(reader_.root(), label);
    std::vector<ReadPage> pages(names.size());
    run_jobs(
        std::vector<uint64_t>(names.size(), 1), {.threads = scope_.connections}, [&](size_t i) {
          pages[i] =
              read_page(reader_, parent, {.label = label, .project = names[i]}, OtherForm::read);
        });
    for (ReadPage& page : pages) {
      if (label.empty() && lists_directories(page)) {
        labels_.insert(page.page.project);
      } else if (page.is_there || named_.empty() || page.error) {
        TRY_DONE(add(std::move(page.page)));
      }
    }
    return {};
  }

  Done add(AuditedPage page) {
    files_ += page.files.size();
    if (files_ > limits::kIndexFiles.most) {
      return fail(too_many(quoted_url(reader_.root()), limits::kIndexFiles)
                      .with_hint("name projects of the index"));
    }
    pages_.push_back(std::move(page));
    return {};
  }

  const IndexReader& reader_;
  const PageScope& scope_;
  std::vector<std::string> named_;
  std::set<std::string> labels_;
  std::vector<AuditedPage> pages_;
  size_t files_ = 0;
};

}  // namespace

Result<std::vector<AuditedPage>> read_index_pages(const IndexReader& reader,
                                                  const PageScope& scope) {
  return PagesReader(reader, scope).read();
}

}  // namespace pinwheel::host
