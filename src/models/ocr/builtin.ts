import { z } from 'zod';
import { getErrorMessage, Unavailable, Upstream } from '#src/lib/errors.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { joinLines, joinWords } from '#src/ports/join-recognized.ts';
import { type Ocr, type RecognisedWord, Unreadable } from '#src/ports/ocr.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { defineOcr } from './definition.ts';

/**
 * Time limit for one picture in seconds. The OCR engine takes a few seconds for a usual page. It starts no further
 * reading that would end after 30 seconds, so only a waiting queue of pictures can reach this limit.
 */
const TIMEOUT_SECONDS = 120;
/**
 * Maximum number of pixels of a picture. `ocr/worker.ts` enforces the same limit, which follows from the
 * Worker's memory.
 */
const MAX_PIXELS = 12_000_000;
const ID = 'builtin/tesseract';

export const builtin = defineOcr({
  kind: 'builtin',
  className: 'BuiltinOCR',
  settings: z.object({}),
  capabilities: { returnsPositions: true },
  getId: () => ID,
  open(_settings, { bindings: { OCR_ENGINE } }) {
    if (!OCR_ENGINE) throw new Unavailable('The binding of the OCR Worker is missing.');
    return createBuiltinOcr(OCR_ENGINE);
  },
});

/**
 * Creates the built-in OCR engine, which is Tesseract in a separate Worker (ocr/). It needs no network and
 * returns words with bounding boxes.
 */
export function createBuiltinOcr(engine: NonNullable<ModelDeps['bindings']['OCR_ENGINE']>): Ocr {
  return {
    id: ID,
    maxPixels: MAX_PIXELS,
    async recognise(image, languages) {
      const reading = Promise.resolve(engine.recognise(image, [...languages]));
      const answer = await withTimeout(reading, TIMEOUT_SECONDS).catch((error: unknown) => {
        throw new Upstream(`The OCR engine failed: ${getErrorMessage(error)}`, {
          retryable: true,
          cause: error,
        });
      });
      if ('refused' in answer) throw new Unreadable(answer.refused);
      const { paragraphs, confidence, rules, advice, doubtful, isCutShort } = answer;
      const placed = paragraphs.map((lines) =>
        lines.map((line) =>
          line.map(
            ({ text, x, y, w, h, confidence }): RecognisedWord => ({ text, box: { x, y, w, h }, confidence }),
          ),
        ),
      );
      return {
        format: 'plain',
        text: paragraphs
          .map((lines) => joinLines(lines.map((line) => joinWords(line.map((word) => word.text)))))
          .join('\n\n'),
        words: placed.flat(2),
        paragraphs: placed,
        confidence,
        ...(rules && { rules }),
        ...(advice && { advice }),
        ...(doubtful !== undefined && { doubtful }),
        ...(isCutShort && { isCutShort }),
      };
    },
  };
}
