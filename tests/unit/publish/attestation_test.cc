#include "publish/attestation.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "publish/artifact.h"
#include "publish/upload_form.h"
#include "unit/catch.h"
#include "unit/publish/statements.h"

using namespace pinwheel;
using publish::AttestedFile;

namespace {

constexpr const char* kAttestedWheel = "demo_ops-1.0+cu130-cp312-cp312-manylinux_2_28_x86_64.whl";
const AttestedFile kAttestedFile{kAttestedWheel, sha256_hex("wheel")};

std::vector<publish::Attestation> statements_in(const nlohmann::json& document) {
  const auto attestations = publish::parse_attestations(document.dump());
  REQUIRE(attestations);
  return *attestations;
}

/// Why a document is no attestation.
std::string why_no_attestation(const nlohmann::json& document) {
  const auto attestations = publish::parse_attestations(document.dump());
  REQUIRE_FALSE(attestations);
  CHECK(attestations.error().kind == ErrorKind::check);
  return attestations.error().message;
}

const publish::Signer kReleaseSigner{
    .identity = "https://github.com/acme/kernels/.github/workflows/release.yml@refs/tags/v1",
    .issuer = "https://token.actions.githubusercontent.com",
    .repository = "https://github.com/acme/kernels",
    .workflow = "https://github.com/acme/kernels/.github/workflows/release.yml@refs/tags/v1",
    .commit = "0123456789",
    .ref = "refs/tags/v1",
    .run = {}};

bool signed_by(const publish::Signer& signer, const std::string& repository,
               const std::string& workflow = "") {
  const auto expected = publish::expected_signer(repository, workflow);
  REQUIRE(expected);
  const Done checked = publish::check_signer(signer, *expected);
  if (!checked) CHECK(checked.error().kind == ErrorKind::check);
  return checked.has_value();
}

}  // namespace

TEST_CASE("attestations, bundles and provenance contain the same statement") {
  const nlohmann::json statement = statement_about({{kAttestedWheel, kAttestedFile.sha256}});
  const nlohmann::json attestation = attestation_of(statement);
  for (const nlohmann::json& document : {attestation, bundle_of(statement)}) {
    const auto attestations = statements_in(document);
    REQUIRE(attestations.size() == 1);
    CHECK(attestations[0].files == std::vector<AttestedFile>{kAttestedFile});
    CHECK(attestations[0].predicate == "https://docs.pypi.org/attestations/publish/v1");
    CHECK(nlohmann::json::parse(attestations[0].document) == document);
  }
  const nlohmann::json bundle = {{"publisher", {{"kind", "GitHub"}}},
                                 {"attestations", {attestation, attestation}}};
  const nlohmann::json provenance = {{"version", 1}, {"attestation_bundles", {bundle, bundle}}};
  CHECK(statements_in(provenance).size() == 4);
}

TEST_CASE("what is no attestation is named") {
  const nlohmann::json statement = statement_about({{kAttestedWheel, kAttestedFile.sha256}});
  CHECK(why_no_attestation("text") == "this is not an attestation: it is not a JSON object");
  CHECK(why_no_attestation({{"version", 1}}) ==
        "this is not an attestation: it contains no statement");
  nlohmann::json broken = attestation_of(statement);
  broken["envelope"]["statement"] = "!";
  CHECK(why_no_attestation(broken) == "this is not an attestation: it contains no statement");
  CHECK(why_no_attestation(attestation_of({{"subject", "x"}})) ==
        "this is not an attestation: its statement is not one of in-toto");
  CHECK(why_no_attestation(attestation_of(statement_about({{kAttestedWheel, "abc"}}))) ==
        "this is not an attestation: a subject has no name or no SHA-256");
  CHECK(why_no_attestation(attestation_of(statement_about({}))) ==
        "this is not an attestation: it is not about exactly one file");
  const AttestedFile other{"other-1.0.tar.gz", kAttestedFile.sha256};
  CHECK(why_no_attestation(attestation_of(statement_about({kAttestedFile, other}))) ==
        "this is not an attestation: it is not about exactly one file");
  CHECK(why_no_attestation({{"attestation_bundles", nlohmann::json::array()}}) ==
        "this is not an attestation: it is an empty provenance");
  CHECK(why_no_attestation({{"attestation_bundles", {7}}}) ==
        "this is not an attestation: a publisher has no attestations");
}

