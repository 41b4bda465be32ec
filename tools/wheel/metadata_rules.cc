#include "wheel/metadata_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "pep/license.h"
#include "pep/name.h"
#include "pep/version.h"

namespace pinwheel::wheel {
namespace {

/// A field of the core metadata, and the first version that has it.
struct Field {
  std::string_view name;
  std::string_view since;
};
constexpr auto kMetadataFields = std::to_array<Field>({{"metadata-version", "1.0"},
                                                       {"name", "1.0"},
                                                       {"version", "1.0"},
                                                       {"platform", "1.0"},
                                                       {"summary", "1.0"},
                                                       {"description", "1.0"},
                                                       {"keywords", "1.0"},
                                                       {"home-page", "1.0"},
                                                       {"author", "1.0"},
                                                       {"author-email", "1.0"},
                                                       {"license", "1.0"},
                                                       {"supported-platform", "1.1"},
                                                       {"download-url", "1.1"},
                                                       {"classifier", "1.1"},
                                                       {"requires", "1.1"},
                                                       {"provides", "1.1"},
                                                       {"obsoletes", "1.1"},
                                                       {"maintainer", "1.2"},
                                                       {"maintainer-email", "1.2"},
                                                       {"requires-dist", "1.2"},
                                                       {"requires-python", "1.2"},
                                                       {"requires-external", "1.2"},
                                                       {"project-url", "1.2"},
                                                       {"provides-dist", "1.2"},
                                                       {"obsoletes-dist", "1.2"},
                                                       {"description-content-type", "2.1"},
                                                       {"provides-extra", "2.1"},
                                                       {"dynamic", "2.2"},
                                                       {"license-expression", "2.4"},
                                                       {"license-file", "2.4"},
                                                       {"import-name", "2.5"},
                                                       {"import-namespace", "2.5"}});
constexpr std::string_view kLicenseFile = "license-file";
constexpr std::string_view kWithLicensePaths = "2.4";

const Field* find_field(std::string_view name) {
  const auto* const found = std::find_if(kMetadataFields.begin(), kMetadataFields.end(),
                                         [&](const Field& field) { return field.name == name; });
  return found == kMetadataFields.end() ? nullptr : found;
}

/// Whether a Metadata-Version is one of those since `since`; an unknown one is.
bool is_at_least(std::string_view format, std::string_view since) {
  const Result<pep::Version> version = pep::parse_version(format);
  return !version || *version >= pep::parse_version(since).value();
}

/// A value with parameters, `text/markdown; variant=GFM`: names in lower case.
struct ContentType {
  std::string type;
  std::map<std::string, std::string> parameters = {};
};

ContentType parse_content_type(std::string_view text) {
  ContentType out;
  bool first = true;
  for (const std::string& part : split(text, ';')) {
    const size_t equals = part.find('=');
    if (first) {
      out.type = to_lower(trim(part));
    } else if (equals != std::string::npos) {
      std::string_view value = trim(std::string_view(part).substr(equals + 1));
      const bool quotes = value.size() >= 2 && value.front() == '"' && value.back() == '"';
      if (quotes) value = value.substr(1, value.size() - 2);
      out.parameters.emplace(to_lower(trim(std::string_view(part).substr(0, equals))), value);
    }
    first = false;
  }
  return out;
}

class MetadataRules {
 public:
  explicit MetadataRules(const Metadata& metadata)
      : block_(metadata.block), version_(metadata.version_of_format()) {}

  std::vector<MetadataFault> run() {
    check_ages();
    check_license();
    check_content_type();
    for (const std::string& name : block_.all("Dynamic")) check_dynamic(name);
    for (const std::string& extra : block_.all("Provides-Extra")) {
      if (!pep::is_valid_name(trim(extra)))
        add("has the malformed Provides-Extra " + quoted(extra));
    }
    return std::move(faults_);
  }

 private:
  void add(std::string message, std::string hint = {}) {
    faults_.push_back({std::move(message), std::move(hint)});
  }

  void check_ages() {
    std::set<std::string> reported;
    for (const Header& header : block_.headers) {
      const Field* const field = find_field(to_lower(header.name));
      if (field == nullptr || field->name == kLicenseFile || is_at_least(version_, field->since))
        continue;
      if (!reported.insert(std::string(field->name)).second) continue;
      add(fmt::format("has {}, which Metadata-Version {} does not have", quoted(header.name),
                      quoted(version_)),
          fmt::format("it came with {}: use a backend that writes that version", field->since));
    }
  }

  void check_license() {
    const std::optional<std::string> text = block_.get("License-Expression");
    if (!text) return;
    const Done checked = pep::check_license_expression(*text);
    if (checked) return;
    add(fmt::format("has the License-Expression {}: {}", quoted(*text), checked.error().message),
        checked.error().hint);
  }

  void check_content_type() {
    const std::optional<std::string> text = block_.get("Description-Content-Type");
    if (!text) return;
    const ContentType content = parse_content_type(*text);
    const auto parameter_is = [&](const char* name, std::initializer_list<std::string_view> known) {
      const auto found = content.parameters.find(name);
      return found == content.parameters.end() ||
             std::find(known.begin(), known.end(), found->second) != known.end();
    };
    const bool known = content.type == "text/plain" || content.type == "text/x-rst" ||
                       content.type == "text/markdown";
    const bool variant =
        content.type != "text/markdown" || parameter_is("variant", {"GFM", "CommonMark"});
    if (known && variant && parameter_is("charset", {"UTF-8"})) return;
    add(fmt::format("has the Description-Content-Type {}, which PyPI rejects", quoted(*text)),
        "use `text/markdown`, `text/x-rst` or `text/plain`, with `charset=UTF-8` or without");
  }

  void check_dynamic(const std::string& text) {
    const std::string name = to_lower(trim(text));
    if (name == "name" || name == "version" || name == "metadata-version") {
      add(fmt::format("has Dynamic {}, which cannot be dynamic", quoted(text)));
    } else if (find_field(name) == nullptr) {
      add(fmt::format("has Dynamic {}, which is not a field", quoted(text)));
    }
  }

  const HeaderBlock& block_;
  std::string version_;
  std::vector<MetadataFault> faults_;
};

}  // namespace

bool names_license_files(const Metadata& metadata) {
  return is_at_least(metadata.version_of_format(), kWithLicensePaths);
}

std::vector<MetadataFault> metadata_faults(const Metadata& metadata) {
  return MetadataRules(metadata).run();
}

std::vector<MetadataFault> sdist_faults(const Metadata& metadata,
                                        const std::set<std::string, std::less<>>& files) {
  std::vector<MetadataFault> faults = metadata_faults(metadata);
  if (!names_license_files(metadata)) return faults;
  for (const std::string& name : metadata.license_files()) {
    if (files.contains(name)) continue;
    faults.push_back(
        {fmt::format("has the License-File {}, which is not in the sdist", quoted(name)),
         "pack it at that path, or name it where it is"});
  }
  return faults;
}

}  // namespace pinwheel::wheel
