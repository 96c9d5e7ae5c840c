import type { UIMessageChunk } from 'ai';
import { DomainError, messageOf, RateLimited } from '#src/lib/errors.ts';
import { Abandoned } from './abandoned.ts';
import type { Protocol } from './protocol.ts';

/** Maximum characters of JSON per answer, including its sources. */
const LONGEST = 8 * 2 ** 20;
const MOST_READERS = 16;
/** Characters that a reader receives at once. */
const PIECE = 64 * 1024;
/** Milliseconds that a finished answer waits for slow readers. */
const PATIENCE_MS = 5 * 60_000;
/** Milliseconds that an aborted answer may take to end by itself. */
const LAST_WORDS_MS = 5_000;

export interface RecordingOptions {
  /**
   * Milliseconds between two heartbeats while there is no output. It determines how soon a disconnected
   * reader is detected.
   */
  heartbeatMs: number;
  /** Milliseconds for which an answer continues without a reader. */
  unreadMs: number;
}

type Source = (signal: AbortSignal) => AsyncIterable<UIMessageChunk>;
type Reader = ReadableStreamDefaultController<Uint8Array>;

/**
 * An answer while it is generated. It stores the output, so that any number of readers receive it from the
 * beginning. Each reader takes it at its own speed from the one stored copy. If the last reader leaves and
 * none comes back in time, the answer is aborted.
 */
export class Recording {
  /** Resolves when the last chunk is stored; never rejects. */
  readonly ended: Promise<void>;
  readonly #options: RecordingOptions;
  readonly #abort = new AbortController();
  readonly #chunks: UIMessageChunk[] = [];
  readonly #readers = new Set<Reader>();
  #isOver = false;
  #more = Promise.withResolvers<void>();
  /** Runs while there is no reader. After the end it runs while there is one. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: Source, options: RecordingOptions) {
    this.#options = options;
    this.ended = this.#record(source);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the answer and reports the reason to its readers. */
  stop(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Returns the answer as a stream. Throws RateLimited if there are too many readers. */
  read(protocol: Protocol): ReadableStream<Uint8Array> {
    if (this.#readers.size >= MOST_READERS) throw new RateLimited('This answer has too many readers.', 1);
    const encoder = new TextEncoder();
    let next = 0;
    let reader: Reader;
    const pull = async () => {
      if (next === this.#chunks.length && !this.#isOver) await this.#change();
      let piece = '';
      while (next < this.#chunks.length && piece.length < PIECE) {
        piece += protocol.encode(this.#chunks[next]!);
        next += 1;
      }
      if (!this.#readers.has(reader)) return;
      const isLast = this.#isOver && next === this.#chunks.length;
      if (isLast) piece += protocol.end;
      // The stream does not pull again after a pull without output, so a heartbeat is sent.
      else piece ||= protocol.heartbeat;
      if (piece) reader.enqueue(encoder.encode(piece));
      if (!isLast) return;
      this.#leave(reader);
      reader.close();
    };
    const start = (controller: Reader) => {
      reader = controller;
      clearTimeout(this.#timer);
      this.#readers.add(reader);
    };
    return new ReadableStream({ start, pull, cancel: () => this.#leave(reader) }, { highWaterMark: 0 });
  }

  async #record(source: Source): Promise<void> {
    const { signal } = this.#abort;
    const chunks = source(signal)[Symbol.asyncIterator]();
    const silenced = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => {
        setTimeout(resolve, LAST_WORDS_MS, undefined);
      });
    });
    let size = 0;
    try {
      for (;;) {
        const step = await Promise.race([chunks.next(), silenced]);
        if (!step) this.#add({ type: 'abort', reason: messageOf(signal.reason) });
        if (!step || step.done) break;
        size += JSON.stringify(step.value).length;
        this.#add(step.value);
        if (size > LONGEST) this.stop(new DomainError('too_large', 'The answer is too long.'));
      }
    } catch {
      this.#add({ type: 'error', errorText: 'The answer broke off.' });
    } finally {
      this.#isOver = true;
      this.#tell();
      clearTimeout(this.#timer);
      if (this.#readers.size > 0) this.#timer = setTimeout(() => this.#giveUpOnReaders(), PATIENCE_MS);
    }
  }

  #add(chunk: UIMessageChunk): void {
    this.#chunks.push(chunk);
    this.#tell();
  }

  #tell(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers<void>();
  }

  /** Resolves when there is new output or a heartbeat is due. */
  async #change(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.heartbeatMs);
    });
    await Promise.race([this.#more.promise, silence]);
    clearTimeout(timer);
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const stop = () => this.stop(new Abandoned('Nobody reads the answer any more.'));
    if (this.#options.unreadMs === 0) stop();
    else this.#timer = setTimeout(stop, this.#options.unreadMs);
  }

  #giveUpOnReaders(): void {
    for (const reader of this.#readers) reader.error(new Error('The answer was not read in time.'));
    this.#readers.clear();
  }
}
