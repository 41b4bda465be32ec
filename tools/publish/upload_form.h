#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/http.h"
#include "publish/artifact.h"
#include "wheel/metadata.h"

namespace pinwheel::publish {

/// The metadata as fields of PyPI's upload form, exactly as twine 7 sends them: the project name
/// with runs of odd characters as `-`, keywords joined by ", ", labels and URLs by ", ", and
/// License-File only from metadata version 2.4 on. Import-Name and Import-Namespace (version 2.5),
/// which twine drops, are sent, because the index shows what the form says. Kind `check`: a header
/// that no version of the specification knows, or one given twice that may stand once only.
Result<std::vector<ports::FormField>> metadata_fields(const wheel::Metadata& metadata);

/// The whole form for one file, ready to be sent: what the file is, its digests, its metadata, and
/// last its contents.
std::vector<ports::FormPart> upload_form(const Artifact& file);

}  // namespace pinwheel::publish
