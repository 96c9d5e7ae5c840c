import { describe, expect, it } from 'vitest';
import { readImageHeader } from '#src/images/header.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { gif, jpeg, png, webp } from '#test/formats/fixtures/pictures.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import { follow, keysUnder, type UrlBody } from '#test/support/files.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Screenshot {
  page_index: number;
  file_id: string;
  image_size: number;
  metadata: Record<string, unknown>;
}
interface Figure {
  page_index: number;
  figure_name: string;
  figure_size: number;
  is_likely_noise: boolean;
  confidence: number;
}

const rgb = (width: number, height: number) =>
  new Uint8Array(width * height * 3).map((_, at) => (at * 7) & 255);
const pdf = () =>
  buildPdf({
    pages: [
      { content: text(72, 700, 'First page') },
      {
        content: `${text(72, 700, 'Second page')}q 200 0 0 150 72 400 cm /Im0 Do Q`,
        images: [{ width: 40, height: 30, data: rgb(40, 30) }],
      },
    ],
  });

const screenshots = (id: string, key?: string) =>
  call<Screenshot[]>('GET', `/api/v1/files/${id}/page_screenshots`, { ...(key && { key }) });
const figures = (id: string, page = '') => call<Figure[]>('GET', `/api/v1/files/${id}/page-figures${page}`);

async function picture(path: string, headers: Record<string, string> = {}) {
  const answer = await fetchService('GET', path, { headers });
  return { answer, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

describe('page screenshots', () => {
  it('are rendered on request, and stay the same afterwards', async () => {
    const id = await upload('two.pdf', pdf());
    const listed = await screenshots(id);
    expect(listed.status).toBe(200);
    expect(listed.body.map((each) => [each.page_index, each.file_id])).toEqual([
      [0, id],
      [1, id],
    ]);
    for (const each of listed.body) {
      const { answer, bytes } = await picture(`/api/v1/files/${id}/page_screenshots/${each.page_index}`);
      expect(answer.headers.get('content-type')).toBe('image/png');
      expect(bytes.length).toBe(each.image_size);
      expect(readImageHeader(bytes)).toMatchObject({
        width: each.metadata.width,
        height: each.metadata.height,
      });
    }
    expect((await screenshots(id)).body).toEqual(listed.body);
  });

  it('support conditional and range requests', async () => {
    const path = `/api/v1/files/${await upload('two.pdf', pdf())}/page_screenshots/1`;
    const { answer, bytes } = await picture(path);
    const etag = answer.headers.get('etag')!;
    expect((await picture(path, { 'if-none-match': etag })).answer.status).toBe(304);
    const part = await picture(path, { range: 'bytes=1-3' });
    expect([part.answer.status, ...part.bytes]).toEqual([206, ...bytes.slice(1, 4)]);
  });

  it('answer 404 beyond the last page', async () => {
    const id = await upload('two.pdf', pdf());
    expect((await call('GET', `/api/v1/files/${id}/page_screenshots/2`)).status).toBe(404);
    expect((await call('POST', `/api/v1/files/${id}/page_screenshots/2/presigned_url`)).status).toBe(404);
  });

  it.each(['-1', 'first', '%20', '1e0', '0x1', '+1', '1.0', '%201', '9'.repeat(30)])(
    'reject the page index %s',
    async (page) => {
      const answer = await call('GET', `/api/v1/files/${crypto.randomUUID()}/page_screenshots/${page}`);
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ detail: [{ loc: ['path', 'page_index'] }] });
    },
  );

  it('of an image are the image itself', async () => {
    for (const [name, bytes] of Object.entries({
      'a.png': await png(),
      'a.jpg': jpeg,
      'a.gif': gif,
      'a.webp': webp,
    })) {
      const id = await upload(name, bytes);
      const shown = await picture(`/api/v1/files/${id}/page_screenshots/0`);
      expect(shown.bytes, name).toEqual(bytes);
      expect(shown.answer.headers.get('content-type')).toBe(readImageHeader(bytes)!.mimeType);
      expect((await screenshots(id)).body).toHaveLength(1);
    }
  });

  it.each([
    ['a.md', '# A heading\n\nA paragraph.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'],
    ['a.txt', 'Plain text\fon two pages'],
    ['a.html', '<h1>Heading</h1><p>Text</p>'],
    ['a.rtf', '{\\rtf1 Some text\\par}'],
  ])('of %s are rendered as text', async (name, content) => {
    const id = await upload(name, content);
    const listed = (await screenshots(id)).body;
    expect(listed.length).toBe(name === 'a.txt' ? 2 : 1);
    expect(listed[0]!.metadata).toMatchObject({ layout: 'text', missing_glyphs: 0, truncated: false });
    const { bytes } = await picture(`/api/v1/files/${id}/page_screenshots/0`);
    expect(readImageHeader(bytes)).toMatchObject({ mimeType: 'image/png', width: 1275 });
  });

  it('do not exist for data files and unreadable files', async () => {
    for (const [name, content] of [
      ['a.json', '{"a": 1}'],
      ['a.csv', 'a,b\n1,2\n'],
      ['a.bin', new Uint8Array([0, 1, 2, 3, 0, 255, 254])],
    ] as const) {
      const id = await upload(name, content);
      expect(await screenshots(id), name).toMatchObject({ status: 200, body: [] });
      expect(await figures(id), name).toMatchObject({ status: 200, body: [] });
      expect((await call('GET', `/api/v1/files/${id}/page_screenshots/0`)).status).toBeGreaterThanOrEqual(
        404,
      );
    }
  });

  it('report the reason if the file cannot be read', async () => {
    const id = await upload('broken.pdf', '%PDF-1.7 and then nothing');
    const answer = await call<{ detail: { msg: string }[] }>('GET', `/api/v1/files/${id}/page_screenshots`);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]!.msg).toContain('PDF_IS_BROKEN');
    const empty = await call<UrlBody>('PUT', '/api/v1/files', { body: { name: 'empty.pdf' } });
    const path = `/api/v1/files/${empty.body.file_id}/page_screenshots`;
    expect((await call('GET', path)).status).toBe(404);
    await follow(empty.body.url, 'PUT');
    expect(JSON.stringify((await call('GET', path)).body)).toContain('NO_DATA_FOUND_IN_FILE');
  });
});

