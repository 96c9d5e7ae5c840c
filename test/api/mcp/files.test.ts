import { beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call, upload } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';
import { called, refused, rpc } from './agent.ts';
import { type Harbour, makeHarbour, nowhere, PAGES } from './harbour.ts';

let harbour: Harbour;
beforeAll(async () => {
  harbour = await makeHarbour();
});

describe('find_files', () => {
  interface Found {
    items: { file_id: string; name: string; status?: string; metadata?: Record<string, unknown> }[];
    next_page_token: string | null;
  }
  const findNames = async (args: object) =>
    (await called<Found>('find_files', args)).items.map(({ name }) => name);

  it('finds files of the project or of a pipeline by part of their name', async () => {
    expect(await findNames({ name_contains: 'INVO' })).toEqual(['invoice.md']);
    expect(await findNames({ pipeline_id: harbour.pipeline, name_contains: '.md' })).toEqual(['crane.md']);
    const { items } = await called<Found>('find_files', { pipeline_id: harbour.pipeline });
    expect(items.map(({ file_id, status }) => [file_id, status])).toEqual([
      [harbour.files['manual.pdf'], 'SUCCESS'],
      [harbour.files['crane.md'], 'SUCCESS'],
    ]);
  });

  it('finds files by metadata, without the keys hidden from models', async () => {
    const filters = { filters: [{ key: 'shelf', operator: 'in', value: ['b', 'x'] }] };
    const { items } = await called<Found>('find_files', { pipeline_id: harbour.pipeline, filters });
    expect(items).toEqual([
      {
        file_id: harbour.files['manual.pdf'],
        name: 'manual.pdf',
        metadata: expect.objectContaining({ shelf: 'b', web_url: 'https://wiki.example/manual' }),
      },
    ]);
    expect(items[0]!.metadata).not.toHaveProperty('salary');
    expect(await findNames({ pipeline_id: harbour.pipeline, filters, name_contains: 'crane' })).toEqual([]);
    expect(await refused('find_files', { filters })).toMatch(
      /^invalid: pipeline_id: is required beside filters/,
    );
  });

  it.each([
    ['of the project', () => ({}), 3],
    ['of a pipeline', () => ({ pipeline_id: harbour.pipeline }), 2],
    ['by metadata', () => ({ pipeline_id: harbour.pipeline, filters: { filters: [] } }), 2],
  ])('%s returns pages in which each file appears once', async (_, args, count) => {
    const seen: string[] = [];
    let token: string | null = null;
    do {
      const page: Found = await called<Found>('find_files', { ...args(), page_size: 1, page_token: token });
      expect(page.items).toHaveLength(1);
      seen.push(page.items[0]!.file_id);
      token = page.next_page_token;
    } while (token);
    expect(seen).toHaveLength(count);
    expect(new Set(seen).size).toBe(count);
  });
});

