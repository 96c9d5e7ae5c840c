import type { Item } from './columns.ts';

/** Reviews of a file that this page has saved, without a change by others in between. */
interface OwnChanges {
  /** Revision that the first of the changes was based on. */
  from: number;
  latest: Item;
}

/**
 * Saves changes of reviews, one at a time for each file. A change that was made before an earlier change was
 * saved is based on the result of the earlier one, so that the service accepts its revision.
 */
export class ChangeQueue {
  readonly #own = new Map<string, OwnChanges>();
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Calls `save` with the newest known version of the file. `save` returns the file with the saved review. */
  run(item: Item, save: (newest: Item) => Promise<Item>): Promise<void> {
    const id = item.job_id;
    const saved = (this.#ends.get(id) ?? Promise.resolve()).then(async () => {
      const own = this.#own.get(id);
      const isKnown = own && own.from <= item.review_revision;
      const newest = isKnown && item.review_revision <= own.latest.review_revision ? own.latest : item;
      const latest = await save(newest);
      this.#own.set(id, { from: newest === item ? item.review_revision : own!.from, latest });
    });
    const end = saved.catch(() => {});
    this.#ends.set(id, end);
    void end.then(() => {
      if (this.#ends.get(id) === end) this.#ends.delete(id);
    });
    return saved;
  }
}
