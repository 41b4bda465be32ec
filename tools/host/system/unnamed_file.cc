#include "host/system/unnamed_file.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "host/system/atomic_write.h"
#include "host/system/system_error.h"

namespace pinwheel::host {

UnnamedFile::UnnamedFile(std::filesystem::path directory)
    : directory_(std::move(directory)),
      fd_(::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)),
      errno_(fd_.valid() ? 0 : errno) {}

void UnnamedFile::write(std::string_view bytes) {
  if (errno_ == 0) errno_ = write_all(fd_.get(), bytes);
}

Done UnnamedFile::written() const {
  if (errno_ == 0) return {};
  return fail(system_error("write", directory_, errno_));
}

}  // namespace pinwheel::host
