import { init } from '@embedpdf/pdfium';
import wasm from '@embedpdf/pdfium/pdfium.wasm';
import {
  addPauseCallback,
  type DrawingLimit,
  DrawingStopped,
  PAUSE_STRUCT_BYTES,
  PAUSE_VERSION,
} from '../drawing/limit.ts';
import type { Raw } from './raw.ts';

/**
 * Maximum memory of all engine instances together in bytes. A Worker has 128 MB, memory growth exceeds a
 * request by up to a fifth, and the caller also holds the file.
 */
const HEAP_LIMIT = 80 * 1024 * 1024;
const SCRATCH_BYTES = 1024;

/**
 * A PDFium instance. `scratch` is memory for output parameters and is valid until the next call that fills
 * it. Views on the memory must be recreated after every call that may allocate memory. They must not be kept
 * across `await`.
 */
export interface Engine {
  readonly raw: Raw;
  readonly scratch: number;
  /** Address of the structure through which PDFium asks whether to pause. `limit` gives the answer. */
  readonly pause: number;
  /** Limit for the page that is being drawn. */
  limit?: DrawingLimit | undefined;
  /** True after a trap. The memory of the instance can then be neither trusted nor freed. */
  dead: boolean;
}

/** Thrown if the engine ran out of memory or crashed. The next call uses a new instance. */
export class EngineTrap extends Error {
  override readonly name = 'EngineTrap';
}

/**
 * Purpose of an engine instance. Drawing modifies fonts that documents in an instance share, which changes
 * the positions and text that are read. Therefore, the reading instance never draws.
 */
export type Purpose = 'reading' | 'drawing';

const starting: Partial<Record<Purpose, Promise<Engine>>> = {};
const running: Partial<Record<Purpose, Engine>> = {};

export async function getEngine(purpose: Purpose = 'reading'): Promise<Engine> {
  starting[purpose] ??= start(purpose);
  const current = await starting[purpose];
  if (!current.dead) return current;
  discard(purpose);
  return getEngine(purpose);
}

function discard(purpose: Purpose): void {
  delete starting[purpose];
  delete running[purpose];
}

/**
 * Returns whether an instance may grow to `bytes`. Discards the other instance if the memory does not suffice
 * for both. This is safe, because work is synchronous and the other instance is idle. Its documents are
 * loaded again into a new instance.
 */
function reserveMemory(purpose: Purpose, bytes: number): boolean {
  if (bytes > HEAP_LIMIT) return false;
  const other = purpose === 'reading' ? 'drawing' : 'reading';
  const idle = running[other];
  if (idle && bytes + idle.raw.memory.buffer.byteLength > HEAP_LIMIT) {
    idle.dead = true;
    discard(other);
  }
  return true;
}

async function start(purpose: Purpose): Promise<Engine> {
  let instance: WebAssembly.Instance | undefined;
  let started: Engine | undefined;
  // Start-up hooks of the emscripten module. The package's types omit them.
  const hooks = {
    print() {},
    printErr() {},
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      const env = imports.env as Record<string, (...numbers: number[]) => unknown>;
      const grow = env.emscripten_resize_heap!;
      env.emscripten_resize_heap = (bytes) => (reserveMemory(purpose, bytes >>> 0) ? grow(bytes) : 0);
      const copy = env._emscripten_memcpy_js!;
      env._emscripten_memcpy_js = (to, from, bytes) => {
        started?.limit?.countCopy(bytes!);
        return copy(to!, from!, bytes!);
      };
      instance = new WebAssembly.Instance(wasm, imports);
      done(instance);
      return instance.exports;
    },
  };
  try {
    // The package's types cover the module but not its start-up hooks.
    await init(hooks as unknown as Parameters<typeof init>[0]);
  } catch (error) {
    discard(purpose);
    throw error;
  }
  if (!instance) throw new EngineTrap('PDFium did not start');
  const raw = instance.exports as unknown as Raw;
  raw.PDFiumExt_Init();
  const pause = raw.malloc(PAUSE_STRUCT_BYTES);
  const target: Engine = { raw, scratch: raw.malloc(SCRATCH_BYTES), pause, dead: false };
  const callback = addPauseCallback(raw.__indirect_function_table, () => target.limit?.shouldStop() ?? false);
  new Int32Array(raw.memory.buffer, pause, 3).set([PAUSE_VERSION, callback, 0]);
  started = target;
  running[purpose] = target;
  return target;
}

/** Runs synchronous engine calls. A trap marks the instance as dead and is rethrown as EngineTrap. */
export function runGuarded<T>(target: Engine, work: () => T): T {
  if (target.dead) throw new EngineTrap('the PDF engine was restarted');
  try {
    return work();
  } catch (error) {
    // PDFium was interrupted while drawing a page. A restart is fast and frees all memory of the page.
    if (error instanceof DrawingStopped) {
      target.dead = true;
      throw error;
    }
    if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) {
      // emscripten throws numbers and plain objects for longjmp and exit.
      if (error instanceof Error) throw error;
    }
    target.dead = true;
    throw new EngineTrap('the PDF engine ran out of memory or crashed', { cause: error });
  }
}

/**
 * Copies bytes into the engine's memory. The caller must free the returned pointer. Returns 0 if the bytes do
 * not fit.
 */
export function copyIn({ raw }: Engine, bytes: Uint8Array): number {
  const pointer = raw.malloc(Math.max(1, bytes.byteLength));
  if (pointer !== 0) new Uint8Array(raw.memory.buffer).set(bytes, pointer);
  return pointer;
}

export function copyOut({ raw }: Engine, pointer: number, length: number): Uint8Array {
  return new Uint8Array(raw.memory.buffer, pointer, length).slice();
}

export function floats({ raw, scratch }: Engine, count: number): Float32Array {
  return new Float32Array(raw.memory.buffer, scratch, count);
}

const utf16 = new TextDecoder('utf-16le');
const ascii = new TextEncoder();

/**
 * Returns the text of an engine function that fills a buffer and returns the required number of bytes. The
 * text is UTF-16LE with a terminating zero.
 */
export function readUtf16(target: Engine, call: (buffer: number, length: number) => number): string {
  const { raw, scratch } = target;
  const needed = call(scratch, SCRATCH_BYTES);
  if (needed <= 2) return '';
  if (needed <= SCRATCH_BYTES) return utf16.decode(copyOut(target, scratch, needed - 2));
  const buffer = raw.malloc(needed);
  if (buffer === 0) return '';
  try {
    const written = call(buffer, needed);
    return utf16.decode(copyOut(target, buffer, Math.max(0, Math.min(written, needed) - 2)));
  } finally {
    raw.free(buffer);
  }
}

/** Works like readUtf16 for functions that return single-byte text with a terminating zero. */
export function readBytes(target: Engine, call: (buffer: number, length: number) => number): Uint8Array {
  const { raw } = target;
  const needed = call(0, 0);
  if (needed <= 1) return new Uint8Array();
  const buffer = raw.malloc(needed);
  if (buffer === 0) return new Uint8Array();
  try {
    return copyOut(target, buffer, Math.max(0, Math.min(call(buffer, needed), needed) - 1));
  } finally {
    raw.free(buffer);
  }
}

/** Runs `use` with a zero-terminated UTF-8 copy of a name. */
export function withName<T>(target: Engine, name: string, use: (pointer: number) => T): T {
  const pointer = copyIn(target, ascii.encode(`${name}\0`));
  try {
    return use(pointer);
  } finally {
    target.raw.free(pointer);
  }
}
