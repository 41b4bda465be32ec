#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ports/http.h"
#include "publish/artifact.h"

namespace pinwheel::publish {

/// A header of METADATA or PKG-INFO, in the order of the file.
using MetadataHeaders = std::vector<std::pair<std::string, std::string>>;

/// The metadata as fields of PyPI's upload form, exactly as twine 7 sends them: the project name
/// with runs of odd characters as `-`, keywords joined by ", ", labels and URLs by ", ", and
/// License-File only from metadata version 2.4 on. Import-Name and Import-Namespace (version 2.5),
/// which twine drops, are sent, because the index shows what the form says. `description` is the
/// body; a Description header stands in for an empty one. Kind `check`: a header that no version
/// of the specification knows, or one given twice that may stand once only.
Result<std::vector<ports::FormField>> metadata_fields(const MetadataHeaders& headers,
                                                      std::string_view description);

/// The whole form for one file, ready to be sent: what the file is, its digests, its metadata, and
/// last its contents.
std::vector<ports::FormPart> upload_form(const Artifact& file);

}  // namespace pinwheel::publish
