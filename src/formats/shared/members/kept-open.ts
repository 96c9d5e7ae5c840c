import type { OpenDocument } from '#src/formats/shared/open-document.ts';

/** Bytes of the members that stay open at the same time; one that is larger is open alone. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Documents that are opened when they are needed, and closed when others need the room. */
export class KeptOpen<Key, Document extends OpenDocument> {
  readonly #reopen: (key: Key) => Promise<Document>;
  readonly #sizeOf: (key: Key) => number;
  /** The one that was used last comes last. */
  readonly #open = new Map<Key, Document>();
  #bytes = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(reopen: (key: Key) => Promise<Document>, sizeOf: (key: Key) => number) {
    this.#reopen = reopen;
    this.#sizeOf = sizeOf;
  }

  /** One after the other: none is closed while it is used. */
  use<Value>(key: Key, work: (document: Document) => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(async () => work(await this.#get(key)));
    this.#last = turn.catch(() => {});
    return turn;
  }

  close(): void {
    for (const document of this.#open.values()) document.close();
    this.#open.clear();
    this.#bytes = 0;
  }

  async #get(key: Key): Promise<Document> {
    const known = this.#open.get(key);
    this.#open.delete(key);
    const size = this.#sizeOf(key);
    if (!known) this.#makeRoom(size);
    const document = known ?? (await this.#reopen(key));
    if (!known) this.#bytes += size;
    this.#open.set(key, document);
    return document;
  }

  #makeRoom(size: number): void {
    for (const [key, document] of this.#open) {
      if (this.#bytes + size <= MOST_BYTES) return;
      document.close();
      this.#open.delete(key);
      this.#bytes -= this.#sizeOf(key);
    }
  }
}
