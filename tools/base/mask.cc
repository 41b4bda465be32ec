#include "base/mask.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace pinwheel {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::array<std::string_view, 12> kSecretWords = {
    "token", "password", "passwd", "passphrase", "secret",    "credential",
    "auth",  "apikey",   "key",    "cookie",     "signature", "pat"};
constexpr std::string_view kEndOfUrl = " \t\r\n\"'<>`";

/// "AWS_SECRET_ACCESS_KEY" and "--aws-secret" in lower-case words.
std::vector<std::string> words_of_name(std::string_view name) {
  std::string text = to_lower(name);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !is_alphanumeric(c); }, ' ');
  return split(text, ' ');
}

bool is_secret_word(const std::string& word) {
  // "tokens" and "passwords" are plurals; "pypitoken" is written without a separator.
  return std::any_of(kSecretWords.begin(), kSecretWords.end(), [&word](std::string_view each) {
    if (word == each || word == std::string(each) + "s") return true;
    return each.size() > 4 && word.ends_with(each);
  });
}

bool is_option(std::string_view argument) {
  return argument.size() > 2 && argument.starts_with("--");
}

/// The length of the userinfo at the start of a URL after "://", without its `@`; 0 if there is
/// none. A password with an unescaped slash ends the authority early: the apparent port is not one.
size_t userinfo_length(std::string_view url) {
  const std::string_view authority = url.substr(0, url.find_first_of("/?#"));
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) return at;
  const size_t colon = authority.rfind(':');
  const bool port = colon == std::string_view::npos || authority.find(']', colon) != url.npos ||
                    authority.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  const size_t at = port ? std::string_view::npos : url.rfind('@');
  return at == std::string_view::npos ? 0 : at;
}

std::string mask_header(const std::string& argument) {
  const size_t colon = argument.find(':');
  if (colon == std::string::npos || argument.find(' ') < colon) return argument;
  const std::string_view name = std::string_view(argument).substr(0, colon);
  const bool header = to_lower(name).ends_with("authorization") || names_secret(name);
  return header && argument.substr(colon, 3) != "://" ? std::string(name) + ": ***" : argument;
}

std::string mask_assignment(const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string::npos || argument.find(' ') < equals) return argument;
  const std::string name = argument.substr(0, equals);
  return names_secret(name) ? name + "=***" : argument;
}

}  // namespace

bool names_secret(std::string_view name) {
  const std::vector<std::string> words = words_of_name(name);
  return std::any_of(words.begin(), words.end(), is_secret_word);
}

std::string mask_urls(std::string_view text) {
  std::string out;
  for (size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://")) {
    out += text.substr(0, at + 3);
    text.remove_prefix(at + 3);
    const std::string_view url = text.substr(0, text.find_first_of(kEndOfUrl));
    const size_t user = userinfo_length(url);
    if (user > 0) out += kMask;
    const size_t query = std::min(url.find('?', user), url.size());
    out += url.substr(user, query - user);
    if (query < url.size()) out.append("?").append(kMask);
    text.remove_prefix(url.size());
  }
  return out.append(text);
}

std::string quoted_url(std::string_view url) {
  return quoted(mask_urls(url));
}

std::vector<std::string> mask_arguments(const std::vector<std::string>& argv) {
  std::vector<std::string> out;
  bool value_of_secret = false;
  for (const std::string& argument : argv) {
    if (value_of_secret && !argument.starts_with("-")) {
      out.emplace_back(kMask);
      value_of_secret = false;
      continue;
    }
    value_of_secret =
        is_option(argument) && argument.find('=') == std::string::npos && names_secret(argument);
    out.push_back(mask_urls(mask_assignment(mask_header(argument))));
  }
  return out;
}

}  // namespace pinwheel
