import { WorkerEntrypoint } from 'cloudflare:workers';
import { Engine } from './engine.ts';
import { modelsFor } from './languages.ts';
import { installedModels } from './models.ts';
import type { Reading } from './table.ts';

export type OcrAnswer = Reading | { refused: string };

/** Some kilobytes of every page stay behind in the engine's memory, which never shrinks. */
const PAGES_PER_ENGINE = 200;
const MAX_PIXELS = 12_000_000;

let current: Promise<Engine> | undefined;

/** Text in pictures. `refused` says why this one cannot be read here; another try would end the same. */
export default class OcrService extends WorkerEntrypoint<{ ASSETS: Fetcher }> {
  /** `languages` are codes of the parse parameters; none means English. */
  async recognise(
    image: { bytes: Uint8Array; mimeType: string; width: number; height: number; orientation?: number },
    languages: string[],
  ): Promise<OcrAnswer> {
    if (image.mimeType === 'image/gif')
      return { refused: 'GIF pictures cannot be read by the built-in engine' };
    if (image.width * image.height > MAX_PIXELS) {
      return {
        refused: `the picture has ${image.width} x ${image.height} pixels, more than the built-in engine can read`,
      };
    }
    const models = await installedModels(this.env.ASSETS);
    const wanted = modelsFor(languages, models);
    if (wanted.length === 0) {
      return {
        refused: `the built-in engine has no model for ${languages.join(', ')}; it has ${models.join(', ')}`,
      };
    }
    const engine = await this.#engine(wanted.join('+'));
    try {
      const reading = engine.read(image.bytes, image.orientation);
      if (reading === undefined) return { refused: 'the picture cannot be decoded' };
      if (engine.pages >= PAGES_PER_ENGINE) current = undefined;
      return reading;
    } catch (error) {
      // Out of its memory or crashed: what the instance holds can no longer be trusted.
      current = undefined;
      return { refused: `the built-in engine could not read the picture (${String(error)})` };
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
  if (!ok || !body) throw new Error(`model ${language}: ${status}`);
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}
