// The exported C, file by file, and a button that copies it.
import { $ } from "./dom.js";
import { whole } from "./format.js";

async function copy() {
  const text = $("code-text").textContent;
  try {
    await navigator.clipboard.writeText(text);
    $("copy").textContent = "Copied";
  } catch {
    // Pages from disk may not have the clipboard: selecting the text leaves Ctrl-C to the reader.
    getSelection().selectAllChildren($("code-text"));
    $("copy").textContent = "Selected: press Ctrl-C";
  }
  setTimeout(() => ($("copy").textContent = "Copy"), 2500);
}

export function make_code(page) {
  let exported = null;
  $("copy").addEventListener("click", copy);

  function write() {
    if (!exported) return;
    $("copy").disabled = !exported.source;
    $("code-text").firstElementChild.textContent = exported[page.store.get().file] ?? exported.why ?? "";
    $("code-note").textContent = exported.source ? `${whole(exported.flash_bytes)} bytes of tables, ${whole(exported.operations)} operations for one action; no heap, no library but libm.` : "";
  }

  return {
    write,
    show: () => page.ask(async () => {
      if (page.store.get().place < 0) return;
      exported = await page.source.code(page.question());
      write();
    }),
  };
}
