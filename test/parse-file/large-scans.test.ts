import { expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { tiff } from '#test/formats/fixtures/pictures.ts';
import { decodePng } from '#test/formats/pdf/helpers.ts';

const [WIDTH, HEIGHT] = [4000, 5000];

/** Returns a white scan of 20 megapixels with a black mark at known corners. */
function largeScan(): Uint8Array {
  const bytes = tiff([{ width: WIDTH, height: HEIGHT }]);
  const start = bytes.length - WIDTH * HEIGHT;
  bytes.fill(255, start);
  for (let y = 3000; y < 3400; y++) bytes.fill(0, start + y * WIDTH + 1000, start + y * WIDTH + 2600);
  return bytes;
}

it('downscales a scan that is too large for memory and keeps positions', async () => {
  const document = await openDocument({ bytes: largeScan(), name: '', plan: resolveParsePlan({}) });
  const page = await document.readPage(0);
  expect([page.width, page.height].map(Math.round)).toEqual([3000, 3750]);
  const image = await document.renderPage!(0);
  expect(image.width * image.height).toBeLessThanOrEqual(12_000_000);
  expect(image.width * image.height).toBeGreaterThan(6_000_000);
  const { at } = await decodePng(image.bytes);
  const scale = image.width / WIDTH;
  const place = (x: number, y: number) => at(Math.round(x * scale), Math.round(y * scale));
  for (const [x, y] of [
    [1006, 3006],
    [2594, 3006],
    [1006, 3394],
    [2594, 3394],
  ] as const)
    expect(place(x, y)).toEqual([0]);
  for (const [x, y] of [
    [994, 3200],
    [2606, 3200],
    [1800, 2994],
    [1800, 3406],
  ] as const)
    expect(place(x, y)).toEqual([255]);
});
