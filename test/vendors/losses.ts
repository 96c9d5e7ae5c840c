/** Ways in which a vector store can lose data. */
export const LOSSES = ['dropped', 'truncated', 'halved', 'older'] as const;
export type Loss = (typeof LOSSES)[number];
/** `remember` saves the current data. The loss `older` restores that data, like an old backup. */
export type LossOrder = Loss | 'remember';

type Points = Map<string, unknown>;

/** Store whose collections can lose data. Each collection is or contains a map of points. */
export class LossyStore {
  readonly #collections: Map<string, unknown>;
  #backup = new Map<string, [string, unknown][]>();

  constructor(collections: Map<string, unknown>) {
    this.#collections = collections;
  }

  obey(order: LossOrder): void {
    if (order === 'dropped') this.#collections.clear();
    for (const [name, collection] of this.#collections) {
      const points = getPoints(collection);
      if (order === 'remember') this.#backup.set(name, [...points]);
      if (order === 'truncated') points.clear();
      if (order === 'halved') {
        for (const id of [...points.keys()].filter((_, at) => at % 2 === 0)) points.delete(id);
      }
      if (order === 'older') {
        points.clear();
        for (const [id, point] of this.#backup.get(name) ?? []) points.set(id, point);
      }
    }
  }
}

function getPoints(collection: unknown): Points {
  if (collection instanceof Map) return collection;
  const { points, documents, entities } = collection as Record<string, Points | undefined>;
  return (points ?? documents ?? entities)!;
}
