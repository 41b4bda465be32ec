// A Sigstore on loopback, made of the handlers of @sigstore/mock: Fulcio, which issues certificates, and version 1 of
// Rekor, which logs signatures.
//
// usage: node sigstore_server.js FILE    writes the client trust configuration into FILE, then prints its address

const crypto = require("crypto");
const fs = require("fs");
const http = require("http");
const mock = require("@sigstore/mock");

const DAY = 24 * 60 * 60 * 1000;

function keyPair() {
  return crypto.generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function sha256(data, encoding) {
  return crypto.createHash("sha256").update(data).digest(encoding);
}

/// A log in a root of trust, by the public key with which it signs.
function logOf(pair, address, start) {
  const key = pair.publicKey.export({ type: "spki", format: "der" });
  return {
    baseUrl: address,
    hashAlgorithm: "SHA2_256",
    publicKey: { rawBytes: key.toString("base64"), keyDetails: "PKIX_ECDSA_P256_SHA_256", validFor: { start } },
    logId: { keyId: sha256(key, "base64") },
  };
}

function trustConfiguration(address, authority, logs) {
  const start = new Date(Date.now() - DAY).toISOString();
  const service = { url: address, majorApiVersion: 1, validFor: { start }, operator: "tests" };
  const certificate = Buffer.from(authority.rootCertificate).toString("base64");
  return {
    mediaType: "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
    trustedRoot: {
      mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
      tlogs: [logOf(logs.signatures, address, start)],
      ctlogs: [logOf(logs.certificates, address, start)],
      timestampAuthorities: [],
      certificateAuthorities: [
        {
          subject: { organization: "sigstore.mock", commonName: "sigstore" },
          uri: address,
          certChain: { certificates: [{ rawBytes: certificate }] },
          validFor: { start },
        },
      ],
    },
    signingConfig: {
      mediaType: "application/vnd.dev.sigstore.signingconfig.v0.2+json",
      caUrls: [service],
      oidcUrls: [service],
      rekorTlogUrls: [service],
      rekorTlogConfig: { selector: "ANY" },
      tsaUrls: [],
      tsaConfig: { selector: "ANY" },
    },
  };
}

/// The mock reads the signing request as PEM and the token in the body; clients send base64 and a header.
function certificateRequest(body, headers) {
  const request = JSON.parse(body);
  request.certificateSigningRequest = Buffer.from(request.certificateSigningRequest, "base64").toString();
  request.credentials = { oidcIdentityToken: (headers.authorization || "").replace(/^Bearer /i, "") };
  return JSON.stringify(request);
}

/// The mock logs what it is sent; the real Rekor logs digests of a signed envelope.
function logEntry(body) {
  const entry = JSON.parse(body);
  if (entry.kind !== "dsse") return body;
  const proposed = entry.spec.proposedContent;
  const envelope = JSON.parse(proposed.envelope);
  const digest = (data) => ({ algorithm: "sha256", value: sha256(data, "hex") });
  const spec = {
    envelopeHash: digest(proposed.envelope),
    payloadHash: digest(Buffer.from(envelope.payload, "base64")),
    signatures: [{ signature: envelope.signatures[0].sig, verifier: proposed.verifiers[0] }],
  };
  return JSON.stringify({ apiVersion: "0.0.1", kind: "dsse", spec });
}

async function serve(file) {
  const server = http.createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const address = `http://127.0.0.1:${server.address().port}`;
  const logs = { certificates: keyPair(), signatures: keyPair() };
  const authority = await mock.initializeCA(keyPair(), await mock.initializeCTLog(logs.certificates));
  const fulcio = mock.fulcioHandler(authority, { strict: true });
  const rekor = mock.rekorHandler(await mock.initializeTLog(address, logs.signatures), { strict: true });
  let broken = 0; // answers left to a service that is unavailable
  let holds = false; // whether requests are left without an answer
  let held = 0;

  server.on("request", (request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", async () => {
      const body = Buffer.concat(pieces).toString();
      const answer = (status, text, type) => response.writeHead(status, { "Content-Type": type }).end(text);
      if (request.url.startsWith("/break/")) {
        broken = Number(request.url.slice("/break/".length));
        return answer(200, "{}", "application/json");
      }
      if (request.url === "/hold") {
        holds = true;
        return answer(200, "{}", "application/json");
      }
      if (request.url === "/held") return answer(200, String(held), "application/json");
      if (holds) {
        held += 1;
        return;
      }
      if (broken > 0) {
        broken -= 1;
        return answer(503, '{"message":"unavailable"}', "application/json");
      }
      const forFulcio = request.url === fulcio.path;
      if (!forFulcio && request.url !== rekor.path) return answer(404, "{}", "application/json");
      const handler = forFulcio ? fulcio : rekor;
      const made = await handler.fn(forFulcio ? certificateRequest(body, request.headers) : logEntry(body));
      answer(made.statusCode, made.response, made.contentType || "text/plain");
    });
  });
  fs.writeFileSync(file, JSON.stringify(trustConfiguration(address, authority, logs)));
  console.log(address);
}

serve(process.argv[2]);
