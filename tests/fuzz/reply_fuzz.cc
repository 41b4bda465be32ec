#include <string>

#include "base/hidden_text.h"
#include "fuzz/fuzz.h"
#include "publish/attestation_program.h"
#include "publish/catalog.h"
#include "publish/changelog.h"
#include "publish/github_comment.h"
#include "publish/github_release.h"
#include "publish/html.h"
#include "publish/identity_claims.h"
#include "publish/identity_request.h"
#include "publish/release_sbom.h"
#include "publish/reply.h"
#include "publish/token_exchange.h"

using namespace pinwheel;

// Replies of an index and of an identity provider: none of their text breaks a line of a message.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string body(text_of(data, size));
  const Secret identity("e30." + body + ".signature");
  const publish::ExchangeParties parties{"pypi", publish::IndexKind::pypi};
  for (const int status : {200, 403, 422}) {
    ports::HttpResponse response;
    response.status = status;
    response.body = body;
    response.reason = body;
    must(publish::server_message(response, {}).find('\n') == std::string::npos);
    static_cast<void>(publish::audience_reply(response, parties));
    static_cast<void>(publish::exchange_reply(response, identity, parties));
    static_cast<void>(publish::identity_reply(response, "GitHub", "value"));
    static_cast<void>(publish::exchange_error(response, identity, parties));
  }
  static_cast<void>(publish::read_github_release(body));
  static_cast<void>(publish::read_github_releases(body));
  static_cast<void>(publish::read_github_asset(body));
  static_cast<void>(publish::read_github_assets(body));
  static_cast<void>(publish::read_github_object(body));
  static_cast<void>(publish::read_github_permission(body));
  static_cast<void>(publish::read_comments(body, "compare"));
  static_cast<void>(publish::changelog_section(body, "1.0"));
  static_cast<void>(publish::parse_attestations(body));
  static_cast<void>(publish::signed_reply(body, {{{{"demo-1.0.tar.gz", ""}}}}));
  static_cast<void>(publish::verified_reply(body, {{}}));
  static_cast<void>(publish::identity_claims(identity));
  static_cast<void>(publish::identity_claims(Secret(body)));
  static_cast<void>(publish::scan_tags(body, [](const publish::HtmlTag&) { return Done(); }));
  static_cast<void>(
      publish::release_sbom("demo", "1.0", {{"f", "", "demo", "", {}, {{"m", body}}}}));
  publish::Catalog catalog;
  static_cast<void>(publish::read_back(catalog, "", "demo", body));
  return 0;
}
