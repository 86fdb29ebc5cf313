// node run_onnx.mjs PACKAGES FILE...: runs graphs in onnxruntime-web. Standard input has a line "FILE number number ..." for
// each state, FILE counted from 0; each is answered with a line: the output `logits` where there is one, otherwise `action`.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [packages, ...files] = process.argv.slice(2);
const ort = createRequire(join(packages, "package.json"))("onnxruntime-web");
ort.env.wasm.numThreads = 1;
const sessions = [];
for (const file of files) sessions.push(await ort.InferenceSession.create(readFileSync(file), { executionProviders: ["wasm"] }));

const states = files.map(() => []);
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [file, ...numbers] = line.split(" ").map(Number);
  states[file].push(numbers);
}
for (let f = 0; f < files.length; f++) {
  const rows = states[f], width = rows[0].length;
  const observation = new ort.Tensor("float32", Float32Array.from(rows.flat()), [rows.length, width]);
  const answers = await sessions[f].run({ observation });
  const out = answers.logits ?? answers.action;
  for (let i = 0; i < rows.length; i++) {
    if (answers.logits) {  // the action is the first of the largest
      const logits = [...out.data.slice(i * out.dims[1], (i + 1) * out.dims[1])];
      if (Number(answers.action.data[i]) !== logits.indexOf(Math.max(...logits))) throw new Error(`action of state ${i}`);
    }
    console.log([...out.data.slice(i * out.dims[1], (i + 1) * out.dims[1])].join(" "));
  }
}
process.exit(0);
