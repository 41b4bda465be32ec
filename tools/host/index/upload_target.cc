#include "host/index/upload_target.h"

#include "base/digest.h"

namespace pinwheel::host {
namespace {

/// In plain form, and as they are sent.
void hide(const ports::BasicCredentials& credentials, HiddenText& hidden) {
  hidden.add(credentials.password);
  hidden.add(Secret(base64(credentials.user + ":" + credentials.password.reveal())));
}

}  // namespace

HiddenText hidden_of(const OpenIndex& index) {
  HiddenText hidden;
  if (index.credentials) hide(*index.credentials, hidden);
  for (const ports::BasicCredentials& each : index.earlier) hide(each, hidden);
  return hidden;
}

}  // namespace pinwheel::host
