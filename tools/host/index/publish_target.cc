#include "host/index/publish_target.h"

#include "host/net/credentials.h"

namespace pinwheel::host {
namespace {

Result<publish::Endpoint> endpoint_of(const matrix::PublishTarget& target) {
  if (target.kind == matrix::TargetKind::pypi) return publish::pypi();
  if (target.kind == matrix::TargetKind::testpypi) return publish::testpypi();
  return publish::endpoint(target.url);
}

}  // namespace

Result<UploadTarget> upload_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   ports::Files& files) {
  UploadTarget found{target.name, {}, {}};
  TRY(found.endpoint, endpoint_of(target));
  if (target.anonymous) return found;
  const CredentialSources sources = credential_sources(workplace.variables, workplace.token_file);
  TRY(found.credentials, find_credentials(target.name, found.endpoint.upload_url, sources, files));
  return found;
}

}  // namespace pinwheel::host
