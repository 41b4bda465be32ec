#include <string>

#include "base/hidden_text.h"
#include "fuzz/fuzz.h"
#include "publish/catalog.h"
#include "publish/html.h"
#include "publish/identity_claims.h"
#include "publish/identity_request.h"
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
  static_cast<void>(publish::identity_claims(identity));
  static_cast<void>(publish::identity_claims(Secret(body)));
  static_cast<void>(publish::scan_tags(body, [](const publish::HtmlTag&) { return Done(); }));
  publish::Catalog catalog;
  static_cast<void>(publish::read_back(catalog, "", "demo", body));
  return 0;
}
