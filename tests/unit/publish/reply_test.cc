#include "publish/reply.h"

#include "unit/catch.h"

using namespace pinwheel;
using ports::HttpResponse;
using publish::Outcome;

namespace {

std::string message_of(const HttpResponse& response) {
  return publish::server_message(response, HiddenText());
}

}  // namespace

TEST_CASE("the status determines the outcome of a reply") {
  const std::vector<std::pair<int, Outcome>> cases = {
      {200, Outcome::uploaded},  {201, Outcome::uploaded},  {204, Outcome::policy},
      {301, Outcome::policy},    {308, Outcome::policy},    {400, Outcome::refused},
      {401, Outcome::auth},      {403, Outcome::auth},      {404, Outcome::policy},
      {405, Outcome::policy},    {408, Outcome::transient}, {409, Outcome::refused},
      {413, Outcome::too_large}, {429, Outcome::transient}, {499, Outcome::unknown},
      {500, Outcome::unknown},   {501, Outcome::policy},    {502, Outcome::unknown},
      {503, Outcome::unknown},   {504, Outcome::unknown},   {505, Outcome::policy}};
  for (const auto& [status, outcome] : cases) {
    CAPTURE(status);
    CHECK(publish::outcome_of_status(status) == outcome);
  }
}

TEST_CASE("without a reply the outcome is unknown only when bytes may have been sent") {
  const Error error{ErrorKind::transient, "no answer"};
  CHECK(publish::outcome_of_failure({error, ports::Sent::nothing}) == Outcome::transient);
  CHECK(publish::outcome_of_failure({error, ports::Sent::perhaps}) == Outcome::unknown);
}

TEST_CASE("the server's message comes from JSON, plain text or the reason phrase, in one line") {
  const HttpResponse warehouse{
      400,
      "Bad Request",
      {{"content-type", "application/json"}},
      R"({"message": "File too\nlarge.", "code": "400 File too large.", "title": "Bad Request"})"};
  CHECK(message_of(warehouse) == "File too large.");
  const HttpResponse plain{
      409, "Conflict", {{"content-type", "text/plain; charset=utf-8"}}, " a\r\n b "};
  CHECK(message_of(plain) == "a b");
  const HttpResponse html{403, "Invalid token.", {{"content-type", "text/html"}}, "<html>"};
  CHECK(message_of(html) == "Invalid token.");
  const HttpResponse broken{400, "Why", {{"content-type", "application/json"}}, "{"};
  CHECK(message_of(broken) == "Why");
  const HttpResponse endless{
      400, std::string(499, 'x') + "\xc3\xa9" + std::string(99, 'y'), {}, ""};
  CHECK(message_of(endless) == std::string(499, 'x') + "...");
  CHECK(message_of(HttpResponse{500, "\x1b[31m", {}, ""}) == "[31m");
}

TEST_CASE("a secret in a server's message is hidden before the message is cut") {
  const Secret token("pypi-" + std::string(200, 'k'));
  HiddenText hidden;
  hidden.add(token);
  const std::string long_text = std::string(450, 'x') + " " + token.reveal() + " is not valid";
  const std::string shown = std::string(450, 'x') + " *** is not valid";
  const HttpResponse json{403,
                          "Forbidden",
                          {{"content-type", "application/json"}},
                          R"({"message": ")" + long_text + R"("})"};
  CHECK(publish::server_message(json, hidden) == shown);
  CHECK(publish::server_message({403, "", {{"content-type", "text/plain"}}, long_text}, hidden) ==
        shown);
  CHECK(publish::server_message({403, long_text}, hidden) == shown);
  // The body itself may have been cut off, at its limit.
  CHECK(publish::server_message({403, "your pypi-kkkkkkkk"}, hidden) == "your ***");
}

