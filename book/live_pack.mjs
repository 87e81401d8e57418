// Packs the Python of the live page: what it imports, compiled by the very Python that runs it.
//
//   node book/live_pack.mjs PYODIDE SOURCE.zip TARGET
//
// SOURCE.zip holds python-chess and the library. Into TARGET go app.zip, with all of it, and
// stdlib.zip, with those modules of the standard library that live_trace.py came to import.

import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, source, target] = process.argv.slice(2).map((path) => resolve(path));

async function pack() {
  const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`).href);
  const pyodide = await loadPyodide({ indexURL: `${runtime}/` });
  pyodide.FS.mkdir("/app");
  pyodide.unpackArchive(new Uint8Array(await readFile(source)), "zip", { extractDir: "/app" });
  pyodide.FS.writeFile("/stdlib.zip", await readFile(`${runtime}/python_stdlib.zip`));
  const trace = await readFile(new URL("live_trace.py", import.meta.url), "utf-8");
  await pyodide.runPythonAsync(`${trace}\nawait pack_all()\n`, { filename: "live_trace.py" });
  for (const name of ["app.zip", "stdlib.zip"]) {
    await writeFile(`${target}/${name}`, pyodide.FS.readFile(`/packed/${name}`));
  }
}

try {
  await pack();
} catch (error) {
  console.error(String(error.message ?? error)); // else node prints a megabyte of the runtime's code
  process.exit(1);
}
