import { z } from 'zod';
import type { Metadata } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { unlessAbsent } from '#src/sinks/external/store-http.ts';
import type {
  Among,
  Description,
  FoundPoint,
  PointName,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { databaseOf, type Row, type Runs } from './database.ts';
import { type HnswPlan, hnswPlan } from './hnsw.ts';
import { isFilterable, narrowingSql } from './narrowing-sql.ts';
import type { PgvectorSettings } from './settings.ts';
import { setUp } from './setup.ts';
import { COLUMNS, idOf, storable, tableOf, textOfId } from './table.ts';

/** Of one statement: its values come as one text, which the server reads whole. */
const LIMITS = { points: 500, bytes: 8_000_000, lookedUp: 1_000 };
/** Points that one statement of `drop` deletes. */
const DELETED_AT_ONCE = 5_000;
const LARGEST_CANDIDATES = 10_000;

type Value = string | number;

const columns = Object.keys(COLUMNS);
/** As they come in JSON; a vector is a text there. */
const RECORD = Object.entries(COLUMNS)
  .map(([name, type]) => `${name} ${type === 'vector' ? 'text' : type}`)
  .join(', ');
const SELECTED = columns
  .map((name) => (name === 'embedding' ? 'r.embedding::vector' : `r.${name}`))
  .join(', ');
const UPDATED = columns
  .filter((name) => name !== 'id')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

/** The points of an index among those of a table. */
export class PgvectorStore implements VectorStore {
  readonly limits = LIMITS;
  readonly isFilterable: VectorStore['isFilterable'] = isFilterable;
  readonly #settings: PgvectorSettings;
  readonly #indexId: string;
  readonly #table: string;
  readonly #runs: Runs;
  /** Undefined: the table has no HNSW index, and every query is exact. */
  readonly #plan: HnswPlan | undefined;
  #ensured: number | undefined;

  constructor(settings: PgvectorSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#table = tableOf(settings);
    this.#runs = databaseOf(settings, deps);
    const plan = hnswPlan(settings);
    this.#plan = plan && 'problem' in plan ? undefined : plan;
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    await setUp(this.#runs, this.#settings, dimension);
    this.#ensured = dimension;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    if (points.length === 0) return;
    const rows = points.map((point) => rowOf(this.#indexId, point));
    await this.#run(
      `insert into ${this.#table} (${columns.join(', ')})
      select ${SELECTED} from json_to_recordset($1::text::json) as r(${RECORD})
      on conflict (id) do update set ${UPDATED}`,
      [JSON.stringify(rows)],
    );
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    await this.#run(
      `update ${this.#table} set title = $3, metadata = $4::text::jsonb where sluice_index = $1 and document_id = $2`,
      [this.#indexId, idOf(documentId), storable(title), jsonOf(metadata)],
    );
  }

  async remove(removals: Removal[]): Promise<void> {
    const rows = removals.map(({ documentId, version }) => ({ document_id: idOf(documentId), version }));
    const statement = `delete from ${this.#table} t
      using json_to_recordset($2::text::json) as r(document_id text, version int8)
      where t.sluice_index = $1 and t.document_id = r.document_id and t.version <= r.version`;
    // A table that is not there (yet, or any more) holds nothing to delete.
    await unlessAbsent(this.#run(statement, [this.#indexId, JSON.stringify(rows)]));
  }

  async query(vector: Float32Array, topK: number, among: Among = {}): Promise<FoundPoint[]> {
    // Named documents are few: all of their points are compared.
    if (among.documentIds || !this.#plan) return this.#findExactly(vector, topK, among);
    const near = await this.#findByIndex(this.#plan, vector, topK, among);
    // The index gives up at some point, and lacks vectors without a direction.
    return near.length < topK ? this.#findExactly(vector, topK, among) : near;
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const statement = `select id::text as id from ${this.#table} where sluice_index = $1
      and id in (select value::uuid from json_array_elements_text($2::text::json))`;
    const ids = JSON.stringify(points.map(({ id }) => id));
    const rows = await unlessAbsent(this.#run(statement, [this.#indexId, ids]));
    return new Set(rows?.map(({ id }) => String(id)));
  }

  async drop(): Promise<void> {
    await unlessAbsent(this.#removeAll());
  }

  /** Runs one statement. `efSearch`: as for `Runs`. */
  #run(statement: string, values: Value[], efSearch?: number): Promise<Row[]> {
    return this.#runs(efSearch).run((ask) => ask(statement, values));
  }

  async #removeAll(): Promise<void> {
    const statement = `with chosen as (select id from ${this.#table} where sluice_index = $1 limit ${DELETED_AT_ONCE})
      delete from ${this.#table} where id in (select id from chosen) returning 1`;
    for (;;) {
      const deleted = await this.#run(statement, [this.#indexId]);
      if (deleted.length < DELETED_AT_ONCE) return;
    }
  }

  /** Compares all points by the score itself, which no index of the database orders by. */
  async #findExactly(vector: Float32Array, topK: number, among: Among): Promise<FoundPoint[]> {
    const values: Value[] = [textOf(vector), this.#indexId, topK];
    const where = conditionsFor(among, values);
    const efSearch = Math.max(this.#plan?.efSearch ?? 1, candidateCount(topK, this.#plan));
    return foundIn(await this.#run(nearestFirst(`${this.#table} where ${where}`), values, efSearch));
  }

  /** Takes candidates by the order of the HNSW index, and the best of them by their score. */
  async #findByIndex(
    plan: HnswPlan,
    vector: Float32Array,
    topK: number,
    among: Among,
  ): Promise<FoundPoint[]> {
    const values: Value[] = [textOf(vector), this.#indexId, topK];
    const where = conditionsFor(among, values);
    const size = candidateCount(topK, plan);
    const candidates = `(select * from ${this.#table} where ${where}
      order by ${plan.distance('$1::vector')} limit $${values.push(size)}::int) near`;
    return foundIn(await this.#run(nearestFirst(candidates), values, Math.max(plan.efSearch, size)));
  }
}

/** Returns the SQL condition of a query on one index, and appends the values that it names to `values`. */
function conditionsFor({ documentIds, narrowing }: Among, values: Value[]): string {
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = ['sluice_index = $2'];
  if (documentIds) {
    const ids = bind(JSON.stringify(documentIds.map(idOf)));
    conditions.push(`document_id in (select json_array_elements_text(${ids}::text::json))`);
  }
  if (narrowing) conditions.push(narrowingSql(narrowing, bind));
  return conditions.join(' and ');
}

/** Returns a statement that selects the $3 points with the best score for the vector $1. */
function nearestFirst(from: string): string {
  const score = `coalesce(nullif(1 - (embedding <=> $1::vector), 'NaN'), 0)`;
  return `select document_id, version::float8 as version, position, ${score} as score
    from ${from} order by score desc limit $3::int`;
}

function candidateCount(topK: number, plan: HnswPlan | undefined): number {
  return Math.min(LARGEST_CANDIDATES, Math.max(topK, topK * (plan?.spare ?? 1)));
}

function rowOf(indexId: string, { vector, ...point }: VectorPoint): Record<string, unknown> {
  return {
    id: point.id,
    sluice_index: indexId,
    document_id: idOf(point.documentId),
    version: point.version,
    position: point.position,
    node_id: idOf(point.nodeId),
    title: storable(point.title),
    text: storable(point.text),
    metadata: storableMetadata(point.metadata),
    pages: point.pages,
    embedding: textOf(vector),
  };
}

const textOf = (vector: Float32Array): string => `[${vector.join(',')}]`;
const jsonOf = (metadata: Metadata): string => JSON.stringify(storableMetadata(metadata));

function storableMetadata(metadata: Metadata): Metadata {
  const member = <T>(value: T) => (typeof value === 'string' ? storable(value) : value);
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      storable(key),
      Array.isArray(value) ? value.map(member) : member(value),
    ]),
  );
}

const found = z.object({
  document_id: z.string(),
  version: z.number(),
  position: z.number(),
  score: z.number(),
});

/** Rows of somebody else, whatever they look like, are none of ours. */
function foundIn(rows: Row[]): FoundPoint[] {
  return rows.flatMap((row) => {
    const { data } = found.safeParse(row);
    const documentId = data && textOfId(data.document_id);
    if (!data || documentId === undefined) return [];
    const { version, position, score } = data;
    return [{ documentId, version, position, score: Math.max(-1, Math.min(1, score)) }];
  });
}
