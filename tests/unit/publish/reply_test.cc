#include "publish/reply.h"

#include "unit/catch.h"

using namespace pinwheel;
using ports::HttpResponse;
using publish::Outcome;

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
  CHECK(publish::server_message(warehouse) == "File too large.");
  const HttpResponse plain{
      409, "Conflict", {{"content-type", "text/plain; charset=utf-8"}}, " a\r\n b "};
  CHECK(publish::server_message(plain) == "a b");
  const HttpResponse html{403, "Invalid token.", {{"content-type", "text/html"}}, "<html>"};
  CHECK(publish::server_message(html) == "Invalid token.");
  const HttpResponse broken{400, "Why", {{"content-type", "application/json"}}, "{"};
  CHECK(publish::server_message(broken) == "Why");
  const HttpResponse endless{
      400, std::string(499, 'x') + "\xc3\xa9" + std::string(99, 'y'), {}, ""};
  CHECK(publish::server_message(endless) == std::string(499, 'x') + "...");
  CHECK(publish::server_message(HttpResponse{500, "\x1b[31m", {}, ""}) == "[31m");
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
                                          {"own.index", "https://a.example/"});
  CHECK(auth.kind == ErrorKind::publish);
  CHECK(auth.message ==
        "`a.whl` was not accepted by `https://a.example/`: HTTP 403 (Invalid token.)");
  CHECK(auth.hint.find("; PINWHEEL_TOKEN_OWN_INDEX, --token-file") != std::string::npos);
  const Error moved = publish::reply_error(Outcome::policy, {301, "", {{"location", "/x/"}}, ""},
                                           "a.whl", {"own", "https://a.example/x"});
  CHECK(moved.message.ends_with("HTTP 301, moved to `https://a.example/x/`"));
  CHECK(moved.hint.find("--repository-url") != std::string::npos);
  const Error conflict = publish::conflict_error("a.whl", "aa", "bb");
  CHECK(conflict.message.find("SHA-256 bb there, aa here") != std::string::npos);
}

TEST_CASE("a pending publisher of another name is what keeps a new project from being made") {
  const HttpResponse response{
      400, "Non-user identities cannot create new projects. This was probably caused by", {}, ""};
  const Error error = publish::reply_error(Outcome::refused, response, "a-1.0-py3-none-any.whl",
                                           {"pypi", "https://a.example/legacy/"});
  CHECK(error.hint.starts_with("the pending publisher on the index names another project"));
}
