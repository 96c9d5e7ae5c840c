import { z } from 'zod';
import { messageOf, Unavailable, Upstream } from '#src/lib/errors.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { type Ocr, Unreadable } from '#src/ports/ocr.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { defineOcr } from './definition.ts';

/** The largest picture takes the engine some ten seconds. */
const TIMEOUT_SECONDS = 120;
/** As ocr/worker.ts holds it: its memory decides. */
const MOST_PIXELS = 12_000_000;
const ID = 'builtin/tesseract';

export const builtin = defineOcr({
  kind: 'builtin',
  className: 'BuiltinOCR',
  settings: z.object({}),
  capabilities: { tellsPositions: true },
  idOf: () => ID,
  open(_settings, { bindings: { OCR_ENGINE } }) {
    if (!OCR_ENGINE) throw new Unavailable('The OCR Worker is not bound here.');
    return builtinOcr(OCR_ENGINE);
  },
});

/** Tesseract in its own Worker (ocr/): no network, words with boxes. */
export function builtinOcr(engine: NonNullable<ModelDeps['bindings']['OCR_ENGINE']>): Ocr {
  return {
    id: ID,
    mostPixels: MOST_PIXELS,
    async recognise(image, languages) {
      const reading = Promise.resolve(engine.recognise(image, [...languages]));
      const answer = await withTimeout(reading, TIMEOUT_SECONDS).catch((error: unknown) => {
        throw new Upstream(`The OCR engine failed: ${messageOf(error)}`, { retryable: true, cause: error });
      });
      if ('refused' in answer) throw new Unreadable(answer.refused);
      const { paragraphs, confidence } = answer;
      return {
        format: 'plain',
        text: paragraphs
          .map((lines) => joinLines(lines.map((line) => line.map((word) => word.text).join(' '))))
          .join('\n\n'),
        words: paragraphs.flat(2).map(({ text, x, y, w, h, confidence }) => ({
          text,
          box: { x, y, w, h },
          confidence,
        })),
        confidence,
      };
    },
  };
}

/** A word that a line's end cuts in two is one word again. */
export function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    if (/\p{L}{2}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
    return text === '' ? line : `${text} ${line}`;
  }, '');
}
