#pragma once
#include <string_view>

namespace pinwheel::inspect {

/// The modules of Python to read: those of the top level, which may import torch, or all of them,
/// which may open libraries.
enum class ReadModules { of_top_level, all };

/// Whether the facts about a wheel depend on the contents of a member, so that they are fetched
/// from a server; judged by its name, as a request for its first bytes would take longer than many
/// members. Those are the texts of the dist-info directory that rules read, modules of Python, path
/// files, and everything that may be a program, a library or an object. Documentation, sources,
/// headers, tables, images, archives and licenses are not.
bool is_examined(std::string_view name, ReadModules modules);

}  // namespace pinwheel::inspect
