import type { z } from 'zod';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ModelDefinition, ModelDeps } from '#src/models/definition/definition.ts';
import { namingField } from '#src/models/definition/naming-field.ts';
import { type Ocr, type Picture, type RecognisedWord, Unreadable } from '#src/ports/ocr.ts';

export interface OcrCapabilities {
  /** Whether words come with their boxes. */
  tellsPositions: boolean;
}

export interface OcrDefinition<Kind extends string = string>
  extends ModelDefinition<Kind, OcrCapabilities, Ocr> {
  /** Names engine and model without opening it. */
  idOf(settings: unknown): string;
}

export function defineOcr<const Kind extends string, Shape extends z.ZodObject>(driver: {
  kind: Kind;
  className: string;
  settings: Shape;
  capabilities: OcrCapabilities;
  idOf(settings: z.output<Shape>): string;
  open(settings: z.output<Shape>, deps: ModelDeps): Omit<Ocr, 'id'>;
}) {
  const checked = (value: unknown) => parseInput(driver.settings, value, ['ocr']) as z.output<Shape>;
  const idOf = (value: unknown) => driver.idOf(checked(value));
  const open = (value: unknown, deps: ModelDeps): Ocr => {
    const engine = driver.open(checked(value), deps);
    return heldToPicture({ ...engine, id: idOf(value), recognise: (...given) => engine.recognise(...given) });
  };
  const fields = { address: 'base_url', key: 'api_key', model: 'model' };
  return {
    ...driver,
    idOf,
    open,
    check: async (value: unknown, deps: ModelDeps) => namingField(tryOcr(open(value, deps)), fields),
  };
}

/** A white pixel: an engine that works finds nothing in it, or says that it is too small to be read. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==';

async function tryOcr(ocr: Ocr): Promise<string> {
  const bytes = Uint8Array.from(atob(PIXEL), (char) => char.charCodeAt(0));
  try {
    await ocr.recognise({ bytes, mimeType: 'image/png', width: 1, height: 1 }, []);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  return `${ocr.id} answers.`;
}

/** The engine with its answers held to the port's contract: boxes lie in the picture, confidences between 0 and 1. */
function heldToPicture(ocr: Ocr): Ocr {
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
