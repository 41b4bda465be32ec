// Runs the trace processor of Perfetto's web page, which is WebAssembly for a worker, under node: requests of its RPC
// protocol on stdin, replies on stdout. A four-byte big-endian length precedes each request.
//
// usage: node trace_engine.js DIRECTORY    of engine_bundle.js and trace_processor.wasm
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const directory = process.argv[2];
const worker = vm.createContext({
  WorkerGlobalScope: function () {},
  console: { log: console.error, warn: console.error, error: console.error },
  TextDecoder, TextEncoder, URL, crypto, performance, setTimeout, queueMicrotask,
  location: { href: "http://worker/", protocol: "http:", host: "worker" },
  XMLHttpRequest: class {
    open(method, name) {
      this.status = 200;
      const bytes = fs.readFileSync(path.join(directory, path.basename(name)));
      this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    }
    send() {}
  },
});
vm.runInContext("var self = globalThis; var importScripts = () => {};", worker);
vm.runInContext(fs.readFileSync(path.join(directory, "engine_bundle.js"), "utf8"), worker);
const port = { postMessage: (bytes) => fs.writeSync(1, Buffer.from(bytes)) };
worker.onmessage({ data: port });

const receive = vm.runInContext("(bytes, port) => port.onmessage({data: new Uint8Array(bytes)})", worker);
let rest = Buffer.alloc(0);
function take(bytes) {
  rest = Buffer.concat([rest, bytes]);
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
    const length = rest.readUInt32BE(0);
    receive(rest.subarray(4, 4 + length), port);
    rest = rest.subarray(4 + length);
  }
}
// The engine registers its callback when the promise of its module has been resolved.
setImmediate(() => process.stdin.on("data", take));
