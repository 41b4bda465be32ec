#pragma once
#include <string_view>

namespace pinwheel::inspect {

/// Whether the member is what `import NAME` runs first: "demo/__init__.py", "demo.py".
bool is_top_module(std::string_view member);

/// Whether the interpreter reads the member at its start: "demo.pth".
bool is_path_file(std::string_view member);
/// Whether the text of such a file is that of an editable installation: it names an absolute path,
/// or imports a hook called "editable".
bool is_editable(std::string_view path_file);

/// Whether the source imports the module whenever it is imported itself: by a statement at the
/// beginning of a line, outside of strings of several lines. One below `try` or `if` does not
/// count.
bool imports_module(std::string_view source, std::string_view module);

/// Whether the source has a name of the functions that open shared libraries: `ctypes.CDLL`,
/// `torch.ops.load_library`.
bool opens_libraries(std::string_view source);

}  // namespace pinwheel::inspect
