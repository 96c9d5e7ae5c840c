import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { splitIntoRanges } from '#src/documents/page-selection.ts';
import { iterateStoredPages, type StoredPage } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { type ParseRequest, parseFile, parseRanges } from '#src/parse-file/parse-file.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { Unreadable } from '#src/ports/ocr.ts';
import { buildPdf, image, type PdfPage, paragraph, solidImage } from '#test/fixtures/pdf.ts';

const picture = { content: image(0, 72, 300, 200, 120), images: [solidImage(200, 120, [9, 9, 9])] };
const typed = { content: paragraph(72, 720, ['Typed words.']) };

/** Stores a file with one picture page and returns a function that parses it. */
async function stored(parameters: ParseParameters = {}) {
  const bytes = buildPdf({ pages: [picture, typed] });
  const contentHash = crypto.randomUUID();
  await env.FILES.put(contentHash, bytes);
  const request: ParseRequest = {
    ...{ projectId: 'p', contentHash, configHash: 'h', storageKey: contentHash },
    ...{ name: 'scan.pdf', size: bytes.length, plan: resolveParsePlan(parameters) },
  };
  return async (ocr?: Ocr) => {
    const { parsed, cached } = await parseFile(env.FILES, { ...request, ocr }, async () => {});
    const pages: StoredPage[] = [];
    for await (const page of iterateStoredPages(env.FILES, request, parsed.pageCount)) pages.push(page);
    return { cached, text: pages[0]?.text, unread: pages.filter((page) => page.needsOcr).length };
  };
}

function counting(id: string, text?: string): Ocr & { asked: number } {
  const ocr = {
    id,
    asked: 0,
    async recognise() {
      ocr.asked += 1;
      if (text === undefined) throw new Unreadable('cannot');
      return { text, format: 'plain' as const, words: [] };
    },
  };
  return ocr;
}

it('calls the OCR engine once, and only for pages without text', async () => {
  const parse = await stored();
  const ocr = counting('a', 'Read words.');
  expect(await parse(ocr)).toEqual({ cached: false, text: 'Read words.', unread: 0 });
  expect(await parse(ocr)).toEqual({ cached: true, text: 'Read words.', unread: 0 });
  expect(await parse(counting('b', 'Other words.'))).toMatchObject({ cached: true, text: 'Read words.' });
  expect(ocr.asked).toBe(1);
});

it('reads unread pages again with an engine that has not tried them', async () => {
  const parse = await stored();
  expect(await parse()).toMatchObject({ cached: false, unread: 1 });
  expect(await parse()).toMatchObject({ cached: true, unread: 1 });
  const blind = counting('blind');
  expect(await parse(blind)).toMatchObject({ cached: false, unread: 1 });
  expect(await parse(blind)).toMatchObject({ cached: true, unread: 1 });
  expect(blind.asked).toBe(1);
  expect(await parse(counting('b', 'Read.'))).toMatchObject({ cached: false, text: 'Read.', unread: 0 });
});

it('lets timers run, and checks every few pages whether the parse is still wanted', async () => {
  const bytes = buildPdf({ pages: Array(16).fill(typed) });
  const contentHash = crypto.randomUUID();
  await env.FILES.put(contentHash, bytes);
  const request: ParseRequest = {
    ...{ projectId: 'p', contentHash, configHash: 'h', storageKey: contentHash },
    ...{ name: 'long.pdf', size: bytes.length, plan: resolveParsePlan({}) },
  };
  const firedAt: number[] = [];
  let fired = 0;
  const parsed = parseFile(env.FILES, request, async () => {
    firedAt.push(fired);
    setTimeout(() => fired++);
    if (firedAt.length === 4) throw new Error('not wanted');
  });
  await expect(parsed).rejects.toThrow('not wanted');
  // No timer was set before the first check. Whether one has fired a few pages later depends on the clock
  // resolution.
  expect(firedAt[3]).toBeGreaterThan(0);
  const { objects } = await env.FILES.list({ prefix: 'projects/p/parsed/' });
  expect(objects.filter(({ key }) => key.includes(contentHash))).toEqual([]);
});

