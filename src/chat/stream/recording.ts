import type { UIMessageChunk } from 'ai';
import { DomainError, getErrorMessage, RateLimited } from '#src/lib/errors.ts';
import { Abandoned } from './abandoned.ts';
import type { Protocol } from './protocol.ts';

/** Maximum size of an answer with its sources, in characters of JSON. */
const MAX_ANSWER_CHARACTERS = 8 * 2 ** 20;
const MAX_READERS = 16;
/** Maximum number of characters that are sent to a reader at once. */
const MAX_PIECE_CHARACTERS = 64 * 1024;
/** Maximum time in milliseconds that a finished answer waits for slow readers. */
const MAX_READING_MS = 5 * 60_000;
/** Time in milliseconds that an aborted answer has to end by itself. */
const MAX_ENDING_MS = 5_000;

export interface RecordingOptions {
  /**
   * Interval of heartbeats in milliseconds while there is no output. A shorter interval detects a
   * disconnected reader sooner.
   */
  heartbeatMs: number;
  /** Time in milliseconds for which an answer continues without a reader before it is aborted. */
  unreadMs: number;
}

type Source = (signal: AbortSignal) => AsyncIterable<UIMessageChunk>;
type Reader = ReadableStreamDefaultController<Uint8Array>;

/**
 * Holds an answer in memory while it is generated. Any number of readers can receive it from the beginning,
 * each at its own speed. If no reader is left and none returns in time, the answer is aborted.
 */
export class Recording {
  /** Resolves when the last chunk of the answer is recorded. Never rejects. */
  readonly ended: Promise<void>;
  readonly #options: RecordingOptions;
  readonly #abort = new AbortController();
  readonly #chunks: UIMessageChunk[] = [];
  readonly #readers = new Set<Reader>();
  #isOver = false;
  #nextChange = Promise.withResolvers<void>();
  /**
   * Timer that aborts an answer without readers. After the answer has ended, it limits how long slow readers
   * may take.
   */
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

  /**
   * Returns the answer as a stream from its beginning. Throws `RateLimited` if there are too many readers.
   */
  read(protocol: Protocol): ReadableStream<Uint8Array> {
    if (this.#readers.size >= MAX_READERS) throw new RateLimited('Too many connections read this answer.', 1);
    const encoder = new TextEncoder();
    let next = 0;
    let reader: Reader;
    const pull = async () => {
      if (next === this.#chunks.length && !this.#isOver) await this.#waitForChange();
      let piece = '';
      while (next < this.#chunks.length && piece.length < MAX_PIECE_CHARACTERS) {
        piece += protocol.encode(this.#chunks[next]!);
        next += 1;
      }
      if (!this.#readers.has(reader)) return;
      const isLast = this.#isOver && next === this.#chunks.length;
      if (isLast) piece += protocol.end;
      // The runtime does not request more data after a request that produced none. A heartbeat is therefore
      // sent instead.
      else piece ||= protocol.heartbeat;
      if (piece) reader.enqueue(encoder.encode(piece));
      if (!isLast) return;
      this.#removeReader(reader);
      reader.close();
    };
    const start = (controller: Reader) => {
      reader = controller;
      clearTimeout(this.#timer);
      this.#readers.add(reader);
    };
    return new ReadableStream(
      { start, pull, cancel: () => this.#removeReader(reader) },
      { highWaterMark: 0 },
    );
  }

  async #record(source: Source): Promise<void> {
    const { signal } = this.#abort;
    const chunks = source(signal)[Symbol.asyncIterator]();
    const endingTimeout = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => {
        setTimeout(resolve, MAX_ENDING_MS, undefined);
      });
    });
    let size = 0;
    try {
      for (;;) {
        const step = await Promise.race([chunks.next(), endingTimeout]);
        if (!step) this.#add({ type: 'abort', reason: getErrorMessage(signal.reason) });
        if (!step || step.done) break;
        size += JSON.stringify(step.value).length;
        this.#add(step.value);
        if (size > MAX_ANSWER_CHARACTERS) this.stop(new DomainError('too_large', 'The answer is too long.'));
      }
    } catch {
      this.#add({ type: 'error', errorText: 'The answer was interrupted.' });
    } finally {
      this.#isOver = true;
      this.#notifyReaders();
      clearTimeout(this.#timer);
      if (this.#readers.size > 0) this.#timer = setTimeout(() => this.#dropReaders(), MAX_READING_MS);
    }
  }

  #add(chunk: UIMessageChunk): void {
    this.#chunks.push(chunk);
    this.#notifyReaders();
  }

  #notifyReaders(): void {
    this.#nextChange.resolve();
    this.#nextChange = Promise.withResolvers<void>();
  }

  /** Resolves when the answer has new output or a heartbeat is due. */
  async #waitForChange(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.heartbeatMs);
    });
    await Promise.race([this.#nextChange.promise, silence]);
    clearTimeout(timer);
  }

  #removeReader(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const stop = () => this.stop(new Abandoned('All readers of the answer have disconnected.'));
    if (this.#options.unreadMs === 0) stop();
    else this.#timer = setTimeout(stop, this.#options.unreadMs);
  }

  #dropReaders(): void {
    for (const reader of this.#readers) reader.error(new Error('The answer was not read in time.'));
    this.#readers.clear();
  }
}
