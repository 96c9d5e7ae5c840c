import { WorkerEntrypoint } from 'cloudflare:workers';
import { Engine } from './engine.ts';
import { modelsFor } from './languages.ts';
import { installedModels } from './models.ts';
import type { Reading } from './table.ts';

export type OcrAnswer = Reading | { refused: string };

/**
 * Number of pages after which the engine is replaced. Each page leaves some kilobytes in its memory, which
 * never shrinks.
 */
const PAGES_PER_ENGINE = 200;
const MAX_PIXELS = 12_000_000;

let current: Promise<Engine> | undefined;

/**
 * Worker that recognizes text in images. If an image cannot be read, the result contains the reason in
 * `refused`, and a retry would not help.
 */
export default class OcrService extends WorkerEntrypoint<{ ASSETS: Fetcher }> {
  /**
   * Recognizes the text of one image. `languages` are codes of the parse parameters. An empty list stands for
   * English.
   */
  async recognise(
    image: { bytes: Uint8Array; mimeType: string; width: number; height: number; orientation?: number },
    languages: string[],
  ): Promise<OcrAnswer> {
    if (image.mimeType === 'image/gif')
      return { refused: 'the built-in OCR engine cannot read GIF images; convert the image to PNG or JPEG' };
    if (image.width * image.height > MAX_PIXELS) {
      return {
        refused: `the image has ${image.width} x ${image.height} pixels; the built-in OCR engine reads at most ${MAX_PIXELS} pixels`,
      };
    }
    const models = await installedModels(this.env.ASSETS);
    const wanted = modelsFor(languages, models);
    if (wanted.length === 0) {
      return {
        refused: `the built-in OCR engine has no model for ${languages.join(', ')}; installed models: ${models.join(', ')}`,
      };
    }
    const engine = await this.#engine(wanted.join('+'));
    try {
      const reading = engine.read(image.bytes, image.orientation);
      if (reading === undefined) return { refused: 'the image cannot be decoded' };
      if (engine.pages >= PAGES_PER_ENGINE) current = undefined;
      return reading;
    } catch (error) {
      // The OCR engine ran out of memory or crashed. The next call starts a new engine.
      current = undefined;
      return { refused: `the built-in OCR engine failed to read the image (${String(error)})` };
    }
  }

  async #engine(languages: string): Promise<Engine> {
    const running = await current?.catch(() => undefined);
    if (running?.languages === languages) return running;
    const started = Engine.start(languages, (language) => loadModel(this.env.ASSETS, language));
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

async function loadModel(assets: Fetcher, language: string): Promise<Uint8Array> {
  const { body, ok, status } = await assets.fetch(`http://assets/${language}.traineddata.gz`);
  if (!ok || !body) throw new Error(`The OCR model ${language} could not be loaded: status ${status}`);
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}
