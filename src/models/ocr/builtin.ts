import type OcrService from '#ocr/worker.ts';
import { messageOf, Upstream } from '#src/errors.ts';
import { type Ocr, Unreadable } from './ocr.ts';

/** The service binding to the Worker in ocr/. */
export type OcrEngineBinding = Pick<OcrService, 'recognise'>;

/** Tesseract in its own Worker (ocr/): no network, words with boxes. */
export function builtinOcr(engine: OcrEngineBinding): Ocr {
  return {
    id: 'builtin/tesseract',
    async recognise(image, languages) {
      const answer = await engine.recognise(image, [...languages]).catch((error: unknown) => {
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
