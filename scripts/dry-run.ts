import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildAssets } from './build.ts';
import { startUpTime } from './start-up-time.ts';
import { wrangler } from './wrangler.ts';

/** Of the paid plan, which `cpu_ms` needs anyway. */
const LIMIT_KIB = 10 * 1024;
const kib = (bytes: number) => (bytes / 1024).toFixed(1);

/** Inputs of a bundle by what they belong to: a package, or a folder of the project. */
function partOf(input: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input) ?? [];
  return (
    name ?? /(?:^|\/)(src\/[^/]+|durable-objects|queues|parser|ocr)(?=\/|$)/.exec(input)?.[1] ?? 'the rest'
  );
}

interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** What weighs most in a script, as it is before it is packed. */
function printParts(metafile: string, script: string): void {
  const { outputs } = JSON.parse(readFileSync(metafile, 'utf8')) as Metafile;
  const output = Object.entries(outputs).find(([path]) => basename(path) === script)?.[1];
  const parts = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    parts.set(partOf(input), (parts.get(partOf(input)) ?? 0) + bytesInOutput);
  }
  const sorted = [...parts].sort((a, b) => b[1] - a[1]);
  for (const [part, bytes] of sorted.slice(0, 12)) console.log(`${kib(bytes).padStart(37)} KiB    ${part}`);
}

/** Bundles a Worker as its deployment would, and prints what its script weighs and how long it takes to start. */
function weigh(title: string, config: string, out: string): void {
  rmSync(out, { recursive: true, force: true });
  const metafile = `${resolve(out)}.json`;
  wrangler(
    ...['deploy', '--dry-run', '-c', config, '--outdir', resolve(out), '--metafile', metafile],
    ...['--env', 'production'],
  );
  const parts = readdirSync(out)
    .filter((name) => !name.endsWith('.map') && name !== 'README.md')
    .map((name) => {
      const path = join(out, name);
      return { name, bytes: statSync(path).size, gzipped: gzipSync(readFileSync(path), { level: 9 }).length };
    })
    .sort((a, b) => b.gzipped - a.gzipped);
  console.log(`\n${title}`);
  for (const { name, bytes, gzipped } of parts) {
    console.log(`${kib(gzipped).padStart(9)} KiB gzipped  ${kib(bytes).padStart(13)} KiB  ${name}`);
    if (name.endsWith('.js')) printParts(metafile, name);
  }
  const total = parts.reduce((sum, part) => sum + part.gzipped, 0);
  console.log(`${kib(total).padStart(9)} KiB gzipped in all (limit ${LIMIT_KIB} KiB)`);
  const start = startUpTime(config, `${resolve(out)}.cpuprofile`);
  console.log(`${start.toFixed(0).padStart(9)} ms to start, on this machine`);
  if (total > LIMIT_KIB * 1024) process.exitCode = 1;
}

buildAssets();
weigh('The service', 'wrangler.toml', 'dist/worker');
weigh('The parser', 'parser/wrangler.toml', 'dist/parser-worker');
weigh('OCR', 'ocr/wrangler.toml', 'dist/ocr-worker');
