// Compiles src/search/kernels/*.wat to WebAssembly modules next to their sources. `--check` writes nothing
// and fails if a committed module differs from its compiled source.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';

const folder = new URL('../src/search/kernels/', import.meta.url);
const check = process.argv.includes('--check');
const compiler = await wabt();
let stale = 0;

for (const file of readdirSync(folder).filter((name) => name.endsWith('.wat'))) {
  const module = compiler.parseWat(file, readFileSync(new URL(file, folder), 'utf8'), {
    simd: true,
    relaxed_simd: true,
  });
  module.validate();
  const { buffer } = module.toBinary({ write_debug_names: false });
  module.destroy();
  const output = new URL(file.replace(/\.wat$/, '.wasm'), folder);
  if (!check) writeFileSync(output, buffer);
  else if (!readFileSync(output).equals(buffer)) {
    stale++;
    console.error(`${file}: the committed module differs; run node scripts/build-kernels.ts`);
  }
}
process.exitCode = stale === 0 ? 0 : 1;
