#include "publish/attestation_program.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "unit/catch.h"
#include "unit/publish/statements.h"

using namespace pinwheel;
using publish::AttestedFile;

namespace {

const std::vector<AttestedFile> kFilesToSign = {{"demo-1.0-py3-none-any.whl", sha256_hex("a")},
                                                {"demo-1.0.tar.gz", sha256_hex("b")}};
const publish::StatementList kToSign{{{kFilesToSign[0]}, {kFilesToSign[1]}}};

std::string document_about(const AttestedFile& file) {
  return attestation_of(statement_about({file})).dump();
}

Error signing_error(const nlohmann::json& reply) {
  const auto signed_files = publish::signed_reply(reply.dump(), kToSign);
  REQUIRE_FALSE(signed_files);
  return signed_files.error();
}

Error verifying_error(const nlohmann::json& reply) {
  const auto attestations = publish::parse_attestations(document_about(kFilesToSign[0]));
  REQUIRE(attestations);
  const auto signers = publish::verified_reply(reply.dump(), *attestations);
  REQUIRE_FALSE(signers);
  return signers.error();
}

}  // namespace

TEST_CASE("a request to sign names the files and the trust configuration") {
  const auto request = nlohmann::json::parse(publish::sign_request(kToSign, ""));
  CHECK(request["do"] == "sign");
  CHECK(request["form"] == "attestation");
  const nlohmann::json& second = request["statements"][1];
  CHECK(second["name"] == "demo-1.0.tar.gz");
  CHECK(second["sha256"] == kFilesToSign[1].sha256);
  CHECK(second["type"] == "https://docs.pypi.org/attestations/publish/v1");
  CHECK(second["predicate"].is_null());
  CHECK(request["trust"].is_null());
  CHECK(nlohmann::json::parse(publish::sign_request(kToSign, "/t.json"))["trust"] == "/t.json");
}

TEST_CASE("each file has the attestation about it") {
  const nlohmann::json both = {
      {"attestations", {document_about(kFilesToSign[0]), document_about(kFilesToSign[1])}}};
  const auto made = publish::signed_reply(both.dump(), kToSign);
  REQUIRE(made);
  REQUIRE(made->size() == 2);
  CHECK((*made)[1].files == std::vector<AttestedFile>{kFilesToSign[1]});
  const nlohmann::json swapped = {
      {"attestations", {document_about(kFilesToSign[1]), document_about(kFilesToSign[0])}}};
  CHECK(signing_error(swapped).kind == ErrorKind::publish);
  CHECK(signing_error({{"attestations", {document_about(kFilesToSign[0])}}}).kind ==
        ErrorKind::publish);
  CHECK(signing_error({{"attestations", {1, 2}}}).kind == ErrorKind::publish);
  CHECK(signing_error("text").kind == ErrorKind::publish);
}

TEST_CASE(
    "a request to sign has the predicate of each statement, and its reply the form asked for") {
  publish::StatementList list{
      {{kFilesToSign[0], std::string(publish::kProvenancePredicate), R"({"runDetails":{}})"}},
      publish::AttestationForm::bundle};
  const auto request = nlohmann::json::parse(publish::sign_request(list, ""));
  CHECK(request["form"] == "bundle");
  CHECK(request["statements"][0]["type"] == "https://slsa.dev/provenance/v1");
  CHECK(request["statements"][0]["predicate"]["runDetails"].is_object());
  nlohmann::json statement = statement_about({kFilesToSign[0]});
  const auto reply = [](const nlohmann::json& document) {
    return nlohmann::json{{"attestations", {document.dump()}}}.dump();
  };
  // Another predicate than the one to sign, then another form.
  CHECK_FALSE(publish::signed_reply(reply(bundle_of(statement)), list));
  statement["predicateType"] = publish::kProvenancePredicate;
  CHECK_FALSE(publish::signed_reply(reply(attestation_of(statement)), list));
  CHECK(publish::signed_reply(reply(bundle_of(statement)), list));
}

TEST_CASE("a failure to sign has the kind of its cause") {
  const Error service =
      signing_error({{"failed", "service"}, {"reason", "503 \x1b[2J\n::x::"}, {"index", 1}});
  CHECK(service.kind == ErrorKind::transient);
  CHECK(service.message.starts_with("`demo-1.0.tar.gz` was not signed: `503"));
  CHECK(service.message.find('\n') == std::string::npos);
  CHECK(service.message.find('\x1b') == std::string::npos);
  CHECK(signing_error({{"failed", "service"}, {"reason", ""}, {"index", 99}}).kind ==
        ErrorKind::transient);
  CHECK(signing_error({{"failed", "identity"}, {"reason", "expired"}}).kind == ErrorKind::publish);
  CHECK(signing_error({{"failed", "trust"}, {"reason", "no file"}}).kind == ErrorKind::config);
  CHECK(signing_error({{"failed", "signature"}, {"reason", "name"}}).kind == ErrorKind::publish);
}

TEST_CASE("a signer is read by the object identifiers of Fulcio") {
  const auto attestations = publish::parse_attestations(document_about(kFilesToSign[0]));
  REQUIRE(attestations);
  const auto request = nlohmann::json::parse(publish::verify_request(*attestations, ""));
  CHECK(request["documents"] == nlohmann::json::array({(*attestations)[0].document}));
  nlohmann::json reply = {{"signers",
                           {{{"identity", "i"},
                             {"1.3.6.1.4.1.57264.1.8", "issuer"},
                             {"1.3.6.1.4.1.57264.1.12", "repository"},
                             {"1.3.6.1.4.1.57264.1.13", "commit"},
                             {"1.3.6.1.4.1.57264.1.14", "ref"},
                             {"1.3.6.1.4.1.57264.1.18", "workflow"},
                             {"statement", (*attestations)[0].statement_sha256},
                             {"1.3.6.1.4.1.57264.1.21", 7}}}}};
  const auto signers = publish::verified_reply(reply.dump(), *attestations);
  REQUIRE(signers);
  CHECK(*signers == std::vector<publish::Signer>{{"i", "issuer", "repository", "workflow", "commit",
                                                  "ref", "", (*attestations)[0].statement_sha256}});
  // An answer about another statement is not an answer.
  reply["signers"][0]["statement"] = sha256_hex("other");
  CHECK(verifying_error(reply).kind == ErrorKind::environment);
}

TEST_CASE("a failure to verify names the attestation") {
  const Error invalid = verifying_error({{"failed", "signature"}, {"reason", "bad"}, {"index", 0}});
  CHECK(invalid.kind == ErrorKind::check);
  CHECK(invalid.message == "the signature of attestation 1 of 1 is not valid: `bad`");
  CHECK(verifying_error({{"failed", "trust"}, {"reason", "x"}}).kind == ErrorKind::config);
  CHECK(verifying_error({{"signers", nlohmann::json::array()}}).kind == ErrorKind::environment);
  CHECK(verifying_error(7).kind == ErrorKind::environment);
}

TEST_CASE("each package of the program is pinned with digests") {
  const std::string packages(publish::attestation_packages());
  CHECK(packages.find("\npypi-attestations==") != std::string::npos);
  CHECK(packages.find("\nsigstore==") != std::string::npos);
  CHECK(packages.find("--hash=sha256:") != std::string::npos);
  CHECK(publish::attestation_script().find("IdentityToken") != std::string_view::npos);
}
