import type { z } from 'zod';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ModelDefinition, ModelDeps } from '#src/models/definition/definition.ts';
import { nameWrongField } from '#src/models/definition/name-wrong-field.ts';
import { type Ocr, type Picture, type RecognisedWord, Unreadable } from '#src/ports/ocr.ts';

export interface OcrCapabilities {
  /** True if the OCR engine returns words with bounding boxes. */
  returnsPositions: boolean;
}

export interface OcrDefinition<Kind extends string = string>
  extends ModelDefinition<Kind, OcrCapabilities, Ocr> {
  /** Returns the id of the OCR engine and its model, without opening the engine. */
  getId(settings: unknown): string;
}

export function defineOcr<const Kind extends string, Shape extends z.ZodObject>(driver: {
  kind: Kind;
  className: string;
  settings: Shape;
  capabilities: OcrCapabilities;
  getId(settings: z.output<Shape>): string;
  open(settings: z.output<Shape>, deps: ModelDeps): Omit<Ocr, 'id'>;
}) {
  const parseSettings = (value: unknown) => parseInput(driver.settings, value, ['ocr']) as z.output<Shape>;
  const readId = (value: unknown) => driver.getId(parseSettings(value));
  const open = (value: unknown, deps: ModelDeps): Ocr => {
    const engine = driver.open(parseSettings(value), deps);
    return limitToPicture({
      ...engine,
      id: readId(value),
      recognise: (...given) => engine.recognise(...given),
    });
  };
  const fields = { address: 'base_url', key: 'api_key', model: 'model' };
  return {
    ...driver,
    getId: readId,
    open,
    check: async (value: unknown, deps: ModelDeps) => nameWrongField(testOcr(open(value, deps)), fields),
  };
}

/**
 * PNG picture of one white pixel, which serves to test an OCR engine. A working engine finds no text, or
 * reports that the picture is too small.
 */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==';

async function testOcr(ocr: Ocr): Promise<string> {
  const bytes = Uint8Array.from(atob(PIXEL), (char) => char.charCodeAt(0));
  try {
    await ocr.recognise({ bytes, mimeType: 'image/png', width: 1, height: 1 }, []);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  return `${ocr.id} answers.`;
}

/**
 * Returns the OCR engine with corrected answers. Bounding boxes are limited to the picture, and confidences
 * to values from 0 to 1.
 */
function limitToPicture(ocr: Ocr): Ocr {
  return {
    ...ocr,
    async recognise(image, languages) {
      const { text, format, words, confidence, ...rest } = await ocr.recognise(image, languages);
      return {
        ...rest,
        text,
        format,
        words: words.flatMap((word) => clipWord(word, image)),
        ...clampConfidence(confidence),
      };
    },
  };
}

/**
 * Limits a word's bounding box to the picture. Returns an empty list if the word is outside the picture. The
 * text of the answer still contains the word.
 */
function clipWord({ text, box, confidence }: RecognisedWord, { width, height }: Picture): RecognisedWord[] {
  const x = Math.max(0, box.x);
  const y = Math.max(0, box.y);
  const w = Math.min(width, box.x + box.w) - x;
  const h = Math.min(height, box.y + box.h) - y;
  // The comparison also excludes NaN, because NaN is not greater than 0.
  return w > 0 && h > 0 ? [{ text, box: { x, y, w, h }, ...clampConfidence(confidence) }] : [];
}

function clampConfidence(value: number | undefined): { confidence?: number } {
  if (value === undefined || !Number.isFinite(value)) return {};
  return { confidence: Math.max(0, Math.min(1, value)) };
}
