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
 * Maximum memory of all instances in bytes. A Worker has 128 MB, growth exceeds a request by up to a fifth,
 * and the caller also holds the file.
 */
const HEAP_LIMIT = 80 * 1024 * 1024;
const SCRATCH_BYTES = 1024;

/**
 * A PDFium instance. `scratch` is memory for output parameters, valid until the next call that fills it.
 * Views on the memory must be created again after every call that may allocate, and never be kept across
 * `await`.
 */
export interface Engine {
  readonly raw: Raw;
  readonly scratch: number;
  /** Structure through which PDFium asks whether to pause. `limit` decides. */
  readonly pause: number;
  /** Limit for the page that is being drawn. */
  limit?: DrawingLimit | undefined;
  /** Set after a trap. The instance's memory can then be neither trusted nor freed. */
  dead: boolean;
}

/** Thrown if the engine ran out of memory or crashed. The next call uses a new instance. */
export class EngineTrap extends Error {
  override readonly name = 'EngineTrap';
}

/**
 * Drawing modifies fonts that an instance shares between documents, which changes the positions and the text
 * that are read. So the reading instance never draws.
 */
export type Purpose = 'reading' | 'drawing';

const starting: Partial<Record<Purpose, Promise<Engine>>> = {};
const running: Partial<Record<Purpose, Engine>> = {};

export async function engine(purpose: Purpose = 'reading'): Promise<Engine> {
  starting[purpose] ??= start(purpose);
  const current = await starting[purpose];
  if (!current.dead) return current;
  discard(purpose);
  return engine(purpose);
}

function discard(purpose: Purpose): void {
  delete starting[purpose];
  delete running[purpose];
}

/**
 * Returns whether an instance may grow to `bytes`. If memory is insufficient for both instances, the other
 * one is discarded. Work in an instance is synchronous, so the other is idle and its documents reload into a
 * new instance.
 */
function makeRoom(purpose: Purpose, bytes: number): boolean {
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
  // Start-up hooks, which the package's types omit.
  const hooks = {
    print() {},
    printErr() {},
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      const env = imports.env as Record<string, (...numbers: number[]) => unknown>;
      const grow = env.emscripten_resize_heap!;
      env.emscripten_resize_heap = (bytes) => (makeRoom(purpose, bytes >>> 0) ? grow(bytes) : 0);
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
    // The package's types cover the module but not the hooks that its loader reads.
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

/** Runs synchronous calls. A trap marks the instance as dead and is rethrown as EngineTrap. */
export function guarded<T>(target: Engine, work: () => T): T {
  if (target.dead) throw new EngineTrap('the PDF engine was restarted');
  try {
    return work();
  } catch (error) {
    // PDFium was interrupted within a page. A restart is fast and frees all memory of the page.
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

/** Copies bytes into the engine's memory; the caller frees the pointer. Returns 0 if they do not fit. */
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
 * Returns the text of a call of the form (buffer, bytes) -> required bytes, in UTF-16LE with a terminating
 * zero.
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

/** Like readUtf16, for calls that return Latin text with a terminating zero. */
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
