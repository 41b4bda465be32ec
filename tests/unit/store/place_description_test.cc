#include "store/place_description.h"

#include "unit/catch.h"

namespace pinwheel::store {
namespace {

std::string why_not(std::string_view text) {
  const Result<PlaceDescription> place = parse_place(text);
  REQUIRE_FALSE(place);
  CHECK(place.error().kind == ErrorKind::usage);
  CHECK_FALSE(place.error().hint.empty());
  return place.error().message;
}

}  // namespace

TEST_CASE("places are described by text", "[store]") {
  CHECK(parse_place("local") == PlaceDescription{});
  const PlaceDescription directory = *parse_place("dir:/a b/c,ro");
  CHECK(directory.kind == PlaceKind::directory);
  CHECK(directory.path == "/a b/c");
  CHECK(directory.access == PlaceAccess::read_only);
  const PlaceDescription artifacts = *parse_place("artifacts:in");
  CHECK(artifacts.kind == PlaceKind::artifacts);
  CHECK(artifacts.path == "in");
  CHECK(artifacts.access == PlaceAccess::read_only);
  CHECK(parse_place("artifacts:in,ro") == artifacts);
  const PlaceDescription http = *parse_place("http://cache:8080/prefix/,rw");
  CHECK(http.url == "http://cache:8080/prefix");
  CHECK(http.access == PlaceAccess::read_write);
  const PlaceDescription s3 = *parse_place("s3://my-bucket/a/b/");
  CHECK(s3.bucket == "my-bucket");
  CHECK(s3.prefix == "a/b");
  CHECK(parse_place("s3://bucket")->prefix.empty());
  CHECK(parse_place("local", NamedBy::matrix)->named_by == NamedBy::matrix);
}

TEST_CASE("a place is shown as it is written", "[store]") {
  for (const std::string_view text : {"local", "dir:out", "artifacts:in", "https://host/prefix",
                                      "s3://bucket/prefix", "s3://bucket"}) {
    CHECK(to_string(*parse_place(text)) == text);
  }
}

TEST_CASE("several places are separated by blanks", "[store]") {
  const auto places = parse_places(" local  dir:a,ro\nhttps://host ");
  REQUIRE(places);
  CHECK(places->size() == 3);
  CHECK(parse_places("")->empty());
  CHECK_FALSE(parse_places("local ftp://x"));
}

TEST_CASE("what is no place says why", "[store]") {
  CHECK(why_not("ftp://host") == "`ftp://host` is not a place for results: its kind is not known");
  CHECK(why_not("") == "`` is not a place for results: it is empty");
  CHECK(why_not("artifacts:in,rw").ends_with("artifacts are only read"));
  CHECK(why_not("artifacts:").ends_with("it has no path"));
  CHECK(why_not("dir:") == "`dir:` is not a place for results: it has no path");
  CHECK(why_not("s3://B_/x").find("`B_` is not the name of a bucket") != std::string::npos);
  CHECK(why_not("s3://bucket/../x").ends_with("its prefix has a `..`"));
  CHECK(why_not("https://host/x?y=1").ends_with("it has a query or a fragment"));
  CHECK(why_not("https:///x").ends_with("it has no host"));
  CHECK(why_not("https://ho st/x").ends_with("it has a blank"));
}

TEST_CASE("a place with credentials is refused without showing them", "[store]") {
  CHECK(why_not("https://user:hunter22@host/x") ==
        "the place `https://host/x` may not contain credentials");
  for (const std::string_view text :
       {"s3://AKIA:hunter2secret@bucket/x", "s3://AKIA:hunter2/secret@bucket/x",
        "HTTPS://u:hunter2secret@h/x", "https://user:hunter2secret@/x",
        "https://user:hunter2secret@host/a b", "https:u:hunter2secret@h",
        "hunter2secret@host:prefix", "https://user:hunter2secret@host/x?y=1"}) {
    CAPTURE(text);
    CHECK(why_not(text).find("hunter2") == std::string::npos);
  }
  CHECK(why_not("HTTPS://u:hunter2secret@h/x").starts_with("`HTTPS://***@h/x` is not a place"));
  CHECK(why_not("artifacts:a@b,rw").starts_with("`artifacts:a@b,rw` is not a place"));
}

}  // namespace pinwheel::store