describe('read_pages', () => {
  interface Read {
    page_count: number;
    pages: { page: number; text: string; text_cut: boolean }[];
    next_page_token: string | null;
  }
  const read = (args: object) => called<Read>('read_pages', args);

  it('reads a range of pages across parsed ranges', async () => {
    const { pages, page_count, next_page_token } = await read({
      ...{ file_id: `dfl-${harbour.files['manual.pdf']}`, first_page: 31, last_page: 34, format: 'text' },
    });
    expect([page_count, next_page_token]).toEqual([PAGES, null]);
    expect(pages.map(({ page, text }) => [page, text])).toEqual(
      [31, 32, 33, 34].map((page) => [page, `Berth ${page} is free.`]),
    );
    expect((await read({ file_id: harbour.files['manual.pdf'] })).pages).toHaveLength(PAGES);
    expect((await read({ file_id: harbour.files['manual.pdf'], first_page: 40 })).pages).toHaveLength(1);
  });

  it('returns a long text in pages, without gaps or duplicates', async () => {
    // Each character has three bytes, and the byte limit is not a multiple of three.
    const line = (at: number) => `Zeile ${at}: ${'语言'.repeat(40)}`;
    const whole = Array.from({ length: 1500 }, (_, at) => line(at)).join('\n\n');
    const file_id = await upload('long.txt', whole);
    let token: string | null = null;
    const bytes: number[] = [];
    let said = '';
    do {
      const page: Read = await read({ file_id, format: 'text', page_token: token });
      const text = page.pages.map((each) => each.text).join('');
      bytes.push(new TextEncoder().encode(text).length);
      said += text;
      token = page.next_page_token;
    } while (token);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(100 * 1024);
    expect(bytes.length).toBeGreaterThan(3);
    expect(said.replaceAll(/\s+/g, ' ')).toBe(whole.replaceAll(/\s+/g, ' '));
  });

  it('continues with the next page after the page limit of an answer', async () => {
    const pages = Array.from({ length: 203 }, (_, at) => ({ content: text(72, 700, `Sheet ${at + 1}`) }));
    const file_id = await upload('sheets.pdf', buildPdf({ pages }));
    const first = await read({ file_id });
    expect(first.pages.map(({ page }) => page)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    const rest = await read({ file_id, page_token: first.next_page_token });
    expect(rest.pages.map(({ page, text }) => [page, text])).toEqual([
      [201, 'Sheet 201'],
      [202, 'Sheet 202'],
      [203, 'Sheet 203'],
    ]);
    expect(rest.next_page_token).toBeNull();
  });

  it('names the invalid argument', async () => {
    const told = (more: object) => refused('read_pages', { file_id: harbour.files['manual.pdf'], ...more });
    expect(await told({ first_page: 41 })).toMatch(/^invalid: first_page: the file has 40 pages/);
    expect(await told({ first_page: 3, last_page: 2 })).toMatch(/last_page: must not be before/);
    expect(await told({ first_page: 0 })).toMatch(/first_page: /);
    expect(await told({ format: 'html' })).toMatch(/format: /);
    for (const key of [
      [41, 0, 41, 'text'],
      [0, 0, 3, 'text'],
      [3, -1, 3, 'text'],
      [1.5, 0, 3, 'text'],
      [4, 0, 3, 'text'],
      [1, 0, 3, 'html'],
      ['1'],
    ]) {
      expect(await told({ page_token: btoa(JSON.stringify(key)) }), String(key)).toMatch(/page_token/);
    }
    expect(await told({ file_id: 'x'.repeat(500) })).toMatch(/file_id: /);
    const broken = await upload('broken.pdf', '%PDF-1.7 and nothing');
    expect(await told({ file_id: broken })).toMatch(/^invalid: /);
  });
});

describe('resources', () => {
  interface Contents {
    contents: { uri: string; mimeType: string; text: string }[];
  }
  const read = async (uri: string, key?: string) =>
    (await rpc('resources/read', { uri }, key === undefined ? {} : { key })) as {
      result?: Contents;
      error?: { code: number };
    };

  it('are the files of the project, and can be read page by page', async () => {
    const { result } = await rpc('resources/list');
    const uri = `sluice://files/${harbour.files['manual.pdf']}`;
    expect((result as { resources: object[] }).resources).toContainEqual(
      expect.objectContaining({ uri, name: 'manual.pdf', mimeType: 'text/markdown' }),
    );
    const whole = (await read(uri)).result!.contents;
    expect(whole).toHaveLength(PAGES);
    const page = {
      uri: `${uri}/pages/7`,
      mimeType: 'text/markdown',
      text: 'The lighthouse is kept by Ada Strand.',
    };
    expect(whole[6]).toEqual(page);
    expect((await read(page.uri)).result).toEqual({ contents: [page] });
  });

  it('say where a long text continues', async () => {
    const id = await upload('long.md', 'Rope lasts. '.repeat(20_000));
    const { contents } = (await read(`sluice://files/${id}`)).result!;
    const token = /page_token (\S+)$/.exec(contents.at(-1)!.text)![1];
    const rest = await called<{ pages: { text: string }[] }>('read_pages', {
      file_id: id,
      page_token: token,
    });
    expect(rest.pages[0]!.text.length).toBeGreaterThan(1000);
  });

  it('are listed in pages, each file once', async () => {
    const { key } = await createTenant();
    const ids: string[] = [];
    for (let at = 0; at < 101; at += 1) {
      const answer = await call<{ file_id: string }>('PUT', '/api/v1/files', {
        key,
        body: { name: `${at}.txt` },
      });
      ids.push(answer.body.file_id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await rpc('resources/list', { ...(cursor && { cursor }) }, { key });
      const page = result as { resources: { uri: string }[]; nextCursor?: string };
      seen.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen.toSorted()).toEqual(ids.map((id) => `sluice://files/${id}`).toSorted());
  });

  it('are not found for other tenants, or for unknown pages and files', async () => {
    const uri = `sluice://files/${harbour.files['manual.pdf']}`;
    const codes = [
      await read(uri, harbour.stranger.key),
      await read(`${uri}/pages/41`),
      await read(`sluice://files/${nowhere}`),
    ];
    for (const { error, result } of codes) {
      expect(result).toBeUndefined();
      expect(error!.code).toBe(-32602);
    }
    const { result } = await rpc('resources/list', {}, { key: harbour.stranger.key });
    expect(result).toEqual({ resources: [] });
  });
});
