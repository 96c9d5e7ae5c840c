import { WorkerEntrypoint } from 'cloudflare:workers';
import { detectLanguage } from '#src/languages/detect.ts';
import { Engine } from './engine.ts';
import { findMissingLanguages, MODELS, modelsFor } from './languages.ts';
import { describeInstallation, listInstalledModels, loadModel } from './models.ts';
import { type Area, applyOrientation, type Gray } from './picture/gray.ts';
import { decodeGrayPng } from './picture/gray-png.ts';
import type { Recogniser } from './reading/attempt.ts';
import { splitJoinedColumns } from './reading/columns.ts';
import { isUnreadable, removeNoise } from './reading/filter.ts';
import { countLetters } from './reading/merge.ts';
import type { Paragraphs } from './reading/quality.ts';
import { readPicture } from './reading/read-picture.ts';
import { hasSpaces } from './reading/scripts.ts';
import { TimeBudget } from './reading/time-budget.ts';
import type { ReadWord } from './table.ts';

/** Text that the engine recognized. */
export interface Reading {
  /** Recognized words in reading order, grouped by paragraph and then by line. */
  paragraphs: ReadWord[][][];
  /** Confidence from 0 to 1, weighted by the length of the words. 0 if there are no words. */
  confidence: number;
  /** Horizontal and vertical lines of an upright picture, in pixels. */
  rules?: Area[];
  /** Sentence for users about a language without a model. Absent if there is none. */
  advice?: string;
  /** Number of letters and digits that were left out, because their confidence was too low. */
  doubtful?: number;
  /** True if the time was too short for all ways of reading that might have found more text. */
  isCutShort?: boolean;
}

export type OcrAnswer = Reading | { refused: string };

export interface OcrImage {
  bytes: Uint8Array;
  mimeType: string;
  width: number;
  height: number;
  orientation?: number;
}

/**
 * Number of readings after which the engine is replaced. Each reading leaves some kilobytes in its memory,
 * which never shrinks.
 */
const PAGES_PER_ENGINE = 400;
/**
 * Size of the engine's memory in bytes above which it is replaced before it reads. Decoding a large JPEG
 * needs this much, and the pictures derived from it need the memory next.
 */
const LARGE_MEMORY = 56 * 1024 * 1024;
const MAX_PIXELS = 12_000_000;
/** Time in milliseconds within which further readings of a picture must end. The first one always takes place. */
const MAX_MILLISECONDS = 30_000;

let current: Promise<Engine> | undefined;

/**
 * Worker that recognizes text in images. If an image cannot be read, the result contains the reason in
 * `refused`, and a retry would not help.
 */
export default class OcrService extends WorkerEntrypoint<{ ASSETS: Fetcher }> {
  /**
   * Recognizes the text of one image. `languages` are codes of the parse parameters. If the list is empty, the
   * script and language are detected.
   */
  async recognise(image: OcrImage, languages: string[]): Promise<OcrAnswer> {
    if (image.mimeType === 'image/gif')
      return { refused: 'the built-in OCR engine cannot read GIF images; convert the image to PNG or JPEG' };
    if (image.width * image.height > MAX_PIXELS) {
      return {
        refused: `the image has ${image.width} x ${image.height} pixels; the built-in OCR engine reads at most ${MAX_PIXELS} pixels`,
      };
    }
    const installed = await listInstalledModels(this.env.ASSETS);
    const wanted = modelsFor(languages, installed);
    const missing = findMissingLanguages(languages, installed);
    if (wanted.length === 0) {
      return {
        refused: `the built-in OCR engine has no model for ${languages.join(', ')}: ${describeInstallation(missing)}`,
      };
    }
    try {
      const picture = await this.#decode(image);
      if (!picture) return { refused: 'the image cannot be decoded' };
      const answer = await this.#read(picture, wanted, languages.length === 0 ? installed : undefined);
      if ('refused' in answer || missing.length === 0) return answer;
      return { ...answer, advice: adviseOnMissingModels(missing) };
    } catch (error) {
      // The OCR engine ran out of memory or crashed. The next call starts a new engine.
      current = undefined;
      return { refused: `the built-in OCR engine failed to read the image (${String(error)})` };
    }
  }

