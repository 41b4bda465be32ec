#pragma once
#include "base/result.h"
#include "binary/code_list.h"
#include "binary/window.h"

namespace pinwheel::binary {

/// Adds the entries of the CUDA fat binary containers that fill a section (`.nv_fatbin`,
/// `__nv_relfatbin`): one container for each translation unit, with zeros between them. Nothing is
/// decompressed. Kind `check` when a container or an entry does not fit, or the section has other
/// contents, or there are too many.
Done read_fatbins(Window& section, CodeList& out);

/// The same for containers anywhere in a segment, aligned to 8 bytes: a match that does not fit is
/// taken for other data; an entry that does not fit its container is an error.
Done find_fatbins(Window& segment, CodeList& out);

}  // namespace pinwheel::binary
