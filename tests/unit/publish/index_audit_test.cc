#include "publish/index_audit.h"

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "unit/catch.h"

using namespace pinwheel;
using publish::AuditedFile;
using publish::AuditedPage;
using publish::AuditFinding;
using publish::AuditSeverity;

namespace {

using Rules = std::vector<std::string>;

const std::string kA(64, 'a');
const std::string kB(64, 'b');
constexpr const char* kName = "demo-1.0-py3-none-any.whl";

std::chrono::system_clock::time_point now() {
  return std::chrono::sys_days(std::chrono::year(2026) / 6 / 1);
}

/// A file without fault.
AuditedFile sound(const std::string& filename = kName) {
  AuditedFile file;
  file.listed = {filename, "https://a.example/demo/" + filename, {{"sha256", kA}}, 7, ">=3.10"};
  file.listed.metadata_sha256 = kB;
  file.listed.upload_time = "2026-01-02T03:04:05Z";
  file.link = {file.listed.url, file.listed.url, "", 7};
  file.digests = {{"sha256", kA}};
  file.beside = {kB, "Demo", "1.0", ">=3.10"};
  file.inside = file.beside;
  return file;
}

AuditedPage page_with(std::vector<AuditedFile> files) {
  AuditedPage page;
  page.project = "demo";
  page.url = "https://a.example/demo/";
  page.files = std::move(files);
  return page;
}

Rules rules_of(const std::vector<AuditFinding>& findings) {
  Rules rules;
  for (const AuditFinding& each : findings) {
    rules.push_back((each.severity == AuditSeverity::warning ? "~" : "") + each.rule);
  }
  return rules;
}

/// The findings of a page whose only file was changed.
template <class Change>
std::vector<AuditFinding> after(Change change) {
  AuditedFile file = sound();
  change(file);
  return publish::audit_page(page_with({file}), now());
}

template <class Change>
Rules rules_after(Change change) {
  return rules_of(after(change));
}

}  // namespace

TEST_CASE("a page without faults has no findings") {
  CHECK(publish::audit_page(page_with({sound()}), now()).empty());
  CHECK(publish::audit_page(page_with({}), now()).empty());
}

TEST_CASE("facts that were not gathered are not judged") {
  CHECK(rules_after([](AuditedFile& file) {
          file.link.reset();
          file.digests.clear();
          file.beside.reset();
          file.inside.reset();
        }).empty());
}

TEST_CASE("page: a page that cannot be read") {
  AuditedPage page = page_with({});
  page.fault = "the index's page is not JSON";
  const auto found = publish::audit_page(page, now());
  CHECK(found == std::vector<AuditFinding>{
                     {"page", AuditSeverity::error, "demo", "", "the index's page is not JSON"}});
  page = page_with({sound()});
  page.other_fault = "the index's page is not JSON";
  CHECK(rules_of(publish::audit_page(page, now())) == Rules{"page"});
  const auto typed = after([](AuditedFile& file) { file.listed.malformed = {"size"}; });
  CHECK(rules_of(typed) == Rules{"page"});
  CHECK(typed[0].message == "has a `size` that PEP 691 does not allow");
}

TEST_CASE("file-name: a wheel with an invalid name is an error, other files are warnings") {
  const auto named = [](const char* name) {
    return rules_after([name](AuditedFile& file) {
      file.listed.filename = name;
      file.beside.reset();
      file.inside.reset();
    });
  };
  CHECK(named("demo-1.0-any.whl") == Rules{"file-name"});
  CHECK(named("demo-1.0.exe") == Rules{"~file-name"});
  CHECK(named("demo-01.0-py3-none-any.whl") == Rules{"~file-name"});
  CHECK(named("Demo-1.0.tar.gz") == Rules{"~file-name"});
  CHECK(named("demo-1.0.tar.gz").empty());
}

TEST_CASE("project: a file of another project") {
  const auto found = after([](AuditedFile& file) {
    file.listed.filename = "other-1.0-py3-none-any.whl";
    file.beside->name = file.inside->name = "other";
  });
  CHECK(rules_of(found) == Rules{"project"});
  CHECK(found[0].message == "is a file of `other`, not of `demo`");
}

