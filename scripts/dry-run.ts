import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildAssets } from './build.ts';
import { describeStartUp, measureStartUp } from './start-up-time.ts';
import { wrangler } from './wrangler.ts';

/** Maximum bundle size of Cloudflare's paid plan in KiB. The `cpu_ms` setting requires that plan anyway. */
const LIMIT_KIB = 10 * 1024;
const kib = (bytes: number) => (bytes / 1024).toFixed(1);

/** Returns the package, or the project's folder, that a source file of a Worker's bundle belongs to. */
function classifyInput(input: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input) ?? [];
  return name ?? /(?:^|\/)(src\/[^/]+|durable-objects|queues|parser|ocr)(?=\/|$)/.exec(input)?.[1] ?? 'other';
}

interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** Prints the largest parts of a script by their uncompressed size. */
function printParts(metafile: string, script: string): void {
  const { outputs } = JSON.parse(readFileSync(metafile, 'utf8')) as Metafile;
  const output = Object.entries(outputs).find(([path]) => basename(path) === script)?.[1];
  const parts = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    parts.set(classifyInput(input), (parts.get(classifyInput(input)) ?? 0) + bytesInOutput);
  }
  const sorted = [...parts].sort((a, b) => b[1] - a[1]);
  for (const [part, bytes] of sorted.slice(0, 12)) console.log(`${kib(bytes).padStart(37)} KiB    ${part}`);
}

/** Bundles a Worker as its deployment would, and prints the size of its script and the start-up time. */
function measureBundle(title: string, config: string, out: string): void {
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
  console.log(`${kib(total).padStart(9)} KiB gzipped in total (limit ${LIMIT_KIB} KiB)`);
  console.log(describeStartUp(measureStartUp(config, `${resolve(out)}.cpuprofile`)));
  if (total > LIMIT_KIB * 1024) process.exitCode = 1;
}

buildAssets();
measureBundle('The service', 'wrangler.toml', 'dist/worker');
measureBundle('The parser', 'parser/wrangler.toml', 'dist/parser-worker');
measureBundle('OCR', 'ocr/wrangler.toml', 'dist/ocr-worker');
