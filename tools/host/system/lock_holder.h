#pragma once
#include <string>

namespace pinwheel::host {

/// The owner of the lock (flock) of an open file, for messages: "process 4711 (`gc`) has held it
/// for 12 s", according to the kernel's list of locks. "another process holds it" if the kernel
/// does not list it, such as a process on another machine.
std::string holder_of(int fd);

}  // namespace pinwheel::host