TEST_CASE("duplicate: the same file twice is a warning, with another hash an error") {
  CHECK(rules_of(publish::audit_page(page_with({sound(), sound()}), now())) == Rules{"~duplicate"});
  AuditedFile other = sound();
  other.listed.hashes = other.digests = {{"sha256", kB}};
  CHECK(rules_of(publish::audit_page(page_with({sound(), other}), now())) == Rules{"duplicate"});
}

TEST_CASE("link: it does not answer, or loses the encryption") {
  CHECK(rules_after([](AuditedFile& file) {
          file.link->fault = "`https://a.example/x` answered 404";
        }) == Rules{"link"});
  CHECK(publish::refused_link("https://a.example/demo/", "http://a.example/x.whl") ==
        "is linked with http from a page with https");
  CHECK(publish::refused_link("https://a.example/demo/", "https://b.example/x.whl").empty());
  CHECK(publish::refused_link("http://a.example/demo/", "http://b.example/x.whl").empty());
}

TEST_CASE("redirect: a link leads to another server") {
  const auto found =
      after([](AuditedFile& file) { file.link->final_url = "https://b.example/x.whl"; });
  CHECK(rules_of(found) == Rules{"~redirect"});
  CHECK(found[0].message == "redirects from `a.example` to `b.example`");
}

TEST_CASE("size: the page states another one") {
  CHECK(rules_after([](AuditedFile& file) { file.listed.size = 8; }) == Rules{"size"});
}

TEST_CASE("hash: of the file, and of the copy of METADATA") {
  const auto found = after([](AuditedFile& file) { file.digests["sha256"] = kB; });
  CHECK(rules_of(found) == Rules{"hash"});
  CHECK(found[0].message == "has the sha256 " + kB + ", but the page says `" + kA + "`");
  CHECK(rules_after([](AuditedFile& file) { file.beside->sha256 = file.inside->sha256 = kA; }) ==
        Rules{"hash"});
  CHECK(rules_after([](AuditedFile& file) {
          file.listed.hashes["sha512"] = kA;
          file.digests["sha512"] = kB;
        }) == Rules{"hash"});
}

TEST_CASE("no-hash: none, or only a weak one") {
  CHECK(rules_after([](AuditedFile& file) { file.listed.hashes.clear(); }) == Rules{"~no-hash"});
  const auto found = after([](AuditedFile& file) { file.listed.hashes = {{"md5", "00"}}; });
  CHECK(rules_of(found) == Rules{"~no-hash"});
  CHECK(found[0].message == "has only the hash `md5` on the page");
}

TEST_CASE("upload-time: missing is a warning, one for the page if no file has one") {
  AuditedFile without = sound();
  without.listed.upload_time.clear();
  AuditedFile other = without;
  other.listed.filename = "demo-1.0-py2-none-any.whl";
  const auto none = publish::audit_page(page_with({without, other}), now());
  CHECK(rules_of(none) == Rules{"~upload-time"});
  CHECK(none[0].file.empty());
  AuditedFile timed = sound("demo-1.0-py2-none-any.whl");
  const auto one = publish::audit_page(page_with({without, timed}), now());
  CHECK(rules_of(one) == Rules{"~upload-time"});
  CHECK(one[0].file == kName);
}

TEST_CASE("upload-time: malformed, before PyPI, or in the future") {
  for (const char* time : {"yesterday", "2026-01-02", "2026-01-02T03:04:05", "1980-01-01T00:00:00Z",
                           "2026-07-01T00:00:00Z"}) {
    INFO(time);
    CHECK(rules_after([time](AuditedFile& file) { file.listed.upload_time = time; }) ==
          Rules{"upload-time"});
  }
  CHECK(rules_after([](AuditedFile& file) {
          file.listed.upload_time = "2026-06-01T12:00:00.5Z";  // a clock that is ahead
        }).empty());
}

