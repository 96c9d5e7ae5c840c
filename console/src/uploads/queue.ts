import { ApiError } from '../api/errors.ts';
import { uploadFile } from '../api/upload.ts';
import type { Picked, PickedFile } from './picked.ts';
import { readRecords, removeRecord, saveRecord } from './records.ts';

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
  /** Size of the file in bytes. */
  size: number;
  /** Path of the file within the folder that the user chose. */
  path?: string;
  /** Folder of the project into which the user uploads. Absent for the root. */
  folder?: string;
  /** File to upload. Absent after a page reload, because a page cannot reopen a file by itself. */
  file?: File;
  state: UploadState;
  /** Number of bytes that have been sent so far. */
  sent: number;
  error?: unknown;
  fileId?: string;
  /** True if the user has confirmed the upload although a file with the same name or path exists. */
  isConfirmed?: boolean;
}

/** Destination of uploaded files: an index or a project. */
export interface UploadTarget {
  projectId: string | undefined;
  /** True if uploaded files are also added to an index. */
  isIndex: boolean;
  /**
   * Returns true if the destination already has a file with this path. A file without a path is compared by
   * name.
   */
  has: (file: Pick<Upload, 'name' | 'path' | 'folder'>) => Promise<boolean>;
  /**
   * Adds a batch of stored files to the destination. Their uploads are complete when the promise resolves.
   */
  add: (fileIds: string[]) => Promise<unknown>;
}

const MAX_CONCURRENT = 3;
/**
 * Number of stored files that are added to the destination together. A smaller batch is added after
 * `ADD_DELAY_MS` milliseconds.
 */
const ADD_BATCH_SIZE = 10;
const ADD_DELAY_MS = 2000;
const MAX_ATTEMPTS = 5;
const OPEN: readonly UploadState[] = ['waiting', 'sending', 'stored'];
/**
 * States of uploads that are kept across a page reload, because the file has not reached its destination yet.
 */
const UNFINISHED: readonly UploadState[] = [...OPEN, 'failed', 'interrupted'];

export const uploadTitle = ({ name, path }: Pick<Upload, 'name' | 'path'>) => path ?? name;

/** Returns the path of an uploaded file within the project. Absent for a file that was chosen without a folder. */
export const getProjectPath = ({ path, folder }: Pick<Upload, 'path' | 'folder'>): string | undefined =>
  path === undefined || !folder ? path : `${folder}/${path}`;

