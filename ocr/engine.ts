import startTesseract from '../node_modules/tesseract.js-core/tesseract-core-simd-lstm.js';
import wasm from '../node_modules/tesseract.js-core/tesseract-core-simd-lstm.wasm';
import { encodePgm, type Gray } from './picture/gray.ts';
import { decodeGrayPng } from './picture/gray-png.ts';
import { type ReadWord, readTable } from './table.ts';

/** Subset of the Tesseract engine's JavaScript interface that this Worker uses. */
interface Tesseract {
  FS: {
    writeFile(path: string, bytes: Uint8Array): void;
    readFile(path: string): Uint8Array;
    unlink(path: string): void;
  };
  TessBaseAPI: new () => {
    Init(dataPath: string | null, languages: string, engineMode: number): number;
    SetVariable(name: string, value: string): boolean;
    /**
     * Decodes the file /input. `orientation` is an EXIF orientation. Returns 0, or another number if the image
     * cannot be decoded.
     */
    SetImageFile(orientation: number, angle: number): number;
    /** Writes the image to the file /image.png. The kind 1 stands for gray. */
    WriteImage(kind: number): void;
    Recognize(monitor: null): number;
    GetTSVText(page: number): string;
    /** Returns 0 if the model's dictionary does not contain the word. */
    IsValidWord(word: string): number;
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
const GRAY = 1;

/** Tesseract's page segmentation modes, by the layout that they assume. */
const SEGMENTATION_MODES = { auto: '3', column: '4', block: '6', sparse: '11' } as const;
/**
 * Tesseract's methods to decide which pixels are ink: Otsu's threshold for the whole page, and Sauvola's
 * local thresholds, which find faint letters.
 */
const THRESHOLDS = { global: '0', local: '2' } as const;

export interface ReadingMode {
  layout: keyof typeof SEGMENTATION_MODES;
  threshold: keyof typeof THRESHOLDS;
}

export class Engine {
  readonly #core: Tesseract;
  readonly #memory: WebAssembly.Memory;
  readonly #api: InstanceType<Tesseract['TessBaseAPI']>;
  languages = '';
  pages = 0;

  private constructor(core: Tesseract, memory: WebAssembly.Memory) {
    this.#core = core;
    this.#memory = memory;
    this.#api = new core.TessBaseAPI();
  }

  /** Starts an engine for `languages`, such as "eng+deu". `load` returns the model of a language. */
  static async start(languages: string, load: (language: string) => Promise<Uint8Array>): Promise<Engine> {
    let memory: WebAssembly.Memory | undefined;
    const core = await startTesseract({
      print() {},
      printErr() {},
      instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
        const instance = new WebAssembly.Instance(wasm, imports);
        memory = capGrowth(instance);
        done(instance);
        return instance.exports;
      },
    });
    if (!memory) throw new Error('the OCR engine exports no memory');
    const engine = new Engine(core, memory);
    await engine.use(languages, load);
    return engine;
  }

  /** Replaces the models. The former models are freed. */
  async use(languages: string, load: (language: string) => Promise<Uint8Array>): Promise<void> {
    const { FS } = this.#core;
    const names = languages.split('+');
    const models = await Promise.all(names.map(load));
    // Several requests share the engine, so nothing is awaited until the new models are ready.
    this.languages = '';
    for (const [at, name] of names.entries()) FS.writeFile(`${name}.traineddata`, models[at]!);
    const failure = this.#api.Init(null, languages, LSTM_ONLY);
    // The engine has read the files, which would take as much memory again.
    for (const name of names) FS.unlink(`${name}.traineddata`);
    if (failure !== 0) throw new Error(`the OCR model for ${languages} is damaged`);
    this.languages = languages;
  }

  /** Size of the engine's memory in bytes. It never shrinks. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Decodes an image file to gray pixels. Returns `undefined` if the bytes cannot be decoded as an image. */
  decode(image: Uint8Array): Gray | undefined {
    const { FS } = this.#core;
    FS.writeFile('/input', image);
    try {
      if (this.#api.SetImageFile(1, 0) !== 0) return undefined;
      this.#api.WriteImage(GRAY);
      const png = FS.readFile('/image.png');
      FS.unlink('/image.png');
      return decodeGrayPng(png);
    } finally {
      FS.unlink('/input');
      this.#api.Clear();
    }
  }

  /** Recognizes the text of a picture. Returns the words in reading order, by paragraph and line. */
  recognise(picture: Gray, { layout, threshold }: ReadingMode): ReadWord[][][] {
    const { FS } = this.#core;
    FS.writeFile('/input', encodePgm(picture));
    try {
      if (this.#api.SetImageFile(1, 0) !== 0) throw new Error('the OCR engine does not accept the picture');
    } finally {
      FS.unlink('/input');
    }
    try {
      this.#api.SetVariable('tessedit_pageseg_mode', SEGMENTATION_MODES[layout]);
      this.#api.SetVariable('thresholding_method', THRESHOLDS[threshold]);
      this.#api.Recognize(null);
      this.pages++;
      return readTable(this.#api.GetTSVText(0));
    } finally {
      this.#api.Clear();
    }
  }

  /** Returns whether the dictionary of the model contains a word. */
  knowsWord(word: string): boolean {
    return this.#api.IsValidWord(word) !== 0;
  }
}

/**
 * Rejects memory growth beyond the limit. The engine then aborts and has to be discarded. Returns the
 * engine's memory.
 */
function capGrowth({ exports }: WebAssembly.Instance): WebAssembly.Memory | undefined {
  const memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
  if (!memory) return undefined;
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * WASM_PAGE > HEAP_LIMIT)
      throw new RangeError('the OCR engine reached its memory limit');
    return grow(pages);
  };
  return memory;
}