it('calls no engine if OCR is disabled', async () => {
  const parse = await stored({ disable_ocr: true });
  const ocr = counting('a', 'Read words.');
  expect(await parse(ocr)).toMatchObject({ unread: 1 });
  expect(await parse(ocr)).toMatchObject({ cached: true, unread: 1 });
  expect(ocr.asked).toBe(0);
});

describe('beyond the time limit', () => {
  const pictures = {
    content: [0, 1].map((at) => image(at, 72, 100 + at * 200, 150, 150)).join(''),
    images: [0, 1].map((at) => solidImage(1_500, 1_000, [at, 90, 200])),
  };
  const parse = async (pages: PdfPage[], limits: { pageMs: number; rangeMs: number }) => {
    const bytes = buildPdf({ pages });
    const contentHash = crypto.randomUUID();
    await env.FILES.put(contentHash, bytes);
    const key = { projectId: 'p', contentHash, configHash: 'h' };
    const request = {
      ...key,
      storageKey: contentHash,
      name: 'a.pdf',
      size: bytes.length,
      plan: resolveParsePlan({}),
      limits,
    };
    const { parsed } = await parseFile(env.FILES, request, async () => {});
    return Array.fromAsync(iterateStoredPages(env.FILES, key, parsed.pageCount));
  };

  it('a page is left out, and the others are read', async () => {
    const [first, second] = await parse([typed, pictures], { pageMs: -1, rangeMs: 60_000 });
    expect(first).toMatchObject({ text: 'Typed words.' });
    expect(second).toMatchObject({ text: '', figures: [] });
  });

  it.each([
    [
      'a file of one such page ends',
      [pictures],
      { pageMs: -1, rangeMs: 60_000 },
      'TIMEOUT: Page 1 took longer',
    ],
    ['a range ends its file', [typed], { pageMs: 60_000, rangeMs: -1 }, 'TIMEOUT: Reading pages 1 to 1 took'],
  ])('%s with an error', async (_, pages, limits, message) => {
    await expect(parse(pages, limits)).rejects.toMatchObject({
      reason: 'TIMEOUT',
      message: expect.stringContaining(message),
    });
  });
});

describe('the page ranges of a large file', () => {
  const large = async (openMs?: number) => {
    const bytes = buildPdf({ pages: Array(70).fill(typed) });
    const contentHash = crypto.randomUUID();
    await env.FILES.put(contentHash, bytes);
    const request: ParseRequest = {
      ...{ projectId: 'p', contentHash, configHash: 'h', storageKey: contentHash },
      ...{
        name: 'large.pdf',
        size: bytes.length,
        plan: resolveParsePlan({}),
        limits: openMs === undefined ? undefined : { openMs },
      },
    };
    return { request, parse: () => parseRanges(env.FILES, request, splitIntoRanges(70), async () => {}) };
  };

  it('are all parsed while the file is open if there is time', async () => {
    const { request, parse } = await large(60_000);
    expect(await parse()).toEqual([]);
    const { missing, cached } = await parseFile(env.FILES, request, async () => {});
    expect({ missing, cached }).toEqual({ missing: [], cached: false });
    expect(await Array.fromAsync(iterateStoredPages(env.FILES, request, 70))).toHaveLength(70);
  });

  it('are parsed one per call if the time is over', async () => {
    const { request, parse } = await large(0);
    for (const left of [2, 1, 0]) {
      expect(await parse()).toEqual(splitIntoRanges(70).slice(3 - left));
      const { missing } = await parseFile(env.FILES, request, async () => {});
      expect(missing).toEqual(splitIntoRanges(70).slice(3 - left));
    }
  });

  it('are not read again, and the file is not opened for them', async () => {
    const { request, parse } = await large();
    await parse();
    await env.FILES.delete(request.storageKey);
    expect(await parse()).toEqual([]);
  });
});
