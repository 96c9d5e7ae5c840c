import { ApiError } from '../api/errors.ts';
import { uploadFile } from '../api/upload.ts';

export type UploadState = 'waiting' | 'sending' | 'stored' | 'done' | 'duplicate' | 'failed' | 'cancelled';

export interface Upload {
  id: number;
  file: File;
  state: UploadState;
  /** Bytes that have gone. */
  sent: number;
  error?: unknown;
  /** Of the file that came of it. */
  fileId?: string;
  /** Is sent although another of its name is there. */
  isWanted?: boolean;
}

/** Where files go. */
export interface UploadTarget {
  projectId: string | undefined;
  /** Whether a file of that name is there already. */
  has: (name: string) => Promise<boolean>;
  /** Told of the stored files, many at once; what it does is part of the upload. */
  add: (fileIds: string[]) => Promise<unknown>;
}

const AT_ONCE = 3;
/** So many stored files are added at the latest, so that a long queue is not lost whole. */
const ADDED_AT_ONCE = 200;
const TRIES = 5;
const OPEN: readonly UploadState[] = ['waiting', 'sending', 'stored'];

/**
 * Uploads files three at a time and then adds them. One that fails stays, with its reason, and holds up no other. It
 * lives as long as the page of the browser, not as long as a screen; leaving that page asks first.
 */
export class UploadQueue {
  #target: UploadTarget;
  #uploads: readonly Upload[] = [];
  #listeners = new Set<() => void>();
  #aborts = new Map<number, AbortController>();
  #isAdding = false;
  #lastId = 0;

  constructor(target: UploadTarget) {
    this.#target = target;
  }

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };
  uploads = (): readonly Upload[] => this.#uploads;

  add(files: readonly File[]): void {
    const isSame = (one: File, two: File) =>
      one.name === two.name && one.size === two.size && one.lastModified === two.lastModified;
    const isKnown = (file: File) =>
      this.#uploads.some(({ file: other, state }) => OPEN.includes(state) && isSame(file, other));
    const added = files
      .filter((file) => !isKnown(file))
      .map((file): Upload => ({ id: ++this.#lastId, file, state: 'waiting', sent: 0 }));
    this.#set([...this.#uploads, ...added]);
    this.#go();
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
    this.#change(id, {
      state: upload?.fileId ? 'stored' : 'waiting',
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
    if (stored.length > 0 && (isIdle || stored.length >= ADDED_AT_ONCE)) void this.#addStored(stored);
  }

  async #send({ id, file, isWanted }: Upload): Promise<void> {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    this.#change(id, { state: 'sending' });
    try {
      if (!isWanted && (await this.#isDuplicate(id, file))) {
        this.#change(id, { state: 'duplicate' });
      } else {
        const stored = await this.#sendPatiently(id, file, abort.signal);
        this.#change(id, { state: 'stored', sent: file.size, fileId: stored.id });
      }
    } catch (error) {
      if (!abort.signal.aborted) this.#change(id, { state: 'failed', error });
    } finally {
      this.#aborts.delete(id);
      this.#go();
    }
  }

  async #isDuplicate(id: number, { name }: File): Promise<boolean> {
    const isBefore = ({ id: other, file, state }: Upload) =>
      other < id && file.name === name && (OPEN.includes(state) || state === 'done');
    return this.#uploads.some(isBefore) || (await this.#target.has(name));
  }

  /** Waits and tries again when the service is asked too much. */
  async #sendPatiently(id: number, file: File, signal: AbortSignal) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const onProgress = (sent: number) => this.#change(id, { sent });
        return await uploadFile(file, this.#target.projectId, onProgress, signal);
      } catch (error) {
        const wait = error instanceof ApiError && error.retryable ? error.retryAfter : undefined;
        if (wait === undefined || attempt === TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait * 1000));
        signal.throwIfAborted();
      }
    }
  }

  async #addStored(stored: readonly Upload[]): Promise<void> {
    if (this.#isAdding) return;
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
    this.#uploads = uploads;
    const isBusy = uploads.some(({ state }) => OPEN.includes(state));
    if (isBusy) addEventListener('beforeunload', ask);
    else removeEventListener('beforeunload', ask);
    for (const listener of this.#listeners) listener();
  }
}

/** The browser asks in its own words. */
const ask = (event: BeforeUnloadEvent) => event.preventDefault();
