"use strict";
// Starts the page "Try it" where it can run; else what stands on it says why not.
(() => {
  const here = document.currentScript.src;
  const able = location.protocol.startsWith("http") && window.Worker && window.WebAssembly && window.DecompressionStream;
  if (able) import(new URL("page.js", here).href);
})();