TEST_CASE("metadata: it cannot be read, differs from its copy, or from the file name") {
  CHECK(rules_after([](AuditedFile& file) {
          file.beside.reset();
          file.inside = {.fault = "the archive is corrupt"};
        }) == Rules{"metadata"});
  CHECK(rules_after([](AuditedFile& file) { file.inside->sha256 = kA; }) == Rules{"metadata"});
  const auto found =
      after([](AuditedFile& file) { file.beside->version = file.inside->version = "1.1"; });
  CHECK(rules_of(found) == Rules{"metadata"});
  CHECK(found[0].message == "is `Demo` `1.1` by its METADATA");
  CHECK(rules_after([](AuditedFile& file) {
          file.beside->version = file.inside->version = "1.0.0";  // equal by PEP 440
        }).empty());
}

TEST_CASE("requires-python: another one is an error, a missing one on the page a warning") {
  const auto found = after([](AuditedFile& file) { file.listed.requires_python = ">=3.9"; });
  CHECK(rules_of(found) == Rules{"requires-python"});
  CHECK(found[0].message == "requires Python `>=3.10` by its METADATA, but the page says `>=3.9`");
  CHECK(rules_after([](AuditedFile& file) { file.listed.requires_python.clear(); }) ==
        Rules{"~requires-python"});
  CHECK(rules_after([](AuditedFile& file) {
          file.beside->requires_python = file.inside->requires_python = "<4, >=3.10";
          file.listed.requires_python = ">=3.10,<4";
        }).empty());
  CHECK(rules_after([](AuditedFile& file) {
          file.beside.reset();
          file.inside.reset();
          file.listed.requires_python = "three";
        }) == Rules{"requires-python"});
}

TEST_CASE("yanked: a reason that was meant as a truth value") {
  CHECK(rules_after([](AuditedFile& file) { file.listed.yanked = "False"; }) == Rules{"~yanked"});
  CHECK(rules_after([](AuditedFile& file) { file.listed.yanked = ""; }).empty());
  CHECK(rules_after([](AuditedFile& file) { file.listed.yanked = "wrong results"; }).empty());
  CHECK(rules_after([](AuditedFile& file) { file.listed.malformed = {"yanked"}; }) ==
        Rules{"yanked"});
}

TEST_CASE("forms: a file that one page lacks, or other facts of it") {
  AuditedPage page = page_with({sound()});
  page.other_form = {sound().listed};
  CHECK(publish::audit_page(page, now()).empty());
  page.other_form->front().size.reset();  // HTML has no sizes
  page.other_form->front().upload_time.clear();
  CHECK(publish::audit_page(page, now()).empty());
  page.other_form->front().hashes["sha256"] = kB;
  page.other_form->front().yanked = "why";
  auto found = publish::audit_page(page, now());
  CHECK(rules_of(found) == Rules{"forms"});
  CHECK(found[0].message ==
        "has another hash, yanked status on the HTML page than on the JSON page");
  page.other_form = {sound("demo-2.0-py3-none-any.whl").listed};
  found = publish::audit_page(page, now());
  CHECK(rules_of(found) == Rules{"forms", "forms"});
  CHECK(found[0].message == "is on the JSON page, not on the HTML page");
  CHECK(found[1].message == "is on the HTML page, not on the JSON page");
}

TEST_CASE("label: a sub-index lists a build for another compute") {
  const auto in = [](const char* label, const char* version) {
    AuditedFile file = sound(std::string("demo-") + version + "-py3-none-any.whl");
    file.beside->version = file.inside->version = version;
    AuditedPage page = page_with({file});
    page.label = label;
    const auto found = publish::audit_page(page, now());
    CHECK((found.empty() || found[0].page == page.name()));
    return rules_of(found);
  };
  CHECK(in("cu130", "1.0+cu130").empty());
  CHECK(in("cu130", "1.0").empty());
  CHECK(in("cu130", "1.0+ubuntu1").empty());
  CHECK(in("nightly", "1.0+cpu").empty());
  CHECK(in("cu130", "1.0+cu126") == Rules{"~label"});
  CHECK(in("cu130", "1.0+cu13").empty());
  CHECK(in("cu13", "1.0+cu130") == Rules{"~label"});
  CHECK(in("rocm7.1", "1.0+cpu") == Rules{"~label"});
}