/**
 * Uploads up to three files at a time and adds them to the destination in batches. A failed file stays in the
 * queue with its error and does not block others. The queue lasts until the page is closed or reloaded, and
 * the browser asks for confirmation while uploads are running. After a reload, stored files are added, and
 * unsent files are listed so that the user can choose them again.
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

  /** Creates an upload queue. `key` identifies its upload records, which outlast a page reload. */
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
    this.#startNext();
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

  /**
   * Returns the paths of files that were skipped when the user added folders. These are hidden files, system
   * files, and files that the browser could not read.
   */
  skippedFiles = () => this.#picked;

  dismissSkippedFiles(): void {
    this.#picked = { skipped: [], unreadable: [] };
    this.#notify();
  }

  /** Adds chosen files. `folder` is the folder of the project into which they are uploaded. */
  add({ files, skipped, unreadable }: Picked, folder?: string): void {
    this.#picked = {
      skipped: [...this.#picked.skipped, ...skipped],
      unreadable: [...this.#picked.unreadable, ...unreadable],
    };
    let uploads = this.#uploads;
    for (const picked of files) uploads = this.#addPicked(uploads, picked, folder || undefined);
    this.#set(uploads);
    this.#startNext();
  }

  /**
   * Resumes an interrupted upload if the same file is chosen again, in whichever folder. Ignores a file that is
   * already being uploaded.
   */
  #addPicked(
    uploads: readonly Upload[],
    { file, path }: PickedFile,
    folder: string | undefined,
  ): readonly Upload[] {
    const title = path ?? file.name;
    const isSame = (each: Upload) =>
      uploadTitle(each) === title &&
      each.folder === folder &&
      each.size === file.size &&
      each.file?.lastModified === file.lastModified;
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
      {
        ...{ id: this.#lastId, name, size, file, state: 'waiting', sent: 0 },
        ...(path && { path }),
        ...(folder && { folder }),
      },
    ];
  }

  /**
   * Resolves when no upload is running or waiting. Each file has then been added, has failed, was cancelled,
   * or needs a decision of the user.
   */
  async waitUntilSettled(): Promise<void> {
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
    this.#startNext();
  }

  cancelAll(): void {
    for (const { id, state } of this.#uploads) {
      if (state === 'waiting' || state === 'sending') this.cancel(id);
    }
  }

  /**
   * Retries an upload, or confirms a duplicate. A file that is already stored is only added to the
   * destination.
   */
  retry(id: number): void {
    const upload = this.#uploads.find((each) => each.id === id);
    // An upload that a reload interrupted cannot be retried. The user has to choose the file again.
    if (!upload || upload.state === 'interrupted') return;
    this.#change(id, {
      state: upload.fileId ? 'stored' : 'waiting',
      sent: 0,
      error: undefined,
      isConfirmed: true,
    });
    this.#startNext();
  }

  dismiss(ids: readonly number[]): void {
    this.#set(this.#uploads.filter(({ id, state }) => OPEN.includes(state) || !ids.includes(id)));
  }

  #startNext(): void {
    const sending = this.#uploads.filter(({ state }) => state === 'sending').length;
    const next = this.#uploads.filter(({ state }) => state === 'waiting').slice(0, MAX_CONCURRENT - sending);
    for (const upload of next) void this.#send(upload);
    const isIdle = next.length === 0 && sending === 0;
    const stored = this.#uploads.filter(({ state }) => state === 'stored');
    if (stored.length === 0) return;
    if (isIdle || stored.length >= ADD_BATCH_SIZE) void this.#addStored();
    else this.#addTimer ??= setTimeout(() => void this.#addStored(), ADD_DELAY_MS);
  }

  async #send(upload: Upload): Promise<void> {
    const { id, isConfirmed } = upload;
    const file = upload.file!;
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    this.#change(id, { state: 'sending' });
    try {
      if (!isConfirmed && (await this.#isDuplicate(upload))) {
        this.#change(id, { state: 'duplicate' });
      } else {
        const stored = await this.#sendWithRetries(upload, file, abort.signal);
        this.#change(id, { state: 'stored', sent: file.size, fileId: stored.id });
      }
    } catch (error) {
      if (!abort.signal.aborted) this.#change(id, { state: 'failed', error });
    } finally {
      this.#aborts.delete(id);
      this.#startNext();
    }
  }

  async #isDuplicate(upload: Upload): Promise<boolean> {
    const isBefore = (other: Upload) =>
      other.id < upload.id &&
      uploadTitle(other) === uploadTitle(upload) &&
      other.folder === upload.folder &&
      (OPEN.includes(other.state) || other.state === 'done');
    return this.#uploads.some(isBefore) || (await this.#target.has(upload));
  }

  /** Retries an upload after the delay of `Retry-After`, if the service reports that it is overloaded. */
  async #sendWithRetries(upload: Upload, file: File, signal: AbortSignal) {
    const { id, folder } = upload;
    const path = getProjectPath(upload);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const onProgress = (sent: number) => this.#change(id, { sent });
        return await uploadFile({ file, path, folder }, this.#target.projectId, onProgress, signal);
      } catch (error) {
        const wait = error instanceof ApiError && error.retryable ? error.retryAfter : undefined;
        if (wait === undefined || attempt === MAX_ATTEMPTS) throw error;
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
    this.#startNext();
  }

  #change(id: number, change: Partial<Upload>): void {
    this.#set(this.#uploads.map((each) => (each.id === id ? { ...each, ...change } : each)));
  }

  #set(uploads: readonly Upload[]): void {
    this.#record(this.#uploads, uploads);
    this.#uploads = uploads;
    const isBusy = uploads.some(({ state }) => OPEN.includes(state));
    if (isBusy) addEventListener('beforeunload', this.#confirmLeave);
    else removeEventListener('beforeunload', this.#confirmLeave);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /**
   * Stores the uploads of an unfinished queue for a page reload. Finished uploads are included, so that a
   * count such as "18 of 200" stays the same.
   */
  #record(before: readonly Upload[], after: readonly Upload[]): void {
    const old = new Map(before.map((each) => [each.id, each]));
    const isUnfinished = after.some(({ state }) => UNFINISHED.includes(state));
    for (const { id, name, size, path, folder, fileId, state } of after) {
      const { state: oldState, fileId: oldId } = old.get(id) ?? {};
      if (isUnfinished) old.delete(id);
      if (!isUnfinished || (oldState === state && oldId === fileId)) continue;
      const isDone = state === 'done';
      if (isDone || UNFINISHED.includes(state)) {
        saveRecord(this.#key, {
          ...{ id, name, size },
          ...(path && { path }),
          ...(folder && { folder }),
          ...(fileId && { fileId }),
          ...(isDone && { isDone }),
        });
      } else removeRecord(this.#key, id);
    }
    for (const id of old.keys()) removeRecord(this.#key, id);
  }

  /**
   * Makes the browser ask for confirmation before the user leaves the page. Each queue has its own listener.
   */
  #confirmLeave = (event: BeforeUnloadEvent) => event.preventDefault();
}
