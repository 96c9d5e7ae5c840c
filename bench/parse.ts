/**
 * Measures what the parser finds in real documents, its speed and its memory, next to pdftotext, pdf.js and
 * plain PDFium on the same files. It also measures how well tables are read. Run: npm run bench:parse
 * (CORPORA=<dir>)
 * An argument with part of a file name limits the run to these files. `--tables` measures only tables, and
 * TABLE_SEED=<number> draws other ones. `--scans` measures only OCR of drawn scans. `--checks`, `--formats` and
 * `--pictures` measure only the sets `parse-checks`, `parse-formats` and `parse-scans`, each beside the peers
 * that can be installed. RECEIPTS=<number> limits the receipts of the last one,
 * which also reads tables that are drawn to pictures with TABLE_SEED, and
 * READERS=<name>,<name> the programs, such as Sluice.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildAssets } from '#scripts/build.ts';
import { CORPORA, readManifest } from './corpora.ts';
import { startWorker } from './parsing/client.ts';
import { compareChecks } from './parsing/documents/checks.ts';
import { compareFormats } from './parsing/documents/formats.ts';
import { comparePictures } from './parsing/documents/pictures.ts';
import { compareLongPdf } from './parsing/long-pdf.ts';
import { readPeak, resetPeak, runtimePids } from './parsing/memory.ts';
import { measureAgreement, normalise } from './parsing/order.ts';
import type { Read } from './parsing/peers/worker.ts';
import { compareScans } from './parsing/scans/compare.ts';
import { compareTables } from './parsing/tables/compare.ts';

interface Item {
  file: string;
  type: string;
  must_contain: string[];
  ocr?: boolean;
  expect_error?: string;
}

const ROUNDS = 3;
const ROUND_MS = 250;
const folder = join(import.meta.dirname, 'parsing/peers/');
const onlyTables = process.argv.includes('--tables');
const onlyScans = process.argv.includes('--scans');
const only = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? '';
const seed = Number(process.env.TABLE_SEED ?? 2);

const sets: Record<string, () => Promise<void>> = {
  '--checks': () => compareChecks(only),
  '--formats': () => compareFormats(only),
  '--pictures': () => comparePictures(only, Number(process.env.RECEIPTS ?? Number.POSITIVE_INFINITY), seed),
};
const asked = Object.keys(sets).filter((option) => process.argv.includes(option));
if (asked.length > 0) {
  for (const option of asked) await sets[option]!();
  process.exit(0);
}
if (onlyScans) {
  buildAssets();
  await compareScans(plainWords());
  process.exit(0);
}
if (!existsSync(`${folder}node_modules`)) {
  console.log('Installing the peer (once)…');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder], { stdio: 'inherit' });
}
const hasPdftotext = spawnSync('pdftotext', ['-v']).error === undefined;
if (!hasPdftotext) console.log('pdftotext (poppler-utils) is not installed, so its columns are empty.');

const items = readManifest<Item[]>('parse').filter((item) => item.file.includes(only));
buildAssets();
let base = new URL('http://localhost');
const peaks = new Map<string, number>();
if (onlyTables) {
  const { stop } = await startPeers();
  await compareTables(askBytes, items, seed);
  await stop();
  process.exit(0);
}
for (const kind of new Set(items.map(getKind))) peaks.set(kind, await measurePeak(kind));
const { stop } = await startPeers();

/** Returns words of usual length from the documentation of the project. */
function plainWords(): string[] {
  const text = readFileSync(join(import.meta.dirname, '../docs/architecture.md'), 'utf8');
  return text.split(/\s+/).filter((word) => /^[A-Za-z0-9][A-Za-z0-9.,:;'-]{0,14}$/.test(word));
}

function getKind(item: Item): string {
  return item.ocr ? `${item.type} (scanned)` : item.type;
}

async function startPeers() {
  const worker = await startWorker('peers/wrangler.toml');
  base = worker.base;
  return worker;
}

/** Returns the peak memory in MiB for reading the files of one kind, minus the memory of the idle runtime. */
async function measurePeak(kind: string): Promise<number> {
  const { stop } = await startPeers();
  try {
    // The Worker runs in a second process, which exists only after a first request.
    await fetch(new URL('/?engine=ours&quiet', base), { method: 'POST', body: 'warm' });
    const pids = runtimePids();
    if (pids.length === 0) return Number.NaN;
    const idle = readPeak(pids);
    for (const pid of pids) resetPeak(pid);
    for (const item of items.filter((each) => getKind(each) === kind)) {
      await ask(item.ocr ? 'ours-ocr' : 'ours', item.file, 1, true);
    }
    return readPeak(pids) - idle;
  } finally {
    await stop();
  }
}

async function ask(engine: string, file: string, repeat = 1, quiet = false): Promise<Read | string> {
  return askBytes(engine, basename(file), readFileSync(join(CORPORA, file)), repeat, quiet);
}

async function askBytes(
  engine: string,
  name: string,
  body: Uint8Array<ArrayBuffer>,
  repeat = 1,
  quiet = false,
): Promise<Read | string> {
  const query = `engine=${engine}&repeat=${repeat}&name=${encodeURIComponent(name)}${quiet ? '&quiet' : ''}`;
  const answer = await fetch(new URL(`/?${query}`, base), { method: 'POST', body });
  if (!answer.ok || quiet) return answer.text();
  return (await answer.json()) as Read;
}

/**
 * Returns the milliseconds per reading in the fastest of several rounds. The clock of the runtime does not
 * advance during computation, so the clock of this process is used.
 */
async function time(engine: string, file: string): Promise<number> {
  const once = async (repeat: number) => {
    const start = performance.now();
    await ask(engine, file, repeat, true);
    return performance.now() - start;
  };
  const first = await once(2);
  const repeat = Math.max(1, Math.min(60, Math.round(ROUND_MS / Math.max(1, first / 2))));
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push((await once(repeat)) / repeat);
  return Math.min(...rounds);
}

function pdftotext(file: string): { text: string; milliseconds: number } | undefined {
  if (!hasPdftotext) return undefined;
  const run = () => spawnSync('pdftotext', [join(CORPORA, file), '-'], { maxBuffer: 64 << 20 });
  const times: number[] = [];
  let text = '';
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    text = run().stdout.toString();
    times.push(performance.now() - start);
  }
  return { text, milliseconds: Math.min(...times) };
}

const findMissing = (item: Item, text: string) =>
  item.must_contain.filter((phrase) => !normalise(text).includes(normalise(phrase).trim()));

interface Format {
  files: number;
  expected: number;
  found: number;
  refused: number;
  pages: number;
  milliseconds: number;
}
const formats = new Map<string, Format>();
const notes: string[] = [];
const pdfs: Record<string, string | number>[] = [];
const total = { pages: 0, ours: 0, full: 0, pdfium: 0, unpdf: 0, unpdfPages: 0, oursForUnpdf: 0 };
const ocrTimes: string[] = [];

for (const item of items) {
  const kind = getKind(item);
  const format = formats.get(kind) ?? {
    ...{ files: 0, expected: 0, found: 0, refused: 0, pages: 0, milliseconds: 0 },
  };
  formats.set(kind, format);
  format.files++;
  const engine = item.ocr ? 'ours-ocr' : 'ours';
  const read = await ask(engine, item.file);
  if (typeof read === 'string') {
    if (item.expect_error) format.refused++;
    else notes.push(`${item.file}: ${read}`);
    continue;
  }
  if (item.expect_error)
    notes.push(`${item.file}: was read, although an error was expected (${item.expect_error})`);
  const lost = findMissing(item, `${read.markdown.join('\n')}\n${read.texts.join('\n')}`);
  format.expected += item.must_contain.length;
  format.found += item.must_contain.length - lost.length;
  for (const phrase of lost) notes.push(`${item.file}: the text “${phrase}” is missing`);
  const full = await time(engine, item.file);
  format.pages += read.pages;
  format.milliseconds += full;
  if (item.ocr) ocrTimes.push(`${basename(item.file)} ${(full / read.pages).toFixed(0)} ms per page`);
  else if (item.type === 'pdf') await compare(item, read, full);
}

async function compare(item: Item, read: Read, full: number): Promise<void> {
  const [ours, pdfium, pdfjs] = [
    await time('ours-text', item.file),
    await time('pdfium', item.file),
    await time('unpdf', item.file),
  ];
  const unpdfRead = await ask('unpdf', item.file);
  const plain = await ask('pdfium', item.file);
  const reference = pdftotext(item.file);
  total.pages += read.pages;
  total.ours += ours;
  total.full += full;
  total.pdfium += pdfium;
  if (typeof unpdfRead !== 'string') {
    total.unpdf += pdfjs;
    total.unpdfPages += unpdfRead.pages;
    total.oursForUnpdf += ours;
  } else notes.push(`${item.file}: pdf.js: ${unpdfRead}`);
  const order = (text: Read | string) => {
    if (!reference || typeof text === 'string') return '';
    const { found, inOrder } = measureAgreement(text.texts.join('\n'), reference.text);
    return `${found.toFixed(3)} ${inOrder.toFixed(3)}`;
  };
  const each = (milliseconds: number) => Number((milliseconds / read.pages).toFixed(2));
  pdfs.push({
    file: basename(item.file).slice(0, 28),
    pages: read.pages,
    'ours ms/p': each(ours),
    'with pictures': each(full),
    'plain PDFium': each(pdfium),
    'pdf.js': typeof unpdfRead === 'string' ? 'failed' : each(pdfjs),
    pdftotext: reference ? each(reference.milliseconds) : '',
    'order: ours': order(read),
    PDFium: order(plain),
    'pdf.js order': order(unpdfRead),
    'phrases pdf.js': countFound(item, unpdfRead),
    'phrases pdftotext': reference ? countFound(item, reference.text) : '',
  });
}

function countFound(item: Item, read: Read | string): string {
  const text = typeof read === 'string' ? read : read.texts.join('\n');
  return `${item.must_contain.length - findMissing(item, text).length}/${item.must_contain.length}`;
}

console.table(
  [...formats].map(([kind, format]) => ({
    format: kind,
    files: format.files,
    phrases: `${format.found}/${format.expected}`,
    refused: format.refused,
    'pages/s': Math.round((format.pages / Math.max(0.001, format.milliseconds)) * 1000),
    'peak MiB': Math.round(peaks.get(kind) ?? Number.NaN),
  })),
);
console.log('Peak: resident memory above the idle runtime, in a separate runtime for each format.\n');
if (pdfs.length > 0) {
  console.table(pdfs);
  console.log(
    'Order columns: share of the words of pdftotext that were found, and share of the found words in the order of pdftotext.',
  );
  const rate = (milliseconds: number, pages: number) => ((pages / milliseconds) * 1000).toFixed(0);
  console.log(`
Text with boxes   ${rate(total.ours, total.pages)} pages/s (with pictures ${rate(total.full, total.pages)})
plain PDFium      ${rate(total.pdfium, total.pages)} pages/s; ours takes ${(total.ours / total.pdfium).toFixed(2)} times as long (target: 3 at most)
pdf.js (unpdf)    ${rate(total.unpdf, total.unpdfPages)} pages/s; ours reads at ${(total.unpdf / total.oursForUnpdf).toFixed(2)} times its rate (target: 3 at least)`);
  await compareLongPdf(askBytes);
}
if (ocrTimes.length > 0) console.log(`OCR, built-in: ${ocrTimes.join('; ')}`);
for (const note of notes) console.log(note);
if (only === '') await compareTables(askBytes, items, seed);
await stop();
if (only === '') {
  await compareScans(plainWords());
  for (const compare of Object.values(sets)) await compare();
}
process.exit(0);
