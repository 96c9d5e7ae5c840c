import { ApiError } from '../api/errors.ts';
import { uploadFile } from '../api/upload.ts';
import type { Picked, PickedFile } from './picked.ts';
import { keepRecord, readRecords, removeRecord } from './records.ts';

export type UploadState =
  | 'waiting'
  | 'sending'
  | 'stored'
  | 'done'
  | 'duplicate'
  | 'failed'
  | 'cancelled'
  | 'interrupted';

export interface Upload {
  id: number;
  name: string;
  /** Bytes. */
  size: number;
  /** Path within the folder that the file was chosen with. */
  path?: string;
  /** Absent after a reload of the page, which cannot open the file by itself. */
  file?: File;
  state: UploadState;
  /** Bytes that have been sent. */
  sent: number;
  error?: unknown;
  /** Id of the stored file. */
  fileId?: string;
  /** The file is sent although another one of its name or path is there. */
  isWanted?: boolean;
}

/** Where files go. */
export interface UploadTarget {
  projectId: string | undefined;
  /** Whether stored files are added to an index. */
  isIndex: boolean;
  /** Whether a file of that name, or of that path if it has one, is there already. */
  has: (file: Pick<Upload, 'name' | 'path'>) => Promise<boolean>;
  /** Called with the ids of stored files, many at once. What it does is part of the upload. */
  add: (fileIds: string[]) => Promise<unknown>;
}

const AT_ONCE = 3;
/** Stored files are added when there are so many, or after so many milliseconds, while others are still sent. */
const ADDED_AT_ONCE = 10;
const ADDED_AFTER_MS = 2000;
const TRIES = 5;
const OPEN: readonly UploadState[] = ['waiting', 'sending', 'stored'];
/** States that a reload must not forget: the file is not where it was to go. */
const UNFINISHED: readonly UploadState[] = [...OPEN, 'failed', 'interrupted'];

/** What an upload is called on the page. */
export const uploadTitle = ({ name, path }: Pick<Upload, 'name' | 'path'>) => path ?? name;

/**
 * Uploads files three at a time and adds them in small groups meanwhile. A file that fails stays in the queue with its
 * reason, and holds up no other one. The queue lives as long as the page of the browser, and leaving that page asks
 * first. After a reload, files that were stored are added, and the others are named so that they can be chosen again.
 */
export class UploadQueue {
  readonly #key: string;
  readonly #target: UploadTarget;
  #uploads: readonly Upload[] = [];
  #picked: Pick<Picked, 'skipped' | 'unreadable'> = { skipped: [], unreadable: [] };
  #listeners = new Set<() => void>();
  #aborts = new Map<number, AbortController>();
  #isAdding = false;
  #addTimer: ReturnType<typeof setTimeout> | undefined;
  #lastId = 0;

