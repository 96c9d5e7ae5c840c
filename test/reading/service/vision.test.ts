import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { files } from '#src/db/schema/index.ts';
import { readPage, readRange } from '#src/documents/page-store.ts';
import { openParser } from '#src/reading/service/open-parser.ts';
import { parseWith, saying, uploadLedger } from '#test/support/ledger.ts';
import { contextWithModel, PageModel } from '#test/support/page-model.ts';

const model = new PageModel();
beforeEach(() => {
  model.asked.splice(0);
  model.listen();
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a page that a vision model reads', () => {
  it('is sent as picture and text, and has the text that the model wrote', async () => {
    model.answer = saying;
    const { pages, key, ctx } = await parseWith(await uploadLedger(2), { parse_mode: 'parse_page_with_lvm' });
    expect(pages.map(({ markdown }) => markdown)).toEqual([
      '# Ledger 1\n\nThe ferry carried **1** crates of tin.',
      '# Ledger 2\n\nThe ferry carried **2** crates of tin.',
    ]);
    expect(model.asked).toHaveLength(2);
    const [first] = model.asked;
    // 612 x 792 points at 150 dots per inch.
    expect(first!.picture).toEqual({ mimeType: 'image/png', width: 1275, height: 1650 });
    expect(first).toMatchObject({ model: 'reader-1', fenced: [expect.stringContaining('Ledger')] });
    expect(pages[0]!.readBy).toMatchObject({ mode: 'vision', model: 'reader-1' });
    const { words } = (await readPage(ctx.bucket, key, 0))!;
    expect(words.map(([word]) => word)).toContain('ferry');
  });

  it('has boxes for the text that the model wrote', async () => {
    model.answer = saying;
    const { pages } = await parseWith(await uploadLedger(1), { parse_mode: 'parse_page_with_lvm' });
    const [heading, paragraph] = pages[0]!.blocks;
    expect(heading).toMatchObject({ type: 'heading', text: 'Ledger 1', box: { x: expect.closeTo(72, 0) } });
    // 792 - 700 and 792 - 660 are the baselines, measured from the top.
    expect(heading!.box!.y + heading!.box!.h).toBeCloseTo(92, -1);
    expect(paragraph!.box!.y + paragraph!.box!.h).toBeCloseTo(132, -1);
    expect(paragraph!.box!.w).toBeGreaterThan(150);
  });

  it('is read once until the mode or the model changes, or without the cache', async () => {
    model.answer = saying;
    const fileId = await uploadLedger(2);
    const vision = { parse_mode: 'parse_page_with_lvm' } as const;
    const { key } = await parseWith(fileId, vision);
    expect((await parseWith(fileId, vision)).key).toEqual(key);
    await parseWith(fileId, { ...vision, page_prefix: 'P', max_pages: 1 });
    expect(model.asked).toHaveLength(2);
    const other = await parseWith(fileId, vision, contextWithModel({ LLM_MODEL: 'reader-2' }));
    expect(other.key.configHash).not.toBe(key.configHash);
    expect(other.pages[0]!.readBy!.model).toBe('reader-2');
    expect(model.asked).toHaveLength(4);
    await parseWith(fileId, { ...vision, do_not_cache: true });
    expect(model.asked).toHaveLength(6);
  });

  it('is laid out by the parser once for all modes', async () => {
    model.answer = saying;
    const fileId = await uploadLedger(1);
    const ctx = contextWithModel();
    const plain = await parseWith(fileId, {}, ctx);
    const before = plain.pages[0]!;
    const parsed = vi.spyOn(ctx.parser, 'parseFile');
    const read = await parseWith(fileId, { parse_mode: 'parse_page_with_lvm' }, ctx);
    expect(read.key.configHash).not.toBe(plain.key.configHash);
    expect(parsed.mock.calls[0]![0].configHash).toBe(plain.key.configHash);
    expect((await parseWith(fileId, {}, ctx)).pages[0]).toEqual(before);
  });

  it('is read only if it is in target_pages of a long document', async () => {
    model.answer = saying;
    const fileId = await uploadLedger(70);
    const ctx = contextWithModel();
    const { key, pageCount } = await parseWith(fileId, {
      parse_mode: 'parse_page_with_lvm',
      target_pages: '1,40,70',
    });
    expect(pageCount).toBe(70);
    const read = await Promise.all([0, 32, 64].map((from) => readRange(ctx.bucket, key, from)));
    expect(read.flat().map((page) => page!.markdown.split('\n')[0])).toEqual([
      '# Ledger 1',
      '# Ledger 40',
      '# Ledger 70',
    ]);
    expect(model.asked).toHaveLength(3);
  });
});

it('caches pages under the pipeline’s hash, and reads them again after a change of the model', async () => {
  model.answer = saying;
  const fileId = await uploadLedger(1);
  const ctx = contextWithModel();
  const file = (await ctx.db.query.files.findFirst({ where: eq(files.id, fileId) }))!;
  const parameters = { parse_mode: 'parse_page_with_lvm' } as const;
  const request = {
    ...{ projectId: file.projectId, contentHash: file.contentHash!, configHash: 'of-a-pipeline' },
    ...{ storageKey: file.storageKey!, name: file.name, size: file.fileSize!, parameters },
  };
  const readAs = async (settings: Record<string, string>) => {
    const { parser } = await openParser(contextWithModel(settings), file.projectId, parameters);
    const { cached, missing, parsed } = await parser.parseFile(request, async () => {});
    expect(missing).toEqual([]);
    expect(parsed.pageCount).toBe(1);
    return { cached, by: (await readRange(ctx.bucket, request, 0))![0]!.readBy?.model };
  };
  expect(await readAs({ LLM_DEFAULTS: '{"parsing":"builtin"}' })).toEqual({ cached: false, by: undefined });
  expect(await readAs({})).toEqual({ cached: false, by: 'reader-1' });
  expect(await readAs({})).toEqual({ cached: true, by: 'reader-1' });
  expect(await readAs({ LLM_MODEL: 'reader-2' })).toEqual({ cached: false, by: 'reader-2' });
  expect(model.asked).toHaveLength(2);
});

it('pages are read by the parser alone if no model is configured', async () => {
  const ctx = contextWithModel({ LLM_DEFAULTS: '{"parsing":"builtin"}' });
  const { pages } = await parseWith(await uploadLedger(1), { parse_mode: 'parse_page_with_lvm' }, ctx);
  expect(pages[0]!.text).toContain('The ferry carried 1 crates');
  expect(pages[0]!.readBy).toBeUndefined();
  expect(model.asked).toHaveLength(0);
});

it('pages are read by the parser alone if no parameter asks for a model', async () => {
  const { pages } = await parseWith(await uploadLedger(1), { parse_mode: 'parse_page_without_llm' });
  expect(pages[0]!.readBy).toBeUndefined();
  expect(model.asked).toHaveLength(0);
});
