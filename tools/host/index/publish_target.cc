#include "host/index/publish_target.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::host {

Result<publish::Endpoint> endpoint_of(const matrix::PublishTarget& target) {
  switch (target.kind) {
    case matrix::TargetKind::pypi:
      return publish::pypi();
    case matrix::TargetKind::testpypi:
      return publish::testpypi();
    case matrix::TargetKind::index:
      return publish::endpoint(target.url);
    case matrix::TargetKind::directory:
      break;
  }
  return fail(ErrorKind::internal,
              fmt::format("{} is a directory, not an index", quoted(target.name)));
}

Result<UploadTarget> upload_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   const CredentialPorts& ports) {
  UploadTarget found{target.name};
  TRY(found.endpoint, endpoint_of(target));
  if (target.auth == matrix::UploadAuth::none) return found;
  const CredentialRequest request{target.name,          found.endpoint,       workplace.variables,
                                  workplace.token_file, workplace.plain_http, target.auth,
                                  target.audience};
  TRY(found.credentials,
      find_credentials(request, credential_sources(request, ports), workplace.mask));
  return found;
}

}  // namespace pinwheel::host
