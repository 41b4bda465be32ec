#include "host/torch/torch_pages.h"

#include "publish/reply.h"
#include "publish/simple_page.h"

namespace pinwheel::host {
namespace {

constexpr int kAnswered = 200;
/// Servers of files answer either for a page that they do not have.
constexpr int kForbidden = 403;
constexpr int kMissing = 404;

}  // namespace

Result<std::optional<std::vector<plan::TorchBuild>>> torch_page(const RemoteAccess& access,
                                                                const std::string& index) {
  TRY(const RemoteReply page, get_remote(access, index + "torch/", [](ports::HttpRequest& request) {
        request.headers.emplace_back("Accept", std::string(publish::kAcceptSimple));
      }));
  const long status = page.reply.status;
  if (status == kForbidden || status == kMissing) return std::nullopt;
  if (status != kAnswered) return fail(unexpected_answer(page));
  TRY(const std::vector<publish::IndexFile> files,
      publish::parse_simple_page(publish::header(page.reply, "content-type"), page.reply.body));
  std::vector<plan::TorchBuild> builds;
  for (const publish::IndexFile& file : files) {
    if (std::optional<plan::TorchBuild> build = plan::torch_build(file.filename)) {
      builds.push_back(*std::move(build));
    }
  }
  return builds;
}

}  // namespace pinwheel::host
