import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import {
  iterateStoredPages,
  readRange,
  readRangeState,
  readSummary,
  writePages,
  writeSummary,
} from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { type ParseRequest, parseFile, parseRanges } from '#src/parse-file/parse-file.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { textPage } from '#test/extraction/pages.ts';
import { buildPdf, image, paragraph, solidImage } from '#test/fixtures/pdf.ts';

const typed = { content: paragraph(72, 720, ['Typed words.']) };
const picture = { content: image(0, 72, 300, 200, 120), images: [solidImage(200, 120, [9, 9, 9])] };
const progress = async () => {};

async function store(
  content: string | Uint8Array,
  name: string,
  parameters: ParseParameters = {},
): Promise<ParseRequest> {
  const contentHash = crypto.randomUUID();
  await env.FILES.put(contentHash, content);
  const size = content.length;
  const plan = resolveParsePlan(parameters);
  return { projectId: 'p', contentHash, configHash: 'h', storageKey: contentHash, name, size, plan };
}

/** Returns the names of the stored objects of a parse. */
async function listObjects({ contentHash }: ParseRequest): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix: `projects/p/parsed/${contentHash}/` });
  return objects.map(({ key }) => key.split('/').at(-1)!);
}

/** Parses a file and returns the result with the names of the bucket's methods that were called. */
async function parseCounted(request: ParseRequest) {
  const calls: string[] = [];
  const bucket = new Proxy(env.FILES, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return method.apply(target, args);
      };
    },
  });
  return { ...(await parseFile(bucket, request, progress)), calls };
}

it('stores the summary of a small file with its pages, and reads both with one call', async () => {
  const request = await store('# Harbour\n\nOpen at night.', 'harbour.md');
  const first = await parseCounted(request);
  expect(first).toMatchObject({ cached: false, calls: ['get', 'get', 'put'] });
  expect(await listObjects(request)).toEqual(['000000.json']);
  expect(await readSummary(env.FILES, request)).toEqual(first.parsed);
  expect(await readRange(env.FILES, request, 0)).toEqual(first.pages);
  const second = await parseCounted(request);
  expect(second).toEqual({ ...first, cached: true, calls: ['get'] });
});

it('stores the summary of a file with several page ranges apart', async () => {
  const request = await store(buildPdf({ pages: Array(40).fill(typed) }), 'long.pdf');
  const { parsed } = await parseFile(env.FILES, request, progress);
  expect(parsed.pageCount).toBe(40);
  expect(await listObjects(request)).toEqual([
    '000000.json',
    '000000.words.json',
    '000032.json',
    '000032.words.json',
    'summary.json',
  ]);
  expect(await readSummary(env.FILES, request)).toEqual(parsed);
  expect(await parseFile(env.FILES, request, progress)).toMatchObject({ cached: true, pages: undefined });
});

it('stores the summary of a file with one large page apart', async () => {
  const request = await store('Lighthouse. '.repeat(20_000), 'large.txt');
  const { parsed } = await parseFile(env.FILES, request, progress);
  expect(await listObjects(request)).toEqual(['000000.json', 'summary.json']);
  expect(await readSummary(env.FILES, request)).toEqual(parsed);
  expect(await parseFile(env.FILES, request, progress)).toMatchObject({ cached: true });
});

it('reads a parse whose summary an earlier release stored apart', async () => {
  const request = await store('not read', 'old.txt');
  const pages: Page[] = [textPage('Stored long ago.')];
  const stored = await writePages(env.FILES, request, { from: 0, to: 1 }, pages);
  expect(await readSummary(env.FILES, request)).toBeUndefined();
  const parsed = { kind: 'txt' as const, pageCount: 1, metadata: {} };
  await writeSummary(env.FILES, request, parsed);
  expect(await readSummary(env.FILES, request)).toEqual(parsed);
  expect(await parseFile(env.FILES, request, progress)).toMatchObject({ parsed, cached: true });
  expect(await Array.fromAsync(iterateStoredPages(env.FILES, request, 1))).toEqual(stored);
});

it('parses a file again if its summary is missing, as after a stop between two writes', async () => {
  const request = await store('Open at night.', 'harbour.txt');
  await writePages(env.FILES, request, { from: 0, to: 1 }, [textPage('Half')]);
  expect(await parseFile(env.FILES, request, progress)).toMatchObject({ cached: false });
  expect(await parseFile(env.FILES, request, progress)).toMatchObject({ cached: true });
  expect((await readRange(env.FILES, request, 0))?.[0]?.text).toBe('Open at night.');
});

it('keeps the summary when the pages of a small file are read by another engine', async () => {
  const request = await store(buildPdf({ pages: [picture] }), 'scan.pdf');
  const { parsed } = await parseFile(env.FILES, request, progress);
  expect(await readRangeState(env.FILES, request, 0)).toMatchObject({ unread: 1, triedOcr: '' });
  const ocr: Ocr = {
    id: 'engine',
    recognise: async () => ({ text: 'Read words.', format: 'plain', words: [] }),
  };
  expect(await parseRanges(env.FILES, { ...request, ocr }, [{ from: 0, to: 1 }], progress)).toEqual([]);
  expect(await readRangeState(env.FILES, request, 0)).toMatchObject({ unread: 0, triedOcr: 'engine' });
  expect(await readSummary(env.FILES, request)).toEqual(parsed);
});

it('finds a parse of selected pages that do not include the first range', async () => {
  const pages = Array(40).fill(typed);
  const request = await store(buildPdf({ pages }), 'long.pdf', { target_pages: '35' });
  expect(await parseFile(env.FILES, request, progress)).toMatchObject({ cached: false });
  expect(await listObjects(request)).not.toContain('000000.json');
  expect(await parseFile(env.FILES, request, progress)).toMatchObject({ cached: true });
});

it('parses a small file again for each run if its parameters forbid reusing earlier parses', async () => {
  const request = await store('Open at night.', 'harbour.txt', { do_not_cache: true });
  const parse = async (run: string) => (await parseFile(env.FILES, { ...request, run }, progress)).cached;
  expect([await parse('a'), await parse('a'), await parse('b')]).toEqual([false, true, false]);
});
