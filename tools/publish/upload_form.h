#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/http.h"
#include "publish/artifact.h"
#include "wheel/metadata.h"

namespace pinwheel::publish {

/// The metadata as fields of PyPI's upload form, as twine 7 sends them: the project name with runs
/// of other characters as `-`, keywords joined by ", ", labels and URLs by ", ", and License-File
/// only since metadata version 2.4. Import-Name and Import-Namespace (version 2.5), which twine
/// drops, are sent, because the index displays the form's values. Kind `check`: an unknown header,
/// or a duplicate of a header that must be unique.
Result<std::vector<ports::FormField>> metadata_fields(const wheel::Metadata& metadata);

/// The complete form for one file: its type, digests, metadata, attestations (PEP 740) if it has
/// some, and finally its contents.
std::vector<ports::FormPart> upload_form(const Artifact& file);

}  // namespace pinwheel::publish
