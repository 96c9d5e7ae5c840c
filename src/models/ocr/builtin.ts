import { z } from 'zod';
import { getErrorMessage, Unavailable, Upstream } from '#src/lib/errors.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { type Ocr, Unreadable } from '#src/ports/ocr.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { defineOcr } from './definition.ts';

/**
 * Time limit for one picture in seconds. The OCR engine takes a few seconds for a usual page, and about a
 * minute for a large one that it reads in several ways.
 */
const TIMEOUT_SECONDS = 240;
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
      const { paragraphs, confidence, advice } = answer;
      return {
        format: 'plain',
        text: paragraphs
          .map((lines) => joinLines(lines.map((line) => joinWords(line.map((word) => word.text)))))
          .join('\n\n'),
        words: paragraphs.flat(2).map(({ text, x, y, w, h, confidence }) => ({
          text,
          box: { x, y, w, h },
          confidence,
        })),
        confidence,
        ...(advice && { advice }),
      };
    },
  };
}

/** Matches a letter of a script that puts no spaces between words. */
const WITHOUT_SPACES = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\u3000-\u303f\uff00-\uffef]`;
const ENDS_WITHOUT_SPACE = new RegExp(`${WITHOUT_SPACES}$`, 'u');
const STARTS_WITHOUT_SPACE = new RegExp(`^${WITHOUT_SPACES}`, 'u');

const needsNoSpace = (before: string, after: string) =>
  ENDS_WITHOUT_SPACE.test(before) && STARTS_WITHOUT_SPACE.test(after);

/** Joins the words of a line with spaces, except in scripts without spaces. */
export function joinWords(words: readonly string[]): string {
  let [text, last] = ['', ''];
  for (const word of words) {
    text += text === '' || needsNoSpace(last, word) ? word : ` ${word}`;
    last = word;
  }
  return text;
}

/** Joins lines of text. A word that is hyphenated at the end of a line becomes one word again. */
export function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    if (/\p{L}{2}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
    return text === '' || needsNoSpace(text, line) ? text + line : `${text} ${line}`;
  }, '');
}
