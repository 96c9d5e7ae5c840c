import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from './build.ts';
import { wrangler } from './wrangler.ts';

const LIMIT_KIB = 3 * 1024;
const kib = (bytes: number) => (bytes / 1024).toFixed(1);

/** Bundles a Worker as its deployment would, and prints what its script weighs. */
function weigh(title: string, config: string, out: string): void {
  rmSync(out, { recursive: true, force: true });
  wrangler('deploy', '--dry-run', '-c', config, '--outdir', resolve(out), '--env', 'production');
  const parts = readdirSync(out)
    .filter((name) => !name.endsWith('.map') && name !== 'README.md')
    .map((name) => {
      const path = join(out, name);
      return { name, bytes: statSync(path).size, gzipped: gzipSync(readFileSync(path), { level: 9 }).length };
    })
    .sort((a, b) => b.gzipped - a.gzipped);
  console.log(title);
  for (const { name, bytes, gzipped } of parts) {
    console.log(`${kib(gzipped).padStart(9)} KiB gzipped  ${kib(bytes).padStart(9)} KiB  ${name}`);
  }
  const total = parts.reduce((sum, part) => sum + part.gzipped, 0);
  console.log(`${kib(total).padStart(9)} KiB gzipped in all (limit ${LIMIT_KIB} KiB)`);
  if (total > LIMIT_KIB * 1024) process.exitCode = 1;
}

build();
weigh('The service', 'wrangler.toml', 'dist/worker');
weigh('OCR', 'ocr/wrangler.toml', 'dist/ocr-worker');
