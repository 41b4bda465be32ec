#pragma once
#include <string_view>

namespace pinwheel::inspect {

/// Whether the member is the code that `import NAME` runs first: "demo/__init__.py", "demo.py".
bool is_top_module(std::string_view member);

/// Whether the interpreter reads the member at startup: "demo.pth".
bool is_path_file(std::string_view member);
/// Whether the text of a `.pth` file belongs to an editable installation: it names an absolute
/// path, or imports a hook called "editable".
bool is_editable(std::string_view path_file);

/// Whether importing the source always imports the module: by a statement at the beginning of a
/// line, outside of multi-line strings. An import in `try` or `if` does not count.
bool imports_module(std::string_view source, std::string_view module);

/// Whether the source uses the name of a function that opens shared libraries: `ctypes.CDLL`,
/// `torch.ops.load_library`.
bool opens_libraries(std::string_view source);

}  // namespace pinwheel::inspect
