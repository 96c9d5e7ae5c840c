import startTesseract from '../node_modules/tesseract.js-core/tesseract-core-simd-lstm.js';
import wasm from '../node_modules/tesseract.js-core/tesseract-core-simd-lstm.wasm';
import { type Reading, readTable } from './table.ts';

/** Subset of the Tesseract engine's JavaScript interface that this Worker uses. */
interface Tesseract {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => {
    Init(dataPath: string | null, languages: string, engineMode: number): number;
    SetVariable(name: string, value: string): boolean;
    /**
     * Decodes the file /input and rotates the image according to the EXIF orientation. Returns 0, or another
     * number if the image cannot be decoded.
     */
    SetImageFile(orientation: number, angle: number): number;
    Recognize(monitor: null): number;
    GetTSVText(page: number): string;
    Clear(): void;
    End(): void;
  };
}

export type StartTesseract = (hooks: Record<string, unknown>) => Promise<Tesseract>;

/**
 * Maximum memory of the OCR engine in bytes. The engine allocates up to a fifth more than it needs. The
 * Worker's 128 MB also have to hold the image.
 */
const HEAP_LIMIT = 88 * 1024 * 1024;
const WASM_PAGE = 64 * 1024;
const LSTM_ONLY = 1;
const WHOLE_PAGE = '3';
/**
 * Tesseract's methods to decide which pixels are ink. One threshold for the whole page is faster. Local
 * thresholds give better results in uneven light.
 */
const ONE_THRESHOLD = '0';
const LOCAL_THRESHOLDS = '1';
/** Confidence, from 0 to 1, below which a page is read again with local thresholds. */
const DOUBTFUL = 0.85;

export class Engine {
  readonly #core: Tesseract;
  readonly #api: InstanceType<Tesseract['TessBaseAPI']>;
  readonly languages: string;
  pages = 0;

  private constructor(core: Tesseract, languages: string) {
    this.#core = core;
    this.#api = new core.TessBaseAPI();
    this.languages = languages;
  }

  /** Starts an engine for `languages`, such as "eng+deu". `load` returns the model of a language. */
  static async start(languages: string, load: (language: string) => Promise<Uint8Array>): Promise<Engine> {
    const core = await startTesseract({
      print() {},
      printErr() {},
      instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
        const instance = new WebAssembly.Instance(wasm, imports);
        capGrowth(instance);
        done(instance);
        return instance.exports;
      },
    });
    for (const language of languages.split('+')) {
      core.FS.writeFile(`${language}.traineddata`, await load(language));
    }
    const engine = new Engine(core, languages);
    if (engine.#api.Init(null, languages, LSTM_ONLY) !== 0)
      throw new Error(`the OCR model for ${languages} is damaged`);
    return engine;
  }

  /**
   * Reads an image. `orientation` is the EXIF orientation, and boxes refer to the rotated image. Returns
   * `undefined` if the bytes cannot be decoded as an image.
   */
  read(image: Uint8Array, orientation = 1): Reading | undefined {
    const { FS } = this.#core;
    FS.writeFile('/input', image);
    try {
      if (this.#api.SetImageFile(orientation, 0) !== 0) return undefined;
      const plain = this.#recognise(ONE_THRESHOLD);
      if (plain.confidence >= DOUBTFUL) return plain;
      const adapted = this.#recognise(LOCAL_THRESHOLDS);
      return adapted.confidence > plain.confidence ? adapted : plain;
    } finally {
      FS.unlink('/input');
      this.#api.Clear();
    }
  }

  #recognise(threshold: string): Reading {
    this.#api.SetVariable('tessedit_pageseg_mode', WHOLE_PAGE);
    this.#api.SetVariable('thresholding_method', threshold);
    this.#api.Recognize(null);
    this.pages++;
    return readTable(this.#api.GetTSVText(0));
  }
}

/** Rejects memory growth beyond the limit. The engine then aborts and has to be discarded. */
function capGrowth({ exports }: WebAssembly.Instance): void {
  const memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
  if (!memory) throw new Error('the OCR engine exports no memory');
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * WASM_PAGE > HEAP_LIMIT)
      throw new RangeError('the OCR engine reached its memory limit');
    return grow(pages);
  };
}