  /** `key` names the queue in the records that outlast a reload. */
  constructor(key: string, target: UploadTarget) {
    this.#key = key;
    this.#target = target;
    const records = readRecords(key);
    this.#lastId = records.at(-1)?.id ?? 0;
    this.#set(
      records.map(({ isDone, ...record }): Upload => {
        const stored = isDone ? 'done' : 'stored';
        return { ...record, sent: 0, state: record.fileId ? stored : 'interrupted' };
      }),
    );
    this.#go();
  }

  get isIndex(): boolean {
    return this.#target.isIndex;
  }

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };
  uploads = (): readonly Upload[] => this.#uploads;

  /** What was left out of the folders that were added: hidden files, and files that the browser could not read. */
  leftOut = () => this.#picked;

  dismissLeftOut(): void {
    this.#picked = { skipped: [], unreadable: [] };
    this.#tell();
  }

  add({ files, skipped, unreadable }: Picked): void {
    this.#picked = {
      skipped: [...this.#picked.skipped, ...skipped],
      unreadable: [...this.#picked.unreadable, ...unreadable],
    };
    let uploads = this.#uploads;
    for (const picked of files) uploads = this.#withPicked(uploads, picked);
    this.#set(uploads);
    this.#go();
  }

  /** A file that a reload interrupted takes its place again; one that is being uploaded is not added twice. */
  #withPicked(uploads: readonly Upload[], { file, path }: PickedFile): readonly Upload[] {
    const title = path ?? file.name;
    const isSame = (each: Upload) =>
      uploadTitle(each) === title && each.size === file.size && each.file?.lastModified === file.lastModified;
    if (uploads.some((each) => OPEN.includes(each.state) && isSame(each))) return uploads;
    const interrupted = uploads.find((each) => each.state === 'interrupted' && uploadTitle(each) === title);
    if (interrupted) {
      const resumed: Upload = { ...interrupted, file, size: file.size, state: 'waiting' };
      return uploads.map((each) => (each === interrupted ? resumed : each));
    }
    this.#lastId += 1;
    const { name, size } = file;
    return [
      ...uploads,
      { id: this.#lastId, name, size, file, state: 'waiting', sent: 0, ...(path && { path }) },
    ];
  }

  /** Resolves when every file is added, or has failed, or waits for the user. */
  async settle(): Promise<void> {
    while (this.#uploads.some(({ state }) => OPEN.includes(state))) {
      await new Promise<void>((resolve) => {
        const stop = this.subscribe(() => {
          stop();
          resolve();
        });
      });
    }
  }

  cancel(id: number): void {
    this.#aborts.get(id)?.abort();
    this.#change(id, { state: 'cancelled' });
    this.#go();
  }

  cancelAll(): void {
    for (const { id, state } of this.#uploads) {
      if (state === 'waiting' || state === 'sending') this.cancel(id);
    }
  }

  /** Again, or although another of its name is there; what is stored already is only added. */
  retry(id: number): void {
    const upload = this.#uploads.find((each) => each.id === id);
    // The user has to choose it again.
    if (!upload || upload.state === 'interrupted') return;
    this.#change(id, {
      state: upload.fileId ? 'stored' : 'waiting',
      sent: 0,
      error: undefined,
      isWanted: true,
    });
    this.#go();
  }

  dismiss(ids: readonly number[]): void {
    this.#set(this.#uploads.filter(({ id, state }) => OPEN.includes(state) || !ids.includes(id)));
  }

  #go(): void {
    const sending = this.#uploads.filter(({ state }) => state === 'sending').length;
    const next = this.#uploads.filter(({ state }) => state === 'waiting').slice(0, AT_ONCE - sending);
    for (const upload of next) void this.#send(upload);
    const isIdle = next.length === 0 && sending === 0;
    const stored = this.#uploads.filter(({ state }) => state === 'stored');
    if (stored.length === 0) return;
    if (isIdle || stored.length >= ADDED_AT_ONCE) void this.#addStored();
    else this.#addTimer ??= setTimeout(() => void this.#addStored(), ADDED_AFTER_MS);
  }

  async #send(upload: Upload): Promise<void> {
    const { id, isWanted } = upload;
    const file = upload.file!;
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    this.#change(id, { state: 'sending' });
    try {
      if (!isWanted && (await this.#isDuplicate(upload))) {
        this.#change(id, { state: 'duplicate' });
      } else {
        const stored = await this.#sendPatiently(upload, file, abort.signal);
        this.#change(id, { state: 'stored', sent: file.size, fileId: stored.id });
      }
    } catch (error) {
      if (!abort.signal.aborted) this.#change(id, { state: 'failed', error });
    } finally {
      this.#aborts.delete(id);
      this.#go();
    }
  }

  async #isDuplicate(upload: Upload): Promise<boolean> {
    const isBefore = (other: Upload) =>
      other.id < upload.id &&
      uploadTitle(other) === uploadTitle(upload) &&
      (OPEN.includes(other.state) || other.state === 'done');
    return this.#uploads.some(isBefore) || (await this.#target.has(upload));
  }

  /** Waits and tries again when the service is asked too much. */
  async #sendPatiently({ id, path }: Upload, file: File, signal: AbortSignal) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const onProgress = (sent: number) => this.#change(id, { sent });
        return await uploadFile({ file, path }, this.#target.projectId, onProgress, signal);
      } catch (error) {
        const wait = error instanceof ApiError && error.retryable ? error.retryAfter : undefined;
        if (wait === undefined || attempt === TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait * 1000));
        signal.throwIfAborted();
      }
    }
  }

  async #addStored(): Promise<void> {
    clearTimeout(this.#addTimer);
    this.#addTimer = undefined;
    const stored = this.#uploads.filter(({ state }) => state === 'stored');
    if (this.#isAdding || stored.length === 0) return;
    this.#isAdding = true;
    let outcome: Partial<Upload> = { state: 'done' };
    try {
      await this.#target.add(stored.map(({ fileId }) => fileId!));
    } catch (error) {
      outcome = { state: 'failed', error };
    }
    this.#isAdding = false;
    const ids = new Set(stored.map(({ id }) => id));
    this.#set(this.#uploads.map((each) => (ids.has(each.id) ? { ...each, ...outcome } : each)));
    this.#go();
  }

  #change(id: number, change: Partial<Upload>): void {
    this.#set(this.#uploads.map((each) => (each.id === id ? { ...each, ...change } : each)));
  }

  #set(uploads: readonly Upload[]): void {
    this.#record(this.#uploads, uploads);
    this.#uploads = uploads;
    const isBusy = uploads.some(({ state }) => OPEN.includes(state));
    if (isBusy) addEventListener('beforeunload', this.#ask);
    else removeEventListener('beforeunload', this.#ask);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** While a file is unfinished, those that are done are remembered too: "18 of 200" is the same after a reload. */
  #record(before: readonly Upload[], after: readonly Upload[]): void {
    const old = new Map(before.map((each) => [each.id, each]));
    const isUnfinished = after.some(({ state }) => UNFINISHED.includes(state));
    for (const { id, name, size, path, fileId, state } of after) {
      const { state: oldState, fileId: oldId } = old.get(id) ?? {};
      if (isUnfinished) old.delete(id);
      if (!isUnfinished || (oldState === state && oldId === fileId)) continue;
      const isDone = state === 'done';
      if (isDone || UNFINISHED.includes(state)) {
        keepRecord(this.#key, {
          ...{ id, name, size },
          ...(path && { path }),
          ...(fileId && { fileId }),
          ...(isDone && { isDone }),
        });
      } else removeRecord(this.#key, id);
    }
    for (const id of old.keys()) removeRecord(this.#key, id);
  }

  /** The browser asks in its own words whether the page may be left. Each queue has a listener of its own. */
  #ask = (event: BeforeUnloadEvent) => event.preventDefault();
}