  /** Decodes an image to gray pixels and applies its orientation. */
  async #decode({ bytes, mimeType, orientation = 1 }: OcrImage): Promise<Gray | undefined> {
    const png = mimeType === 'image/png' ? decodeGrayPng(bytes) : undefined;
    if (png) return applyOrientation(png, orientation);
    const running = await current?.catch(() => undefined);
    const picture = await this.#use(running?.languages || 'eng', (engine) => {
      const decoded = engine.decode(bytes);
      if (engine.memoryBytes > LARGE_MEMORY) current = undefined;
      return decoded;
    });
    return picture && applyOrientation(picture, orientation);
  }

  /** `installed` lists the models among which the language is detected. It is absent if the caller chose. */
  async #read(picture: Gray, wanted: readonly string[], installed?: readonly string[]): Promise<OcrAnswer> {
    const budget = new TimeBudget(MAX_MILLISECONDS, async () => {
      // The clock of the runtime only advances when other work can run.
      await scheduler.wait(0);
      return Date.now();
    });
    const recogniser: Recogniser = {
      recognise: async (placed, mode, models) => {
        // The time for loading models says nothing about the time for reading pixels.
        await this.#engine(models);
        return budget.measure(placed.width * placed.height, () =>
          this.#use(models, (engine) => engine.recognise(placed, mode)),
        );
      },
      hasTime: (pixels) => budget.allows(pixels),
    };
    const chooseModel = (paragraphs: Paragraphs) => MODELS[detectTextLanguage(paragraphs) ?? ''];
    const detection = installed && { installed, chooseModel };
    const reading = await readPicture(picture, recogniser, wanted.join('+'), detection);
    if (reading.isBlank) return { paragraphs: [], confidence: 0 };
    const { paragraphs, confidence } = reading;
    const advice = installed && adviseOnLanguage(paragraphs, installed);
    const isRefused = await this.#use(reading.models, (engine) =>
      isUnreadable(paragraphs, hasSpaces(reading.models) ? (word) => engine.knowsWord(word) : undefined),
    );
    if (isRefused) {
      const percent = Math.round(confidence * 100);
      return {
        refused: `the text was recognized with ${percent} % confidence by the models ${reading.models}, which is too low; it may be handwriting, a poor scan or a language without a model`,
      };
    }
    const kept = removeNoise(paragraphs);
    const doubtful = countLetters(paragraphs.flat(2)) - countLetters(kept.flat(2));
    return {
      paragraphs: splitJoinedColumns(kept),
      confidence,
      rules: reading.rules,
      ...(doubtful > 0 && { doubtful }),
      ...(advice && { advice }),
      ...(budget.isExceeded && { isCutShort: true }),
    };
  }

  /**
   * Calls a function with the engine, after it has loaded the models. Requests share the engine, so another
   * one may load its models first. If the function throws, the next call starts a new engine.
   */
  async #use<Result>(models: string, work: (engine: Engine) => Result): Promise<Result> {
    for (;;) {
      const engine = await this.#engine(models);
      if (engine.languages !== models) continue;
      try {
        return work(engine);
      } catch (error) {
        current = undefined;
        throw error;
      }
    }
  }

  /** Returns the engine after loading the given models. */
  async #engine(models: string): Promise<Engine> {
    const load = (name: string) => loadModel(this.env.ASSETS, name);
    const running = await current?.catch(() => undefined);
    if (running && running.pages < PAGES_PER_ENGINE) {
      if (running.languages !== models) await running.use(models, load);
      return running;
    }
    const started = Engine.start(models, load);
    current = started;
    started.catch(() => {
      if (current === started) current = undefined;
    });
    return started;
  }

  override fetch(): Response {
    return new Response('Reached through its service binding only.', { status: 404 });
  }
}

/** Returns a sentence for users if no model is installed for the language of recognized text. */
function adviseOnLanguage(paragraphs: Paragraphs, installed: readonly string[]): string | undefined {
  const language = detectTextLanguage(paragraphs);
  const model = language && MODELS[language];
  if (!model || installed.includes(model)) return undefined;
  return `The page seems to be in the language "${language}", for which no OCR model is installed: ${describeInstallation([language])}.`;
}

const adviseOnMissingModels = (languages: readonly string[]): string =>
  `The page was read without a model for the requested languages ${languages.join(', ')}: ${describeInstallation(languages)}.`;

/** Returns the language code of recognized text. Returns `undefined` if the language is unclear. */
function detectTextLanguage(paragraphs: Paragraphs): string | undefined {
  const join = (lines: Paragraphs[number]) =>
    lines
      .flat()
      .map((word) => word.text)
      .join(' ');
  return detectLanguage(paragraphs.map(join).join('\n'));
}