TEST_CASE("conflict: one name with two hashes in the index") {
  AuditedPage root = page_with({sound()});
  AuditedPage below = page_with({sound()});
  below.label = "cpu";
  CHECK(publish::audit_conflicts({root, below}).empty());
  below.files[0].listed.hashes["sha256"] = kB;
  const auto found = publish::audit_conflicts({root, below});
  CHECK(rules_of(found) == Rules{"conflict"});
  CHECK(found[0].page == "cpu/demo");
  CHECK(found[0].message == "has another hash on the page `demo`");
}

TEST_CASE("choice: nothing for a machine, or different files") {
  const std::vector<pep::TargetPython> machines = {
      *pep::parse_target_python("cp311-manylinux_2_28_x86_64"),
      *pep::parse_target_python("cp39-manylinux_2_28_x86_64")};
  AuditedFile stray = sound("stray-9.0-py3-none-any.whl");
  const AuditedPage page = page_with({sound(), stray});
  const auto choices = publish::choices_of(page, machines, {});
  REQUIRE(choices.size() == 2);
  CHECK(choices[0].pip.filename == kName);
  const auto found = publish::audit_choices(choices);
  CHECK(rules_of(found) == Rules{"~choice"});
  CHECK(found[0].message == "has nothing to install for `cp39-manylinux_2_28_x86_64`");
  CHECK(found[0].hint == "1 file for another Python");

  AuditedPage untimed = page;
  untimed.form = publish::PageForm::html;
  const auto differing = publish::audit_choices(publish::choices_of(untimed, {machines[0]}, now()));
  REQUIRE(rules_of(differing) == Rules{"~choice"});
  CHECK(differing[0].message == "gives nothing to pip and `" + std::string(kName) +
                                    "` to uv, for `cp311-manylinux_2_28_x86_64`");
}

TEST_CASE("the facts of METADATA are its hash, name, version and Python") {
  const std::string text =
      "Metadata-Version: 2.4\nName: Demo\nVersion: 1.0\nRequires-Python: >=3.10\n\nText\n";
  CHECK(publish::metadata_facts(text) ==
        publish::MetadataFacts{sha256_hex(text), "Demo", "1.0", ">=3.10"});
  CHECK_FALSE(publish::metadata_facts("nonsense").fault.empty());
}

TEST_CASE("each rule is described once, and only known ones can be ignored") {
  std::set<std::string_view> ids;
  for (const publish::AuditRule& rule : publish::audit_rules()) {
    CHECK(ids.insert(rule.id).second);
    CHECK_FALSE(rule.description.empty());
  }
  CHECK(publish::check_audit_rules({"hash", "label"}));
  const Done wrong = publish::check_audit_rules({"hsah"});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == ErrorKind::usage);
  CHECK(wrong.error().hint == "did you mean `hash`?");
}

TEST_CASE("findings are in the order of the rules, without those that are ignored") {
  const std::vector<AuditFinding> findings = {{"yanked", AuditSeverity::warning, "demo", "a", "x"},
                                              {"hash", AuditSeverity::error, "demo", "a", "x"},
                                              {"link", AuditSeverity::error, "demo", "a", "x"}};
  CHECK(rules_of(publish::without_rules(findings, {"link"})) == Rules{"hash", "~yanked"});
}

TEST_CASE("text from outside stays visible in messages") {
  for (const AuditFinding& each : after([](AuditedFile& file) {
         file.listed.filename = "\x1b[2J.whl";
         file.listed.requires_python = "\x1b[2J";
         file.listed.upload_time = "\x1b[2J";
         file.listed.yanked = "false";
         file.listed.hashes = {{"sha256", "\x1b[2J"}, {"\x1b", "x"}};
         file.inside->version = "\x1b[2J";
         file.link->final_url = "https://\x1b[2J/x";
       })) {
    INFO(each.rule);
    CHECK(each.message.find('\x1b') == std::string::npos);
  }
}
