#include "base/hidden_text.h"

#include "unit/catch.h"

using namespace pinwheel;

namespace {

HiddenText hiding(const std::string& secret, const std::string& name = "TOKEN") {
  HiddenText hidden;
  hidden.add(Secret(secret), name);
  return hidden;
}

std::string encoded(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < text.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8U | (i + j < text.size() ? static_cast<unsigned char>(text[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      const bool filled = i + j <= text.size();
      out += filled ? digits[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return out;
}

/// Every piece of `size` characters passed on its own.
std::string in_pieces(const HiddenText& hidden, const std::string& text, size_t size) {
  HidingStream stream(hidden);
  std::string out;
  for (size_t at = 0; at < text.size(); at += size) out += stream.pass(text.substr(at, size));
  return out + stream.end();
}

}  // namespace

TEST_CASE("a secret is hidden in each spelling, and nothing around it") {
  const std::string secret = "p/ss w\"rd\\\xc3\xa9\xf0\x9f\x94\x91+1";
  const HiddenText hidden = hiding(secret);
  CHECK(hidden.mask("a " + secret + " b") == "a *** b");
  CHECK(hidden.mask("u=p%2Fss%20w%22rd%5C%C3%A9%F0%9F%94%91%2B1&x") == "u=***&x");
  CHECK(hidden.mask("u=p%2fss+w%22rd%5c%c3%a9%f0%9f%94%91%2b1&x") == "u=***&x");
  CHECK(hidden.mask("u=p/ss%20w%22rd%5C%C3%A9%F0%9F%94%91+1&x") ==
        "u=p/ss%20w%22rd%5C%C3%A9%F0%9F%94%91+1&x");
  CHECK(hidden.mask(R"({"k": "p/ss w\"rd\\\u00e9\ud83d\udd11+1"})") == R"({"k": "***"})");
  CHECK(hidden.mask("{\"k\": \"p\\/ss w\\\"rd\\\\\xc3\xa9\xf0\x9f\x94\x91+1\"}") ==
        R"({"k": "***"})");
  CHECK(hidden.mask(R"(b'p/ss w"rd\\\xc3\xa9\xf0\x9f\x94\x91+1')") == "b'***'");
  CHECK(hidden.mask("p/ss w\"") == "p/ss w\"");
}

TEST_CASE("base64 of a secret is hidden wherever it begins, in both alphabets") {
  const std::string secret = "hunter2>>>???\xff\xfe";
  const HiddenText hidden = hiding(secret);
  for (const std::string before : {"", "u", "us", "use", "user:"}) {
    for (const std::string after : {"", "\n", "@h", "end"}) {
      std::string text = encoded(before + secret + after);
      CAPTURE(before, after, text);
      const std::string masked = hidden.mask("Basic " + text + " done");
      CHECK(masked.starts_with("Basic "));
      CHECK(masked.ends_with(" done"));
      CHECK(masked.find("***") != std::string::npos);
      // The remainder of the secret, besides the text around it: a few bits at both ends.
      CHECK(masked.size() <=
            std::string("Basic *** done").size() + before.size() * 2 + after.size() * 2 + 6);
      for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
      CHECK(hidden.mask(text).find("***") != std::string::npos);
    }
  }
}

TEST_CASE("a secret is hidden wherever the text is cut, and other text is not changed") {
  const HiddenText hidden = hiding("s3cr3t-s3cr3t-value");
  const std::string text = "s3cr3t-s3cr3t-s3cr3t-value s3cr3t% \\u s3cr3t-s3cr3t-valu\n" +
                           encoded("xs3cr3t-s3cr3t-value") + " s3cr3t%2ds3cr3t%2Dvalue.";
  const std::string whole = hidden.mask(text);
  CHECK(whole.starts_with("s3cr3t-*** s3cr3t% \\u s3cr3t-s3cr3t-valu\n"));
  CHECK(whole.ends_with(" ***."));
  for (size_t size = 1; size <= text.size(); ++size) {
    CAPTURE(size);
    CHECK(in_pieces(hidden, text, size) == whole);
  }
}

TEST_CASE("a stream holds back only a possible beginning of a secret") {
  const HiddenText hidden = hiding("s3cr3t-value");
  HidingStream stream(hidden);
  CHECK(stream.pass("progress 10%") == "progress 10");
  CHECK(stream.pass(" done\n") == "% done\n");
  CHECK(stream.pass("s3cr3t-") == "");
  CHECK(stream.pass("other\n") == "s3cr3t-other\n");
  CHECK(stream.pass("key s3cr3t-va") == "key ");
  CHECK(stream.found().empty());
  CHECK(stream.end() == "***");
  CHECK(stream.found() == std::set<std::string>{"TOKEN"});
}

TEST_CASE("secrets that overlap or repeat leave nothing of each other") {
  HiddenText hidden;
  hidden.add(Secret("12345678ab"), "A");
  hidden.add(Secret("78abcdefgh"), "B");
  hidden.add(Secret("12345678abcdefghij"), "C");
  hidden.add(Secret("short"), "D");
  CHECK(hidden.mask("<12345678abcdefgh>") == "<***>");
  CHECK(hidden.mask("<12345678abcdefghij>") == "<***>");
  CHECK(hidden.mask("12345678ab12345678ab short") == "****** short");
  CHECK(in_pieces(hidden, "<12345678abcdefgh>", 3) == "<***>");
}

TEST_CASE("a secret of several lines is hidden line by line, without its last line break") {
  const HiddenText hidden = hiding("-----BEGIN KEY-----\nMIIabcdefgh\nend\n");
  CHECK(hidden.mask("-----BEGIN KEY-----\nMIIabcdefgh\nend\n") == "***\n");
  CHECK(hidden.mask("> MIIabcdefgh\r\n> end") == "> ***\r\n> end");
}

TEST_CASE("an error is masked with its hint and its causes") {
  const HiddenText hidden = hiding("s3cr3t-value");
  Error error{ErrorKind::step, "a s3cr3t-value b", Location{"f", 1, 1, "s3cr3t-value"},
              "s3cr3t-value"};
  error.causes.push_back({ErrorKind::step, "because s3cr3t-value"});
  const Error masked = hidden.mask(error);
  CHECK(masked.message == "a *** b");
  CHECK(masked.hint == "***");
  CHECK(masked.at->excerpt == "***");
  CHECK(masked.causes[0].message == "because ***");
  CHECK(HiddenText().mask(error).message == error.message);
}
