#include "host/index/gather_index.h"

#include "base/digest.h"
#include "publish/catalog.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;
using host::GatheredIndex;
using host::IndexScope;

namespace {

publish::IndexFile listed(const std::string& name, const std::string& bytes) {
  return {name, name, {{"sha256", sha256_hex(bytes)}}, bytes.size()};
}

/// An index in a directory: `demo` at the root and in the sub-index `cu130`.
class LocalIndex {
 public:
  LocalIndex() {
    write_project("demo", {listed("demo-1.0.tar.gz", "sdist")});
    write_project("cu130/demo", {listed("demo-1.0+cu130.tar.gz", "cuda")});
    scratch.write("index/demo/demo-1.0.tar.gz", "sdist");
    scratch.write("index/cu130/demo/demo-1.0+cu130.tar.gz", "cuda");
    scratch.write("index/index.html", publish::root_page_html({"demo"}));
    scratch.write("index/cu130/index.html", publish::root_page_html({"demo"}));
  }
  void write_project(const std::string& place, const std::vector<publish::IndexFile>& files) const {
    scratch.write("index/" + place + "/index.html", publish::project_page_html("demo", files));
    scratch.write("index/" + place + "/index.json", publish::project_page_json("demo", files));
  }
  Result<GatheredIndex> gather(const IndexScope& scope = {}) {
    const host::IndexReader reader(http, scratch.path() / "index", scratch.path());
    const auto verified = host::VerifiedFiles::open(scratch.path() / "record");
    REQUIRE(verified);
    return host::gather_index(reader, **verified, scope, {});
  }

  Scratch scratch;
  ScriptedHttp http;
};

std::vector<std::string> names_of(const GatheredIndex& index) {
  std::vector<std::string> names;
  for (const publish::AuditedPage& page : index.pages) names.push_back(page.name());
  return names;
}

}  // namespace

TEST_CASE("the pages of an index in a directory and of its sub-indexes are read in both forms") {
  LocalIndex index;
  const auto found = index.gather();
  REQUIRE(found);
  CHECK(names_of(*found) == std::vector<std::string>{"demo", "cu130/demo"});
  CHECK(found->hashed == 2);
  CHECK(found->bytes == 9);
  for (const publish::AuditedPage& page : found->pages) {
    CHECK(page.form == publish::PageForm::html);
    REQUIRE(page.other_form);
    REQUIRE(page.files.size() == 1);
    CHECK(page.files[0].digests == page.files[0].listed.hashes);
    CHECK(page.files[0].link->size == page.other_form->front().size);
  }
}

TEST_CASE("verified files are not hashed again until they change") {
  LocalIndex index;
  REQUIRE(index.gather());
  auto again = index.gather();
  REQUIRE(again);
  CHECK(again->hashed == 0);
  CHECK(again->verified == 2);
  CHECK(again->pages[0].files[0].digests == again->pages[0].files[0].listed.hashes);
  index.scratch.write("index/demo/demo-1.0.tar.gz", "other bytes");
  again = index.gather();
  REQUIRE(again);
  CHECK(again->hashed == 1);
  CHECK(again->pages[0].files[0].digests.at("sha256") == sha256_hex("other bytes"));
  // What had another hash is not recorded.
  again = index.gather();
  CHECK(again->hashed == 1);
}

TEST_CASE("without hashes nothing is read to be hashed") {
  LocalIndex index;
  const auto found = index.gather({.hashes = host::Hashes::leave_out});
  REQUIRE(found);
  CHECK(found->hashed == 0);
  CHECK(found->pages[0].files[0].digests.empty());
  CHECK(found->pages[0].files[0].link->size == 5);
}

TEST_CASE("a wheel that is no archive, and a promised copy of METADATA, are facts") {
  LocalIndex index;
  publish::IndexFile wheel = listed("demo-1.0-py3-none-any.whl", "no zip");
  wheel.metadata_sha256 = std::string(64, 'a');
  index.write_project("demo", {wheel});
  index.scratch.write("index/demo/demo-1.0-py3-none-any.whl", "no zip");
  const auto found = index.gather({.projects = {"Demo"}});
  REQUIRE(found);
  const publish::AuditedFile& file = found->pages[0].files[0];
  REQUIRE(file.beside);
  CHECK(file.beside->fault.starts_with("has no readable copy of METADATA: "));
  REQUIRE(file.inside);
  CHECK_FALSE(file.inside->fault.empty());
  CHECK(file.digests.at("sha256") == sha256_hex("no zip"));
}

TEST_CASE("a project that the index does not have is an error, a page that is gone is a fact") {
  LocalIndex index;
  auto found = index.gather({.projects = {"nothing"}});
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::config);
  index.scratch.write("index/index.html", publish::root_page_html({"demo", "gone"}));
  found = index.gather();
  REQUIRE(found);
  REQUIRE(found->pages.size() == 3);
  CHECK(found->pages[1].fault.starts_with("the index has no page"));
}

TEST_CASE("a directory without a root page is no index") {
  const Scratch scratch;
  ScriptedHttp http;
  const host::IndexReader reader(http, scratch.path(), scratch.path());
  const auto verified = host::VerifiedFiles::open(scratch.path() / "record");
  const auto found = host::gather_index(reader, **verified, {}, {});
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::config);
}

TEST_CASE("on a server, an entry of the root page that lists directories is a sub-index") {
  Scratch scratch;
  ScriptedHttp http;
  const auto page = [&](const std::string& url, const std::string& body) {
    http.replies[url] = {200, "", {{"content-type", "text/html"}}, body};
  };
  page("https://a.example/whl/", "<a href='torch/'>torch</a><a href='cu130/'>cu130</a>");
  page("https://a.example/whl/torch/", "<a href='torch-2.0.tar.gz#sha256=00'>x</a>");
  page("https://a.example/whl/cu130/", "<a href='torch/'>torch</a>");
  page("https://a.example/whl/cu130/torch/", "<a href='/files/torch-2.0+cu130.tar.gz'>x</a>");
  const host::IndexReader reader(http, host::RemoteAddress{"https://a.example/whl"},
                                 scratch.path());
  const auto verified = host::VerifiedFiles::open(scratch.path() / "record");
  // Requests of this fake are not safe on several threads.
  const auto found = host::gather_index(reader, **verified, {.connections = 1}, {});
  REQUIRE(found);
  CHECK(names_of(*found) == std::vector<std::string>{"torch", "cu130/torch"});
  CHECK(found->pages[0].files[0].link->fault ==
        "`https://a.example/whl/torch/torch-2.0.tar.gz` answered 404");
  CHECK(found->pages[1].files[0].listed.url == "https://a.example/files/torch-2.0+cu130.tar.gz");
}
