#include "publish/root_page.h"

#include <set>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "base/url.h"
#include "pep/name.h"
#include "publish/html.h"

namespace pinwheel::publish {
namespace {

/// The directory that holds a page: its URL up to the last slash.
std::string directory_of(std::string_view url) {
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  return std::string(path.substr(0, path.rfind('/') + 1));
}

/// The one segment by which a URL continues a directory; "" for any other URL.
std::string name_below(const std::string& directory, const std::string& url) {
  const std::string_view path = without_trailing_slashes(
      std::string_view(url).substr(0, std::string_view(url).find_first_of("?#")));
  if (!path.starts_with(directory)) return {};
  const std::string name = decode_percent(path.substr(directory.size()));
  return pep::is_valid_name(name) ? name : std::string();
}

}  // namespace

Result<std::vector<std::string>> parse_root_html(std::string_view body, const std::string& url) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  const std::string directory = directory_of(url);
  std::string base = url;
  uint64_t links = 0;
  const auto visit = [&](const HtmlTag& tag) -> Done {
    if (tag.name == "a" && ++links > limits::kRootLinks.most) {
      return fail(too_many("the index's page", limits::kRootLinks));
    }
    const auto href = tag.attributes.find("href");
    if (href == tag.attributes.end()) return {};
    if (tag.name == "base") {
      base = resolve_url(url, href->second);
      return check_size("the base of the page", base.size(), limits::kBaseUrl);
    }
    if (tag.name != "a") return {};
    const std::string target = resolve_url(base, href->second);
    const bool is_own = target.substr(0, target.find('?')) == url;  // sorted in another way
    std::string name = is_own ? std::string() : name_below(directory, target);
    if (!name.empty() && seen.insert(name).second) names.push_back(std::move(name));
    return {};
  };
  Done read = check_size("the index's page", body.size(), limits::kSimplePage);
  if (read) read = scan_tags(body, visit);
  if (read) return names;
  read.error().kind = ErrorKind::publish;
  return fail(std::move(read).error());
}

}  // namespace pinwheel::publish
