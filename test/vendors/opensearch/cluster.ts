import { Refused, type VendorRequest } from '../behaviour.ts';
import type { Fields, Source } from './mapping.ts';

export type Product = 'opensearch' | 'elasticsearch';

/** Index in memory. Documents are visible to searches only after a refresh, but look-ups by id find them at once. */
export interface Index {
  name: string;
  fields: Fields;
  dynamic: unknown;
  settings: { index?: Record<string, unknown> };
  aliases: Map<string, unknown>;
  points: Map<string, Source>;
  /** Documents that changed since the last refresh, as searches still see them. `undefined` means no document. */
  unrefreshed: Map<string, Source | undefined>;
}

export const createIndex = (name: string, given: Partial<Index> = {}): Index => ({
  ...{ name, fields: {}, dynamic: 'true', settings: {}, aliases: new Map() },
  ...{ points: new Map(), unrefreshed: new Map(), ...given },
});

/** Index of the samples, which are sent without creating one first. */
export const SAMPLE = 'sample';
const sampleFields = (product: Product): Fields => ({
  document_id: { type: 'keyword' },
  version: { type: 'long' },
  position: { type: 'integer' },
  words: { type: 'text', analyzer: 'whitespace' },
  vector: product === 'opensearch' ? { type: 'knn_vector', dimension: 2 } : { type: 'dense_vector', dims: 2 },
});

export const notFound = (name: string) => new Refused({ status: 404, message: `no such index [${name}]` });

/** Indexes of one test. Settings of the behaviour may contain an index that exists from the start. */
export class Cluster {
  readonly #request: VendorRequest;
  readonly #product: Product;

  constructor(request: VendorRequest, product: Product) {
    this.#request = request;
    this.#product = product;
  }

  /** Returns the index of a name or an alias, or `undefined`. */
  find(name: string): Index | undefined {
    const { memory, settings } = this.#request;
    const given = settings.index as (Partial<Index> & { name: string }) | undefined;
    if (given && !memory.has(given.name) && !memory.has('used')) {
      memory.set(given.name, createIndex(given.name, structuredClone(given)));
      memory.set('used', new Map());
    }
    const byAlias = () => this.#list().find(({ aliases }) => aliases.has(name));
    const found = (name === 'used' ? undefined : (memory.get(name) as Index | undefined)) ?? byAlias();
    const knn = this.#product === 'opensearch' ? { settings: { index: { knn: 'true' } } } : {};
    return (
      found ??
      (name === SAMPLE ? createIndex(SAMPLE, { fields: sampleFields(this.#product), ...knn }) : undefined)
    );
  }

  get(name: string): Index {
    const found = this.find(name);
    if (found) return found;
    throw notFound(name);
  }

  /** Returns the index of a write. A missing index is created, as servers do, unless an alias is required. */
  getForWrite(name: string, mustBeAlias: boolean): Index {
    const found = this.find(name);
    if (mustBeAlias && (!found || found.name === name)) throw notFound(name);
    return found ?? this.add(createIndex(name));
  }

  add(index: Index): Index {
    this.#request.memory.set(index.name, index);
    return index;
  }

  #list(): Index[] {
    return [...this.#request.memory.values()].filter((each): each is Index => !(each instanceof Map));
  }
}

/** Changes a document, which searches see only after a refresh. `source` is `undefined` to delete the document. */
export function change({ points, unrefreshed }: Index, id: string, source: Source | undefined): void {
  if (!unrefreshed.has(id)) unrefreshed.set(id, points.get(id));
  if (source) points.set(id, source);
  else points.delete(id);
}

export const refresh = ({ unrefreshed }: Index): void => unrefreshed.clear();

/** Returns the documents that searches see. */
export function listVisible({ points, unrefreshed }: Index): [string, Source][] {
  const kept = [...points].filter(([id]) => !unrefreshed.has(id));
  const old = [...unrefreshed].flatMap(([id, source]): [string, Source][] => (source ? [[id, source]] : []));
  return [...kept, ...old];
}
