"use strict";
// Python with the library, in a worker of the page: answers questions, asks an engine when it must.
//
// To the page it says {loading: {step, done, total}}, {ready: seconds}, {failed: why},
// {searching: {done, total}}, {alive: true}, and {id, answer} for each {id, question}.

const inflated = async (bytes) => {
  const gzipped = bytes[0] === 0x1f && bytes[1] === 0x8b; // else a server has unpacked it already
  if (!gzipped) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

const MISSING = "The files of Python and the book's code are not on the server: whoever made this book brings "
  + "them with npm ci && make book";

const TOO_LITTLE = "There is too little memory for Python (it takes about 250 MB): close other pages and ask again";

const say = (message) => postMessage(message);

/** Fetches files, saying how far it is, and returns their contents by name. */
async function fetchFiles(names, sizes, step) {
  const total = names.reduce((sum, name) => sum + sizes[name], 0);
  let done = 0;
  const fetchOne = async (name) => {
    const response = await fetch(name);
    if (!response.ok) throw new Error(`${name} is not on the server (${response.status})`);
    const parts = [];
    const reader = response.body.getReader();
    for (;;) {
      const { value, done: ended } = await reader.read();
      if (ended) break;
      parts.push(value);
      done += value.length;
      say({ loading: { step, done: Math.min(done, total), total } });
    }
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return [name.replace(/\.gz$/, ""), await inflated(bytes)];
  };
  return new Map(await Promise.all(names.map(fetchOne)));
}

const addressOf = (bytes, type) => URL.createObjectURL(new Blob([bytes], { type }));

/** Starts Python from files that are here already. */
async function startPython(files, lock) {
  const byNetwork = self.fetch;
  self.fetch = (address, ...rest) => {
    const bytes = files.get(String(address.url ?? address).split("/").pop());
    if (!bytes) return byNetwork(address, ...rest);
    return Promise.resolve(new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
  };
  for (const name of ["pyodide.asm.js", "pyodide.js"]) {
    importScripts(addressOf(files.get(name), "text/javascript"));
  }
  const python = await loadPyodide({
    indexURL: new URL(".", location).href,
    stdLibURL: "stdlib.zip",
    lockFileContents: lock,
    packageBaseUrl: new URL(".", location).href,
  });
  self.fetch = byNetwork;
  python.FS.mkdir("/app");
  python.unpackArchive(files.get("app.zip"), "zip", { extractDir: "/app" });
  return python;
}

const MAKE_BOOK = `
import sys
sys.path.insert(0, "/app")
from pyodide.ffi import JsException, create_proxy
from chessgloss.live import LiveBook

def connects(start):
    async def connected(receive, lose):
        try:
            return await start(create_proxy(receive), create_proxy(lose))
        except JsException as error:
            raise RuntimeError(error.js_error.message) from error
    return connected

def make_book(connect, report, connect_oracle):
    return LiveBook(connects(connect), report, connects(connect_oracle))

make_book
`;

/** The engines: the one that searches, and Stockfish 8, whose terms are the concepts. */
const ENGINES = {
  engine: {
    called: "the engine",
    file: "stockfish.wasm.gz",
    script: (wasm) => `stockfish.js#${encodeURIComponent(addressOf(wasm, "application/wasm"))}`,
  },
  oracle: {
    called: "Stockfish 8",
    file: "stockfish8.js.gz",
    script: (bytes) => addressOf(bytes, "text/javascript"),
  },
};

/** Starts an engine in a worker of its own; returns what sends it a line. */
async function connect(name, sizes, receive, lose) {
  const { called, file, script } = ENGINES[name];
  const files = await fetchFiles([file], sizes, called);
  const engine = new Worker(script(files.get(file.replace(/\.gz$/, ""))));
  const lost = (why) => lose(`${called} is gone: ${why}`);
  engine.onerror = (event) => {
    event.preventDefault(); // else it ends Python's worker, too
    lost(event.message || "it does not start");
  };
  engine.onmessage = ({ data }) => typeof data === "string" && receive(data);
  ENGINES[name].worker?.terminate(); // one that was lost
  ENGINES[name].worker = engine;
  return (line) => engine.postMessage(line);
}

async function start() {
  const began = performance.now();
  const response = await fetch("files.json");
  if (!response.ok) throw new Error(MISSING);
  const { bytes, lock } = await response.json();
  const files = await fetchFiles(
    Object.keys(bytes).filter((name) => !name.startsWith("stockfish")), bytes, "Python and the book's code");
  say({ loading: { step: "starting Python" } });
  const python = await startPython(files, lock);
  say({ loading: { step: "reading the book's code" } });
  const makeBook = python.runPython(MAKE_BOOK);
  const report = (done, total) => say({ searching: { done, total } });
  const connects = (name) => (receive, lose) => connect(name, bytes, receive, lose);
  const book = makeBook(connects("engine"), report, connects("oracle"));
  say({ ready: (performance.now() - began) / 1000 });
  return book;
}

const book = start();
book.catch((error) => {
  const why = error.message || String(error);
  say({ failed: /memory|allocat/i.test(why) ? `${TOO_LITTLE} (${why})` : why });
});
setInterval(() => say({ alive: true }), 1000);

onmessage = async ({ data: { id, question } }) => {
  const ready = await book;
  say({ id, answer: JSON.parse(await ready.answer(JSON.stringify(question))) });
};
