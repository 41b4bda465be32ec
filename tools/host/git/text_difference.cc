#include "host/git/text_difference.h"

#include <memory>

#include "host/git/git_library.h"

namespace pinwheel::host {

Result<std::string> text_difference(const std::string& before, const std::string& after,
                                    const std::string& path) {
  TRY(const GitLibrary* const git, git_library());
  const GitSession session(*git);
  git_patch* raw = nullptr;
  const int made = git->patch_from_buffers(&raw, before.data(), before.size(), path.c_str(),
                                           after.data(), after.size(), path.c_str(), nullptr);
  const std::unique_ptr<git_patch, decltype(git->patch_free)> patch(raw, git->patch_free);
  git_buf buffer = {nullptr, 0, 0};
  if (made != 0 || git->patch_to_buf(&buffer, patch.get()) != 0) {
    return fail(ErrorKind::internal, "libgit2 cannot compare two texts");
  }
  std::string text(buffer.ptr, buffer.size);
  git->buf_dispose(&buffer);
  return text;
}

}  // namespace pinwheel::host