describe('figures', () => {
  it('are listed for all pages or for one page', async () => {
    const id = await upload('two.pdf', pdf());
    const all = (await figures(id)).body;
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({ page_index: 1, is_likely_noise: expect.any(Boolean) });
    expect((await figures(id, '/1')).body).toEqual(all);
    expect((await figures(id, '/0')).body).toEqual([]);
    expect((await figures(id, '/2')).status).toBe(404);
  });

  it('are read by name from their own page', async () => {
    const id = await upload('two.pdf', pdf());
    const [{ figure_name: name, figure_size: size }] = (await figures(id)).body as [Figure];
    const path = `/api/v1/files/${id}/page-figures`;
    for (const _ of ['drawn', 'kept']) {
      const { answer, bytes } = await picture(`${path}/1/${name}`);
      expect([answer.status, bytes.length, answer.headers.get('content-type')]).toEqual([
        200,
        size,
        'image/png',
      ]);
      expect((await picture(`${path}/0/${name}`)).answer.status).toBe(404);
      expect((await picture(`${path}/9/${name}`)).answer.status).toBe(404);
      expect((await picture(`${path}/1/other.png`)).answer.status).toBe(404);
      for (const longest of [900, 1000, 4000]) {
        const long = `${path}/1/${'x'.repeat(longest)}.png`;
        expect((await picture(long)).answer.status).toBe(404);
        expect((await call('POST', `${long}/presigned_url`)).status).toBe(404);
      }
    }
  });
});

describe('presigned URLs of pictures', () => {
  it('give the same bytes without a key', async () => {
    const id = await upload('two.pdf', pdf());
    const [figure] = (await figures(id)).body as [Figure];
    for (const path of [`page_screenshots/1`, `page-figures/1/${figure.figure_name}`]) {
      const signed = await call<UrlBody>('POST', `/api/v1/files/${id}/${path}/presigned_url`);
      expect(signed).toMatchObject({ status: 200, body: { form_fields: null } });
      const { bytes } = await picture(`/api/v1/files/${id}/${path}`);
      const answer = await follow(signed.body.url);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
      const other = signed.body.url.replace('/1', '/0');
      expect((await follow(other)).status).toBe(403);
    }
  });
});