TEST_CASE("Retry-After is read in seconds only") {
  const auto wait = [](const char* value) {
    return publish::retry_after({503, "", {{"retry-after", value}}, ""});
  };
  CHECK(wait("120") == std::chrono::seconds(120));
  CHECK_FALSE(wait("Wed, 21 Oct 2026 07:28:00 GMT").has_value());
  CHECK_FALSE(wait("99999999999").has_value());
  CHECK_FALSE(publish::retry_after({503, "", {}, ""}).has_value());
}

TEST_CASE("errors name the file, the status, the server's message and a hint") {
  const Error auth = publish::reply_error(Outcome::auth, {403, "Invalid token.", {}, ""}, "a.whl",
                                          {"own.index", "https://a.example/"}, HiddenText());
  CHECK(auth.kind == ErrorKind::publish);
  CHECK(auth.message ==
        "`a.whl` was not accepted by `https://a.example/`: HTTP 403 (Invalid token.)");
  CHECK(auth.hint.find("; PINWHEEL_TOKEN_OWN_INDEX, --token-file") != std::string::npos);
  const Error exchanged = publish::reply_error(
      Outcome::auth, {403, "Invalid API Token", {}, ""}, "a.whl",
      {"own.index", "https://a.example/", "the project needs a publisher"}, HiddenText());
  CHECK(exchanged.hint == "the project needs a publisher");
  const Error moved = publish::reply_error(Outcome::policy, {301, "", {{"location", "/x/"}}, ""},
                                           "a.whl", {"own", "https://a.example/x"}, HiddenText());
  CHECK(moved.message.ends_with("HTTP 301, moved to `https://a.example/x/`"));
  CHECK(moved.hint.find("--repository-url") != std::string::npos);
  const Error conflict = publish::conflict_error("a.whl", "aa", "bb");
  CHECK(conflict.message.find("SHA-256 bb there, aa here") != std::string::npos);
}

TEST_CASE("a pending publisher of another name is what keeps a new project from being made") {
  const HttpResponse response{
      400, "Non-user identities cannot create new projects. This was probably caused by", {}, ""};
  const Error error = publish::reply_error(Outcome::refused, response, "a-1.0-py3-none-any.whl",
                                           {"pypi", "https://a.example/legacy/"}, HiddenText());
  CHECK(error.hint.starts_with("the pending publisher on the index names another project"));
}

TEST_CASE("a page in HTML says why an upload failed, without its markup") {
  const auto page_message = [](const std::string& page, int status = 400) {
    return message_of(
        {status, "Bad Request", {{"content-type", "text/html; charset=UTF-8"}}, page});
  };
  CHECK(page_message(
            "<html><head><title>400 x</title><style>p{}</style></head><body><h1>400 Bad Request"
            "</h1>The server\n says:<br/><p>Trailing &amp; data</p><script>1<2</script></body>") ==
        "The server says: Trailing & data");
  CHECK(page_message("<h1>Error: 409 Conflict</h1><pre>already exists!</pre>") ==
        "already exists!");
  CHECK(page_message("<head><title>Locked by its owner</title></head><body><h1></h1></body>") ==
        "Locked by its owner");
  CHECK(page_message("<h1>Only a heading</h1><!-- a > b -->") == "Only a heading");
  CHECK(page_message("<p>cut off<a href='x") == "cut off");
  // The pages of nginx and Apache end with the name of the server.
  CHECK(page_message("<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>"
                     "<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>"
                     "nginx/1.24.0</center>\r\n</body></html>") == "413 Request Entity Too Large");
  CHECK(page_message("<h1>Forbidden</h1><p>Quota exceeded</p><hr><address>Apache</address>") ==
        "Quota exceeded");
  CHECK(page_message("<h1>Failed</h1><hr/><p>Quota exceeded</p>") == "Quota exceeded");
  CHECK(page_message("<center><h1>Failed</h1>Quota exceeded</center>") == "Quota exceeded");
  CHECK(page_message("<script>never ends") == "Bad Request");
  CHECK(page_message("") == "Bad Request");
  CHECK(page_message("<p>Welcome</p>", 200) == "Bad Request");
}
