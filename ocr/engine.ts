import startTesseract from '../node_modules/tesseract.js-core/tesseract-core-simd-lstm.js';
import wasm from '../node_modules/tesseract.js-core/tesseract-core-simd-lstm.wasm';
import { type Reading, readTable } from './table.ts';

/** What this Worker uses of the engine's JavaScript interface. */
interface Tesseract {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => {
    Init(dataPath: string | null, languages: string, engineMode: number): number;
    SetVariable(name: string, value: string): boolean;
    /** Decodes /input, turned as the EXIF orientation says. Not 0: it is no picture that can be read. */
    SetImageFile(orientation: number, angle: number): number;
    Recognize(monitor: null): number;
    GetTSVText(page: number): string;
    Clear(): void;
    End(): void;
  };
}

export type StartTesseract = (hooks: Record<string, unknown>) => Promise<Tesseract>;

/** Growth overshoots a request by up to a fifth; the Worker has 128 MB, and the picture comes on top. */
const HEAP_LIMIT = 88 * 1024 * 1024;
const WASM_PAGE = 64 * 1024;
const LSTM_ONLY = 1;
const WHOLE_PAGE = '3';
/** What is ink: darker than one level for the page, or than its surroundings (slower, better in bad light). */
const ONE_THRESHOLD = '0';
const LOCAL_THRESHOLDS = '1';
/** A page read with less confidence is read the other way as well. */
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

  /** An instance that reads `languages` ("eng+deu"), whose models come from `load`. */
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
    if (engine.#api.Init(null, languages, LSTM_ONLY) !== 0) throw new Error('the language model is damaged');
    return engine;
  }

  /** Undefined when the bytes are no picture that can be decoded. `orientation`: EXIF's; boxes are as shown. */
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

/** Refuses growth beyond the limit; the engine then aborts and is thrown away. */
function capGrowth({ exports }: WebAssembly.Instance): void {
  const memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
  if (!memory) throw new Error('the engine has no memory');
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * WASM_PAGE > HEAP_LIMIT) throw new RangeError('memory limit');
    return grow(pages);
  };
}
