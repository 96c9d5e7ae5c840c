/**
 * Measures the speed of the managed index next to other engines, on the same synthetic chunks.
 * Run: npm run bench:search -- [10000 100000] [--parts inside,http,peers,ingest]
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureBandwidth } from './search/bandwidth.ts';
import { DIMENSION } from './search/data.ts';
import { findExactNeighbours } from './search/exact.ts';
import { HTTP_MODES, HttpService } from './search/http.ts';
import { measureIngest, measureInside } from './search/inside.ts';
import { computeRecall, fixed, printTable, type Row, row } from './search/measure.ts';
import { PEERS } from './search/peers.ts';
import { measureScoring } from './search/scoring.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { parts: { type: 'string', default: 'inside,http,peers,ingest' } },
});
const parts = new Set(options.parts.split(','));
const sizes = positionals.map(Number).filter((size) => size > 0);

const QUERIES = 200;
const folder = fileURLToPath(new URL('search/', import.meta.url));

if (parts.has('peers') && !existsSync(`${folder}node_modules`)) {
  console.log('Installing the peers (once)…');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder], { stdio: 'inherit' });
}

/**
 * Measures the whole service, which indexes the same texts through its API. The vectors come from the
 * built-in embedder.
 */
async function measureHttp(count: number): Promise<Row[]> {
  const service = new HttpService();
  try {
    await service.start();
    const seconds = await service.fill(count);
    console.log(`Sluice over HTTP: ${Math.round(count / seconds)} chunks/s split, embedded and indexed`);
    const rows: Row[] = [];
    const modes = Object.keys(HTTP_MODES);
    for (const mode of [...modes, ...modes.map((each) => `${each}, filtered`)]) {
      const { milliseconds, stages } = await service.ask(mode, QUERIES);
      rows.push(row('Sluice over HTTP', mode, milliseconds));
      const latencies = Object.entries(stages).map(([stage, each]) => `${stage} ${fixed(each)}`);
      console.log(`  ${mode}: ${latencies.join(', ')} ms`);
    }
    console.log();
    return rows;
  } finally {
    await service.end();
  }
}

function measurePeer(peer: string, count: number, exact: string[][]): Row[] {
  const output = execFileSync(
    process.execPath,
    ['--max-old-space-size=8192', `${folder}peers.ts`, peer, String(count), String(QUERIES)],
    { maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'], cwd: dirname(folder) },
  );
  const measured = JSON.parse(output.toString()) as {
    seconds: number;
    memory: number;
    modes: Record<string, { milliseconds: number[]; ids: string[][] }>;
  };
  const speed = Math.round(count / measured.seconds);
  console.log(`${peer}: ${speed} chunks/s written, ${Math.round(measured.memory / 1e6)} MB`);
  return Object.entries(measured.modes).map(([mode, { milliseconds, ids }]) =>
    row(
      peer,
      mode,
      milliseconds,
      mode === 'dense' ? computeRecall(ids, exact.slice(0, ids.length)) : undefined,
    ),
  );
}

const { readGigabytes, scanGigabytes, scanMilliseconds } = measureBandwidth(100_000, DIMENSION);
console.log(
  `WASM memory bandwidth ${readGigabytes.toFixed(1)} GB/s; the vector scan reads ${scanGigabytes.toFixed(1)} GB/s ` +
    `(${Math.round((100 * scanGigabytes) / readGigabytes)} %), ${scanMilliseconds.toFixed(2)} ms for 100000 x ${DIMENSION}`,
);

const { bm25, weighted } = measureScoring();
console.log(
  `Scoring a posting takes ${bm25.toFixed(2)} ns with BM25 and ${weighted.toFixed(2)} ns with learned weights ` +
    `(${Math.round((100 * weighted) / bm25)} %)`,
);

for (const count of sizes.length > 0 ? sizes : [10_000, 100_000]) {
  const rows: Row[] = [];
  console.log(`\n${count} chunks, ${DIMENSION} dimensions, top 10\n`);
  const exact = parts.has('inside') || parts.has('peers') ? findExactNeighbours(count, QUERIES) : [];
  if (parts.has('inside')) rows.push(...(await measureInside(count, QUERIES, exact)));
  if (parts.has('http')) rows.push(...(await measureHttp(count)));
  if (parts.has('peers')) for (const peer of PEERS) rows.push(...measurePeer(peer, count, exact));
  console.log();
  if (rows.length > 0) printTable(rows);
}
if (parts.has('ingest')) {
  console.log('\nWriting into one shard, documents of several sizes\n');
  printTable(await measureIngest([10, 50, 500], 16_000));
}
process.exit(0);
