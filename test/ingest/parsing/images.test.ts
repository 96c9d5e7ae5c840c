import { expect, it } from 'vitest';
import { openDocument } from '../../../src/ingest/parsing/registry.ts';
import { parserSuite, readAll } from '../../suites/parser.suite.ts';
import { gif, jpeg, png, tiff, webp } from './fixtures/pictures.ts';

parserSuite({ kind: 'png', bytes: () => png(), markdown: ['![](image-1.png)'] });
parserSuite({ kind: 'jpeg', bytes: () => jpeg, markdown: ['![](image-1.jpg)'] });
parserSuite({ kind: 'gif', bytes: () => gif, markdown: ['![](image-1.gif)'] });
parserSuite({ kind: 'webp', bytes: () => webp, markdown: ['![](image-1.webp)'] });
parserSuite({
  kind: 'tiff',
  bytes: () =>
    tiff([
      { width: 30, height: 20 },
      { width: 10, height: 40 },
    ]),
  markdown: ['![](page-1.png)', '![](page-2.png)'],
  hasSignature: true,
});

it('gives pictures as pages that wait for their text', async () => {
  const document = await openDocument({ bytes: await png(96, 48), name: '', parameters: {} });
  const [page] = await readAll(document);
  expect(page).toMatchObject({ needsOcr: true, text: '', width: 72, height: 36 });
  expect(page?.figures[0]).toMatchObject({
    width: 96,
    height: 48,
    mimeType: 'image/png',
    isLikelyNoise: false,
  });
  expect((await document.renderPage?.(0))?.mimeType).toBe('image/png');
});

it('refuses pictures too large to decode', async () => {
  const bytes = tiff([{ width: 8, height: 8 }]);
  const view = new DataView(bytes.buffer);
  view.setUint32(18, 60_000, true);
  view.setUint32(30, 60_000, true);
  const document = await openDocument({ bytes, name: '', parameters: {} });
  await expect(document.readPage(0)).rejects.toMatchObject({ reason: 'DOCUMENT_TOO_LARGE' });
});
