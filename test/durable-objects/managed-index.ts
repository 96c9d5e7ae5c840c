import { createLogger } from '#src/lib/log.ts';
import type { Sink } from '#src/ports/sink.ts';
import managed from '#src/sinks/managed/managed.ts';
import type { IndexedVersion, Range, ShardDirectory } from '#src/sinks/managed/shard-directory.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import { openTestLedger } from '#test/support/version-ledger.ts';
import { objects } from './shard.ts';

/** Keeps in memory what the service stores in its database. */
export class Directory implements ShardDirectory {
  count = 1;
  open = 0;
  readonly ranges = new Map<string, Range>();
  async refresh() {}
  async assign(documentIds: string[]) {
    return documentIds.map((documentId) => {
      const range = this.ranges.get(documentId) ?? { first: this.open, last: this.open };
      this.ranges.set(documentId, range);
      return range;
    });
  }
  async findRange(documentId: string) {
    return this.ranges.get(documentId);
  }
  async extend(documentId: string, last: number) {
    this.count = Math.max(this.count, last + 1);
    this.ranges.set(documentId, { ...this.ranges.get(documentId)!, last });
  }
  async replaceOpen(full: number, next: number) {
    if (this.open !== full) return;
    this.open = next;
    this.count = Math.max(this.count, next + 1);
  }
  async sampleIndexed(): Promise<IndexedVersion[]> {
    return [];
  }
}

export const managedDeps = {
  fetch: (input: RequestInfo | URL, init?: RequestInit) => fetch(input, init),
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 30 },
  objects,
};

/** Opens the managed index as the service does, with Durable Objects of the test runtime. */
export function openManaged(indexId: string, directory: ShardDirectory): Sink {
  const deps = { ...managedDeps, indexId, directory, ledger: openTestLedger(indexId) };
  return openDriver(managed, managed.settings.parse({}), deps);
}
