import type { Context, TenantContext } from '#src/context/context.ts';
import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { type ByteLine, LineSplitter } from '#src/lib/text/byte-lines.ts';
import type { NewDocument } from '../document-input.ts';
import { putDocuments } from '../put-documents.ts';
import { describeLineError, type LineError, MAX_LINE_BYTES, readLine } from './read-line.ts';

/** Maximum number of documents that are written at once. */
const MAX_BATCH = 1000;
/** Number of bytes of lines from which on a batch is written, so that memory is bounded. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Time in milliseconds after which documents are written although few have arrived. */
const MAX_WAIT_MS = 500;
/** Maximum number of fields without effect that are named, and of characters of their names in the answer. */
const MAX_WARNINGS = 50;
const MAX_FIELD_NAME = 200;
/** Number of wrong lines after which an import ends. A file of another format would otherwise be read to its end. */
const MAX_ERRORS = 1000;

export interface ImportState {
  /** Number of lines whose documents are stored. Indexing follows in the background. */
  documents: number;
  /** Number of lines with errors. */
  errors: number;
  /** Number of the first line that is not yet stored or reported, counted from `firstLine`. */
  next_line: number;
  /** Length in bytes of the lines before `next_line` in this request. */
  bytes: number;
}

export type ImportEvent =
  | ({ type: 'error'; line: number } & LineError)
  | { type: 'warning'; line: number; field: string; reason: string }
  | ({ type: 'progress' } & ImportState)
  | ({ type: 'end'; complete: boolean; message?: string } & ImportState);

export interface LineImport {
  pipelineId: string;
  body: ReadableStream<Uint8Array> | null;
  /** Number of the first line, for an import that continues an earlier one. */
  firstLine: number;
  /** Returns the caller's context, and throws if the caller may no longer write. */
  authorize(): Promise<TenantContext>;
  report(event: ImportEvent): void;
}

interface Batch {
  documents: NewDocument[];
  bytes: number;
  /** Settles when the documents have waited long enough. */
  timer?: Promise<undefined>;
}

/**
 * Inserts or replaces documents from JSON Lines. Lines are read while earlier ones are stored, and the next batch waits
 * for the previous one, so that a client sends no faster than the database writes. A wrong line is reported, and the
 * others are stored. If the request ends early, stored documents stay, and the last reported `bytes` and `next_line`
 * tell where to continue.
 */
export async function importLines(ctx: Context, source: LineImport): Promise<void> {
  const writer = new LineWriter(source);
  try {
    const isComplete = await writer.readAll();
    const message = isComplete ? undefined : `The import ended after ${MAX_ERRORS} lines with errors.`;
    writer.reportEnd(isComplete, message);
  } catch (error) {
    const isExpected = error instanceof DomainError;
    if (!isExpected) ctx.log.error('an import of lines failed', { error: getErrorMessage(error) });
    writer.reportEnd(
      false,
      isExpected ? error.message : 'The import was interrupted. Continue at next_line.',
    );
  }
}

class LineWriter {
  readonly #source: LineImport;
  readonly #splitter = new LineSplitter(MAX_LINE_BYTES);
  readonly #told = new Set<string>();
  readonly #state: ImportState;
  #batch: Batch = startBatch();
  readonly #read: { line: number; bytes: number; errors: number };
  #storing: Promise<void> = Promise.resolve();

  constructor(source: LineImport) {
    this.#source = source;
    this.#read = { line: source.firstLine, bytes: 0, errors: 0 };
    this.#state = { documents: 0, errors: 0, next_line: source.firstLine, bytes: 0 };
  }

  /** Reads and stores all lines. Returns false if too many of them are wrong. */
  async readAll(): Promise<boolean> {
    const reader = this.#source.body?.getReader();
    try {
      let reading = reader?.read();
      while (reading) {
        const read = await this.#waitFor(reading);
        if (!read) continue;
        const lines = read.done ? this.#splitter.end() : this.#splitter.push(read.value);
        for (const line of lines) {
          this.#take(line);
          if (this.#isFull()) await this.#store();
          if (this.#read.errors >= MAX_ERRORS) return false;
        }
        reading = read.done ? undefined : reader!.read();
      }
      return true;
    } finally {
      // The rest of the body is not wanted after an early end.
      await reader?.cancel().catch(() => {});
      await this.#store();
      await this.#storing;
    }
  }

  reportEnd(complete: boolean, message?: string): void {
    this.#source.report({ type: 'end', complete, ...(message !== undefined && { message }), ...this.#state });
  }

  /** Returns the next chunk. Returns `undefined` if none arrived in time, after the waiting lines were stored. */
  async #waitFor<Read>(reading: Promise<Read>): Promise<Read | undefined> {
    if (this.#batch.documents.length === 0) return reading;
    this.#batch.timer ??= scheduler.wait(MAX_WAIT_MS).then(() => undefined);
    const read = await Promise.race([reading, this.#batch.timer]);
    if (read === undefined) await this.#store();
    return read;
  }

  #take(line: ByteLine): void {
    const number = this.#read.line;
    const length = line.end - this.#read.bytes;
    this.#read.line += 1;
    this.#read.bytes = line.end;
    try {
      const read = readLine(line);
      if (!read) return;
      for (const { field, reason } of read.warnings) this.#warn(number, field, reason);
      this.#batch.documents.push(read.document);
      this.#batch.bytes += length;
    } catch (error) {
      this.#source.report({ type: 'error', line: number, ...describeLineError(error) });
      this.#read.errors += 1;
    }
  }

  /** Warns about the first line that has a field without effect. Most files have it in each line. */
  #warn(line: number, field: string, reason: string): void {
    const shown = field.slice(0, MAX_FIELD_NAME);
    if (this.#told.has(shown) || this.#told.size >= MAX_WARNINGS) return;
    this.#told.add(shown);
    this.#source.report({ type: 'warning', line, field: shown, reason });
  }

  #isFull(): boolean {
    return this.#batch.documents.length >= MAX_BATCH || this.#batch.bytes >= BATCH_BYTES;
  }

  /** Waits for the previous batch and begins to store the present one. */
  async #store(): Promise<void> {
    const { documents } = this.#batch;
    const { line, bytes, errors } = this.#read;
    this.#batch = startBatch();
    await this.#storing;
    this.#storing = this.#write(documents).then(() => {
      Object.assign(this.#state, { errors, bytes, next_line: line });
      this.#state.documents += documents.length;
      if (documents.length > 0) this.#source.report({ type: 'progress', ...this.#state });
    });
    // The error is thrown when the next batch waits. Until then it must not count as unhandled.
    this.#storing.catch(() => {});
  }

  async #write(documents: NewDocument[]): Promise<void> {
    if (documents.length === 0) return;
    // A key that was revoked during a long import writes nothing more.
    const ctx = await this.#source.authorize();
    await putDocuments(ctx, this.#source.pipelineId, documents, { replace: true });
  }
}

const startBatch = (): Batch => ({ documents: [], bytes: 0 });
