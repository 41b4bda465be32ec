#pragma once
#include <string>

namespace pinwheel::host {

/// Who holds the lock (flock) of an open file, for messages: "process 4711 (`gc`) has held it for
/// 12 s", by what the kernel says of its locks. "another process holds it" if the kernel does not
/// say, such as of a process on another machine.
std::string holder_of(int fd);

}  // namespace pinwheel::host
