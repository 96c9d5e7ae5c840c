/** Tenant and caller that an entry belongs to. A caller is, for example, the hash of an API key. */
export interface TurnKey {
  readonly tenant: string;
  readonly caller: string;
}

/**
 * Waiting entries. Tenants take turns, the callers of a tenant take turns, and the entries of a caller are taken in the
 * order of their arrival.
 */
export class Turns<Entry extends TurnKey> {
  /** Entries by tenant and caller. Whoever was served last is at the end. */
  readonly #tenants = new Map<string, Map<string, Entry[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(entry: Entry): void {
    const { tenant, caller } = entry;
    const callers = this.#tenants.get(tenant) ?? new Map<string, Entry[]>();
    this.#tenants.set(tenant, callers);
    const entries = callers.get(caller);
    if (entries) entries.push(entry);
    else callers.set(caller, [entry]);
    this.#size += 1;
  }

  /** Removes and returns the entry whose turn it is. Returns `undefined` if there is none. */
  take(): Entry | undefined {
    const [tenant, callers] = first(this.#tenants) ?? [];
    if (tenant === undefined || callers === undefined) return undefined;
    const [caller, entries] = first(callers)!;
    const entry = entries[0]!;
    // Both move to the end before the entry is removed, which deletes those that have nothing left.
    callers.delete(caller);
    callers.set(caller, entries);
    this.#tenants.delete(tenant);
    this.#tenants.set(tenant, callers);
    this.remove(entry);
    return entry;
  }

  /** Removes an entry. Returns false if it was not waiting. */
  remove(entry: Entry): boolean {
    const { tenant, caller } = entry;
    const callers = this.#tenants.get(tenant);
    const entries = callers?.get(caller);
    const at = entries?.indexOf(entry) ?? -1;
    if (!callers || !entries || at < 0) return false;
    entries.splice(at, 1);
    if (entries.length === 0) callers.delete(caller);
    if (callers.size === 0) this.#tenants.delete(tenant);
    this.#size -= 1;
    return true;
  }

  /**
   * Returns the newest entry of the caller with the most entries, within the tenant with the most entries. Returns
   * `undefined` if the tenant of `newcomer`, or its caller within the same tenant, would then have more entries than the
   * one that loses an entry.
   */
  findDisplaceable(newcomer: TurnKey): Entry | undefined {
    const largest = findLargest(this.#tenants, count);
    const entries = largest && findLargest(largest[1], ({ length }) => length)?.[1];
    if (!largest || !entries) return undefined;
    const own = this.#tenants.get(newcomer.tenant);
    const difference =
      largest[0] === newcomer.tenant
        ? entries.length - (own?.get(newcomer.caller)?.length ?? 0)
        : count(largest[1]) - (own ? count(own) : 0);
    return difference >= 2 ? entries.at(-1) : undefined;
  }
}

const first = <Value>(map: Map<string, Value>): [string, Value] | undefined => map.entries().next().value;

function count(callers: Map<string, unknown[]>): number {
  let sum = 0;
  for (const { length } of callers.values()) sum += length;
  return sum;
}

function findLargest<Value>(
  map: Map<string, Value>,
  measure: (value: Value) => number,
): [string, Value] | undefined {
  let largest: [string, Value] | undefined;
  for (const entry of map) if (!largest || measure(entry[1]) > measure(largest[1])) largest = entry;
  return largest;
}
