import type { Ocr, Picture, RecognisedWord } from '#src/ports/ocr.ts';

/** The engine with its answers held to the port's contract: boxes lie in the picture, confidences between 0 and 1. */
export function heldToPicture(ocr: Ocr): Ocr {
  return {
    ...ocr,
    async recognise(image, languages) {
      const { text, format, words, confidence } = await ocr.recognise(image, languages);
      return {
        text,
        format,
        words: words.flatMap((word) => wordWithin(word, image)),
        ...confidenceOf(confidence),
      };
    },
  };
}

/** None for a word without a place in the picture; the text still has it. */
function wordWithin({ text, box, confidence }: RecognisedWord, { width, height }: Picture): RecognisedWord[] {
  const x = Math.max(0, box.x);
  const y = Math.max(0, box.y);
  const w = Math.min(width, box.x + box.w) - x;
  const h = Math.min(height, box.y + box.h) - y;
  // NaN is not greater than anything either.
  return w > 0 && h > 0 ? [{ text, box: { x, y, w, h }, ...confidenceOf(confidence) }] : [];
}

function confidenceOf(value: number | undefined): { confidence?: number } {
  if (value === undefined || !Number.isFinite(value)) return {};
  return { confidence: Math.max(0, Math.min(1, value)) };
}
