import { describe, expect, it } from 'vitest';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { builtin } from '#src/models/ocr/builtin.ts';
import { openConfiguredOcr } from '#src/models/ocr/configured.ts';
import { getConfiguredOcrId } from '#src/models/ocr/registry.ts';
import { readOcrSettings } from '#src/models/ocr/settings.ts';
import { Unreadable } from '#src/ports/ocr.ts';
import { modelDeps } from '#test/support/models.ts';

const picture = { bytes: Uint8Array.of(1, 2, 3), mimeType: 'image/png' as const, width: 20, height: 10 };
const word = (text: string, x: number) => ({ text, x, y: 4, w: 8, h: 6, confidence: 0.9 });

type Recognise = NonNullable<ModelDeps['bindings']['OCR_ENGINE']>['recognise'];
const engine = (recognise: Recognise) => builtin.open({}, modelDeps({ OCR_ENGINE: { recognise } }));

describe('built-in OCR engine', () => {
  it('joins lines and hyphenated words, and keeps every word with its box', async () => {
    const lines = [
      [word('Tele-', 0)],
      [word('phone', 1), word('rings', 10)],
      [word('North-', 0)],
      [word('South', 3)],
    ];
    const recognise = async () => ({ paragraphs: [lines, [[word('End.', 0)]]], confidence: 0.9 });
    const read = await engine(recognise).recognise(picture, []);
    expect(read.text).toBe('Telephone rings North- South\n\nEnd.');
    expect(read.words.map(({ text }) => text)).toEqual([
      'Tele-',
      'phone',
      'rings',
      'North-',
      'South',
      'End.',
    ]);
    expect(read.words[2]).toEqual({ text: 'rings', box: { x: 10, y: 4, w: 8, h: 6 }, confidence: 0.9 });
    expect(read.confidence).toBe(0.9);
  });

  it('reports a refusal as unreadable, and an outage as retryable', async () => {
    const refusing = engine(async () => ({ refused: 'no model' }));
    await expect(refusing.recognise(picture, ['ja'])).rejects.toThrow(new Unreadable('no model'));
    const out = engine(() => Promise.reject(new Error('gone')));
    await expect(out.recognise(picture, [])).rejects.toMatchObject({ code: 'upstream', retryable: true });
  });
});

it('clips words to the picture and confidence to its range', async () => {
  const words = [
    { text: 'out', x: 25, y: 0, w: 5, h: 5, confidence: 0.9 },
    { text: 'edge', x: -3, y: 8, w: 40, h: 40, confidence: 7 },
    { text: 'nowhere', x: Number.NaN, y: 0, w: 5, h: 5, confidence: 0.9 },
    { text: 'unsure', x: 0, y: 0, w: 5, h: 5, confidence: Number.NaN },
  ];
  const read = await engine(async () => ({ paragraphs: [[words]], confidence: -1 })).recognise(picture, []);
  expect(read.words).toEqual([
    { text: 'edge', box: { x: 0, y: 8, w: 20, h: 2 }, confidence: 1 },
    { text: 'unsure', box: { x: 0, y: 0, w: 5, h: 5 } },
  ]);
  expect(read.confidence).toBe(0);
  expect(read.text).toBe('out edge nowhere unsure');
});

describe('selected OCR engine', () => {
  const llm = { LLM_BASE_URL: 'http://llm.test/v1', LLM_MODEL: 'talker' };
  const OCR_ENGINE = { recognise: async () => ({ refused: '' }) };
  it.each<[string, Record<string, unknown>, string | undefined]>([
    ['none without any', {}, undefined],
    ['the built-in one by default', { OCR_ENGINE, ...llm }, 'builtin/tesseract'],
    ['the chat model where there is nothing else', llm, 'vision/talker'],
    ['a model of its own at the chat endpoint', { OCR_ENGINE, ...llm, OCR_MODEL: 'eye' }, 'vision/eye'],
    ['an endpoint of its own', { OCR_BASE_URL: 'http://o.test/v1', OCR_MODEL: 'eye' }, 'vision/eye'],
    ['Workers AI by its model’s name', { OCR_ENGINE, AI: {}, OCR_MODEL: '@cf/eye' }, 'workers-ai/@cf/eye'],
  ])('is %s', (_, extra, id) => {
    expect(openConfiguredOcr(readOcrSettings(extra), extra)?.id).toBe(id);
    expect(getConfiguredOcrId(readOcrSettings(extra), extra)).toBe(id);
  });
});