describe('pictures of another tenant’s file', () => {
  it('are not found, and require a key', async () => {
    const id = await upload('two.pdf', pdf());
    const { key } = await createTenant();
    for (const [method, path] of [
      ['GET', 'page_screenshots'],
      ['GET', 'page_screenshots/0'],
      ['POST', 'page_screenshots/0/presigned_url'],
      ['GET', 'page-figures'],
      ['GET', 'page-figures/1'],
      ['GET', 'page-figures/1/page_2_figure_1.png'],
      ['POST', 'page-figures/1/page_2_figure_1.png/presigned_url'],
    ] as const) {
      expect((await call(method, `/api/v1/files/${id}/${path}`, { key })).status, path).toBe(404);
      expect((await call(method, `/api/v1/files/${id}/${path}`, { key: null })).status, path).toBe(401);
    }
  });
});

describe('deleting a file', () => {
  it('deletes its pictures unless another file has the same content', async () => {
    const { key, projectId } = await createTenant();
    const bytes = pdf();
    const [one, two] = [await upload('one.pdf', bytes, { key }), await upload('two.pdf', bytes, { key })];
    await screenshots(one, key);
    const [figure] = (await call<Figure[]>('GET', `/api/v1/files/${one}/page-figures`, { key })).body as [
      Figure,
    ];
    await call('GET', `/api/v1/files/${one}/page-figures/1/${figure.figure_name}`, { key });
    const before = await keysUnder(`projects/${projectId}/`);
    expect(before.length).toBe(2 + 2 + 2);
    expect((await call('DELETE', `/api/v1/files/${one}`, { key })).status).toBe(204);
    expect(await keysUnder(`projects/${projectId}/`)).toHaveLength(before.length - 1);
    expect((await screenshots(two, key)).body).toHaveLength(2);
    expect((await call('DELETE', `/api/v1/files/${two}`, { key })).status).toBe(204);
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
    expect((await screenshots(two, key)).status).toBe(404);
  });
});

it('small screenshots are rendered in a few widths and stored', async () => {
  const id = await upload('pages.pdf', pdf());
  const note = await upload('note.md', '# A note');
  const own = await upload('own.png', await png(600, 300));
  const getWidth = async (file: string, query: string) => {
    const { answer, bytes } = await picture(`/api/v1/files/${file}/page_screenshots/0${query}`);
    expect(answer.status).toBe(200);
    return readImageHeader(bytes)!.width;
  };
  const { project_id: project } = (await call<{ project_id: string }>('GET', `/api/v1/files/${id}`)).body;
  const hash = await sha256(pdf());
  const kept = () => keysUnder(`projects/${project}/parsed/${hash}/small-screenshots/`);
  for (const [asked, given] of [
    [40, 160],
    [150, 160],
    [161, 320],
    [1000, 1275],
    [1281, 1275],
    [1600, 1275],
  ] as const) {
    expect([asked, Math.abs((await getWidth(id, `?width=${asked}`)) - given) <= 1]).toEqual([asked, true]);
  }
  expect((await kept()).map((key) => key.split('/').at(-2))).toEqual(['160', '320']);
  expect(await getWidth(id, '')).toBe(1275);
  expect(Math.abs((await getWidth(note, '?width=160')) - 160)).toBeLessThanOrEqual(1);
  expect(await getWidth(own, '?width=160')).toBe(600);
  for (const width of ['39', '1601', 'x', '80.5']) {
    const answer = await call('GET', `/api/v1/files/${id}/page_screenshots/0?width=${width}`);
    expect([width, answer.status]).toEqual([width, 422]);
  }
  expect((await call<Screenshot[]>('GET', `/api/v1/files/${id}/page_screenshots`)).body).toHaveLength(2);
});
