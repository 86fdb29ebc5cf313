// The exported C and JavaScript, file by file, and a button that copies it.
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
    const { file } = page.store.get(), script = file === "module";
    $("copy").disabled = !exported[file];
    $("code-text").firstElementChild.textContent = exported[file] ?? (script ? exported.why_no_module : exported.why) ?? "";
    $("code-note").textContent = script ? (exported.module ? "One ES module without dependencies, in double precision." : "") : exported.source ? `${whole(exported.flash_bytes)} bytes of tables, ${whole(exported.operations)} operations for one action; no heap, no library${exported.source.includes("<math.h>") ? " but libm" : ""}.` : "";
  }

  return {
    write,
    show: () => page.ask(async () => {
      if (page.store.get().place < 0) return;
      exported = await page.source.code(page.question());
      write();
      page.module.set_code(exported);
    }),
  };
}
