import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { encodePng } from '#src/images/png.ts';
import { builtin } from '#src/models/ocr/builtin.ts';
import { drawn } from '#test/fixtures/scan.ts';
import { ocrSuite } from '#test/suites/ocr.suite.ts';
import { modelDeps } from '#test/support/models.ts';

// The engine is the Worker in ocr/, behind its service binding.
ocrSuite({
  name: 'built-in',
  capabilities: builtin.capabilities,
  open: () => builtin.open({}, modelDeps({ OCR_ENGINE: env.TEST_OCR_ENGINE })),
  openBroken: () =>
    builtin.open(
      {},
      modelDeps({ OCR_ENGINE: { recognise: () => Promise.reject(new Error('The Worker is gone')) } }),
    ),
  page: () => drawn(['The harbour master is called', 'Matilda Oyelaran.']),
  says: ['harbour master', 'Matilda Oyelaran'],
  empty: () => drawn([]),
  languages: { read: ['en'], unread: 'th' },
});

describe('built-in OCR of difficult pictures', () => {
  const ocr = () => builtin.open({}, modelDeps({ OCR_ENGINE: env.TEST_OCR_ENGINE }));
  const LINES = [
    'The harbour master is called',
    'Matilda Oyelaran. Her telephone',
    'rings at dawn, and she answers',
    'before the second bell of the',
    'old lighthouse on the island.',
  ];

  it.each([90, 180, 270])('reads a page that is turned by %i degrees', async (rotate) => {
    const picture = await drawn(LINES, { rotate });
    const { text, words } = await ocr().recognise(picture, []);
    expect(text).toContain('Matilda Oyelaran');
    // Boxes are in the picture as it is, so words of a quarter turn are higher than wide.
    const isUpright = words.filter(({ box }) => box.w > box.h).length > words.length / 2;
    expect(isUpright).toBe(rotate === 180);
  });

  it('refuses shapes that are no letters', async () => {
    const [width, height] = [600, 400];
    const data = new Uint8Array(width * height).fill(255);
    let seed = 7;
    const random = (most: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed % most;
    };
    for (let y = 20; y < height - 40; y += 30) {
      for (let x = 20; x < width - 30; x += 16) {
        for (let stroke = 0; stroke < 4; stroke++) {
          const [left, top] = [x + random(8), y + random(14)];
          for (let step = 0; step < 6; step++)
            data.fill(0, (top + step) * width + left, (top + step) * width + left + 3);
        }
      }
    }
    const bytes = await encodePng({ width, height, channels: 1, data });
    const reading = ocr().recognise({ bytes, mimeType: 'image/png', width, height }, ['en']);
    await expect(reading).rejects.toThrow(/confidence/);
  });

  it('names the package of a language without a model', async () => {
    const reading = ocr().recognise(await drawn(LINES), ['th']);
    await expect(reading).rejects.toThrow('npm install @tesseract.js-data/tha');
  });
});
