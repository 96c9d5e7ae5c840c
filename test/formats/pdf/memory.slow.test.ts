import { expect, it } from 'vitest';
import { ParseError } from '#src/documents/errors.ts';
import { EngineTrap, getEngine, runGuarded } from '#src/formats/pdf/engine/engine.ts';
import { image, text } from '#test/fixtures/pdf.ts';
import { withDocument } from './helpers.ts';

const SIDE = 6_000;

/** Returns a picture of 108 MB that takes 100 KB in the file. */
async function hugeImage() {
  const row = new Uint8Array(SIDE * 3);
  const rows = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let count = 0; count < SIDE; count++) controller.enqueue(row);
      controller.close();
    },
  });
  const data = await new Response(rows.pipeThrough(new CompressionStream('deflate'))).bytes();
  return { width: SIDE, height: SIDE, data, filter: 'FlateDecode' as const };
}

it('continues with a new engine after the old one died', async () => {
  const pages = [{ content: text(72, 700, 'first') }, { content: text(72, 700, 'second') }];
  await withDocument({ pages }, async (document) => {
    expect((await document.readPage(0)).text).toBe('first');
    const before = await getEngine();
    before.dead = true;
    expect((await document.readPage(1)).text).toBe('second');
    expect(await getEngine()).not.toBe(before);
  });
});

it('releases the reading instance when drawing needs memory, and reads on with another', async () => {
  // Instances start small. Copies of these files together exceed the limit of both.
  for (const purpose of ['reading', 'drawing'] as const) (await getEngine(purpose)).dead = true;
  const large = (name: string, mebibytes: number) => ({
    pages: [
      { content: text(72, 700, name) },
      { content: `${text(72, 700, 'last')}%${'x'.repeat(mebibytes * 1024 * 1024)}\n` },
    ],
  });
  await withDocument(large('first', 28), (first) =>
    withDocument(large('second', 20), async (second) => {
      const read = async () => [(await first.readPage(0)).text, (await second.readPage(0)).text];
      const before = await getEngine();
      await first.renderPage!(0);
      expect(before.dead).toBe(true);
      expect(await read()).toEqual(['first', 'second']);
      const sizes = [await getEngine('reading'), await getEngine('drawing')].map(
        ({ raw }) => raw.memory.buffer.byteLength,
      );
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(100 * 1024 * 1024);
    }),
  );
});

it('discards an engine instance after a trap', async () => {
  const current = await getEngine('drawing');
  expect(() =>
    runGuarded(current, () => {
      throw new WebAssembly.RuntimeError('unreachable');
    }),
  ).toThrow(EngineTrap);
  expect(await getEngine('drawing')).not.toBe(current);
  expect(() => runGuarded(current, () => 1)).toThrow('restarted');
});

it('stays within its memory limit when pictures do not fit', async () => {
  const pages = [
    { content: text(72, 700, 'Beside it') + image(0, 72, 100, 400, 400), images: [await hugeImage()] },
    { content: text(72, 700, 'next page') },
  ];
  await withDocument({ pages }, async (document) => {
    for (const attempt of [
      () => document.renderPage!(0),
      () => document.readFigure(0, 'page_1_figure_1.png'),
    ]) {
      const outcome = await attempt().catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ParseError);
    }
    expect((await document.readPage(0)).text).toBe('Beside it');
    expect((await document.readPage(1)).text).toBe('next page');
    expect((await getEngine()).raw.memory.buffer.byteLength).toBeLessThanOrEqual(100 * 1024 * 1024);
  });
});