TEST_CASE("a statement is about a file with its name, in any spelling, and its digest") {
  const auto about = [](const std::string& name, const std::string& digest) {
    const auto attestations = statements_in(attestation_of(statement_about({{name, digest}})));
    return publish::check_attested(attestations[0], kAttestedFile).has_value();
  };
  CHECK(about(kAttestedWheel, kAttestedFile.sha256));
  CHECK(about("Demo.Ops-1.0+CU130-cp312-cp312-manylinux_2_28_x86_64.whl", kAttestedFile.sha256));
  CHECK_FALSE(about(kAttestedWheel, sha256_hex("other")));
  CHECK_FALSE(
      about("demo_ops-1.1+cu130-cp312-cp312-manylinux_2_28_x86_64.whl", kAttestedFile.sha256));
  CHECK_FALSE(
      about("demo_ops-1.0+cu130-1-cp312-cp312-manylinux_2_28_x86_64.whl", kAttestedFile.sha256));
  CHECK_FALSE(
      about("demo_ops-1.0+cu130-cp313-cp313-manylinux_2_28_x86_64.whl", kAttestedFile.sha256));
  CHECK_FALSE(about("demo_ops-1.0.tar.gz", kAttestedFile.sha256));
  CHECK_FALSE(about("notes.txt", kAttestedFile.sha256));
  // Sorted or repeated tags are the same tags; their combinations are never made.
  const AttestedFile pure{"demo_ops-1.0-py3.py2-none-any.whl", kAttestedFile.sha256};
  const auto sorted = statements_in(
      attestation_of(statement_about({{"demo_ops-1.0-py2.py3-none-any.whl", pure.sha256}})));
  CHECK(publish::check_attested(sorted[0], pure));
  std::string many_tags = "demo_ops-1.0+cu130";
  for (const char* const part : {"-p", "-a", "-x"}) {
    many_tags += part;
    for (int i = 0; i < 3000; ++i) many_tags += "." + std::to_string(i);
  }
  CHECK_FALSE(about(many_tags + ".whl", kAttestedFile.sha256));
  nlohmann::json failed_test = statement_about({kAttestedFile});
  failed_test["predicateType"] = "https://in-toto.io/attestation/test-result/v0.1";
  CHECK_FALSE(publish::check_attested(statements_in(bundle_of(failed_test))[0], kAttestedFile));
  const nlohmann::json many =
      bundle_of(statement_about({{"demo_ops-1.0.tar.gz", sha256_hex("sdist")}, kAttestedFile}));
  CHECK(publish::check_attested(statements_in(many)[0], kAttestedFile));
}

TEST_CASE("a file is uploaded with its attestations") {
  publish::Artifact file;
  file.filename = kAttestedWheel;
  const auto fields = [&file] {
    std::vector<std::string> values;
    for (const ports::FormPart& part : publish::upload_form(file)) {
      const auto* const field = std::get_if<ports::FormField>(&part);
      if (field != nullptr && field->name == "attestations") values.push_back(field->value);
    }
    return values;
  };
  CHECK(fields().empty());
  const nlohmann::json document = attestation_of(statement_about({kAttestedFile}));
  file.attestations = statements_in(document);
  REQUIRE(fields().size() == 1);
  CHECK(nlohmann::json::parse(fields()[0]) == nlohmann::json::array({document}));
}

TEST_CASE("a signer is a job of the expected repository") {
  CHECK(signed_by(kReleaseSigner, "acme/kernels"));
  CHECK(signed_by(kReleaseSigner, "https://github.com/acme/kernels/"));
  CHECK(signed_by(kReleaseSigner, "acme/kernels", "release.yml"));
  CHECK_FALSE(signed_by(kReleaseSigner, "acme/other"));
  CHECK_FALSE(signed_by(kReleaseSigner, "acme/kernels", "ci.yml"));
  CHECK_FALSE(signed_by(kReleaseSigner, "https://gitlab.com/acme/kernels"));
  publish::Signer other = kReleaseSigner;
  other.issuer = "https://accounts.example.org";
  CHECK_FALSE(signed_by(other, "acme/kernels"));
  other = kReleaseSigner;
  other.ref = "refs/tags/v2";
  CHECK_FALSE(signed_by(other, "acme/kernels", "release.yml"));
  other.ref.clear();
  other.commit.clear();
  CHECK_FALSE(signed_by(other, "acme/kernels", "release.yml"));
  other = {};
  other.workflow = "https://github.com/acme/kernels/.github/workflows/release.yml@";
  CHECK_FALSE(signed_by(other, "acme/kernels", "release.yml"));
  other = kReleaseSigner;
  other.issuer = "https://gitlab.com";
  other.repository = "https://gitlab.com/acme/kernels";
  CHECK(signed_by(other, "https://gitlab.com/acme/kernels"));
}

TEST_CASE("an expected signer is a repository and the name of a workflow") {
  for (const char* text : {"", "acme", "/kernels", "acme/", "acme/kernels/x"}) {
    CAPTURE(text);
    const auto expected = publish::expected_signer(text, "");
    REQUIRE_FALSE(expected);
    CHECK(expected.error().kind == ErrorKind::usage);
  }
  CHECK_FALSE(publish::expected_signer("acme/kernels", ".github/workflows/release.yml"));
  CHECK_FALSE(publish::expected_signer("https://gitlab.com/acme/kernels", "release.yml"));
}
