import { z } from 'zod';
import type { Metadata } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type {
  Description,
  FoundPoint,
  PointName,
  SearchScope,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { createDatabase, type OpenDatabase, type Row } from './database.ts';
import { type HnswPlan, planHnsw } from './hnsw.ts';
import { isFilterable, toSqlCondition } from './pre-filter-sql.ts';
import type { PgvectorSettings } from './settings.ts';
import { setUp } from './setup.ts';
import { COLUMNS, decodeId, encodeId, getQualifiedTable, toStorable } from './table.ts';

/** Limits per statement. All points of a statement are sent as one JSON text. */
const LIMITS = { points: 500, bytes: 8_000_000, lookedUp: 1_000 };
const DELETED_AT_ONCE = 5_000;
const LARGEST_CANDIDATES = 10_000;

type Value = string | number;

const columns = Object.keys(COLUMNS);
/** Column definitions for reading table rows from JSON, in which vectors are texts. */
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

/** Stores the points of one index as rows of a table, which several indexes may share. */
export class PgvectorStore implements VectorStore {
  readonly limits = LIMITS;
  readonly isFilterable: VectorStore['isFilterable'] = isFilterable;
  readonly #settings: PgvectorSettings;
  readonly #indexId: string;
  readonly #table: string;
  readonly #openDatabase: OpenDatabase;
  /**
   * Plan of the HNSW index. Undefined if the table has no such index, in which case all vectors are compared.
   */
  readonly #plan: HnswPlan | undefined;
  #ensured: number | undefined;

  constructor(settings: PgvectorSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#table = getQualifiedTable(settings);
    this.#openDatabase = createDatabase(settings, deps);
    const plan = planHnsw(settings);
    this.#plan = plan && 'problem' in plan ? undefined : plan;
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    await setUp(this.#openDatabase, this.#settings, dimension);
    this.#ensured = dimension;
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    if (points.length === 0) return;
    const rows = points.map((point) => toRow(this.#indexId, point));
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
      [this.#indexId, encodeId(documentId), toStorable(title), toMetadataJson(metadata)],
    );
  }

  async remove(removals: Removal[]): Promise<void> {
    const rows = removals.map(({ documentId, version }) => ({ document_id: encodeId(documentId), version }));
    const statement = `delete from ${this.#table} t
      using json_to_recordset($2::text::json) as r(document_id text, version int8)
      where t.sluice_index = $1 and t.document_id = r.document_id and t.version <= r.version`;
    await ignoreNotFound(this.#run(statement, [this.#indexId, JSON.stringify(rows)]));
  }

  async query(vector: Float32Array, topK: number, scope: SearchScope = {}): Promise<FoundPoint[]> {
    // If the search names documents, they are few, so all of their points are compared.
    if (scope.documentIds || !this.#plan) return this.#findExactly(vector, topK, scope);
    const near = await this.#findByIndex(this.#plan, vector, topK, scope);
    // An index scan may end before it has found enough rows, and the index omits zero vectors. All points are
    // then compared.
    return near.length < topK ? this.#findExactly(vector, topK, scope) : near;
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const statement = `select id::text as id from ${this.#table} where sluice_index = $1
      and id in (select value::uuid from json_array_elements_text($2::text::json))`;
    const ids = JSON.stringify(points.map(({ id }) => id));
    const rows = await ignoreNotFound(this.#run(statement, [this.#indexId, ids]));
    return new Set(rows?.map(({ id }) => String(id)));
  }

  async drop(): Promise<void> {
    await ignoreNotFound(this.#removeAll());
  }

  /** Runs one SQL statement. `efSearch` is the number of candidates that an HNSW index considers. */
  #run(statement: string, values: Value[], efSearch?: number): Promise<Row[]> {
    return this.#openDatabase(efSearch).run((ask) => ask(statement, values));
  }

  async #removeAll(): Promise<void> {
    const statement = `with chosen as (select id from ${this.#table} where sluice_index = $1 limit ${DELETED_AT_ONCE})
      delete from ${this.#table} where id in (select id from chosen) returning 1`;
    for (;;) {
      const deleted = await this.#run(statement, [this.#indexId]);
      if (deleted.length < DELETED_AT_ONCE) return;
    }
  }

  /** Compares the vectors of all points in the search, without the HNSW index. */
  async #findExactly(vector: Float32Array, topK: number, scope: SearchScope): Promise<FoundPoint[]> {
    const values: Value[] = [toVectorLiteral(vector), this.#indexId, topK];
    const where = buildScopeCondition(scope, values);
    const efSearch = Math.max(this.#plan?.efSearch ?? 1, countCandidates(topK, this.#plan));
    return parseFoundRows(
      await this.#run(buildNearestQuery(`${this.#table} where ${where}`), values, efSearch),
    );
  }

  /**
   * Takes candidates in the order of the HNSW index, and returns those with the highest cosine similarity.
   */
  async #findByIndex(
    plan: HnswPlan,
    vector: Float32Array,
    topK: number,
    scope: SearchScope,
  ): Promise<FoundPoint[]> {
    const values: Value[] = [toVectorLiteral(vector), this.#indexId, topK];
    const where = buildScopeCondition(scope, values);
    const size = countCandidates(topK, plan);
    const candidates = `(select * from ${this.#table} where ${where}
      order by ${plan.distance('$1::vector')} limit $${values.push(size)}::int) near`;
    return parseFoundRows(
      await this.#run(buildNearestQuery(candidates), values, Math.max(plan.efSearch, size)),
    );
  }
}

/**
 * Returns the SQL condition that limits a search to this index and its filters. Appends the values that the
 * condition references to `values`.
 */
function buildScopeCondition({ documentIds, preFilter }: SearchScope, values: Value[]): string {
  const bind = (value: Value) => `$${values.push(value)}`;
  const conditions = ['sluice_index = $2'];
  if (documentIds) {
    const ids = bind(JSON.stringify(documentIds.map(encodeId)));
    conditions.push(`document_id in (select json_array_elements_text(${ids}::text::json))`);
  }
  if (preFilter) conditions.push(toSqlCondition(preFilter, bind));
  return conditions.join(' and ');
}

/** Returns an SQL statement that selects the points nearest to the vector $1. $3 is their maximum number. */
function buildNearestQuery(from: string): string {
  const score = `coalesce(nullif(1 - (embedding <=> $1::vector), 'NaN'), 0)`;
  return `select document_id, version::float8 as version, position, ${score} as score
    from ${from} order by score desc limit $3::int`;
}

function countCandidates(topK: number, plan: HnswPlan | undefined): number {
  return Math.min(LARGEST_CANDIDATES, Math.max(topK, topK * (plan?.spare ?? 1)));
}

function toRow(indexId: string, { vector, ...point }: VectorPoint): Record<string, unknown> {
  return {
    id: point.id,
    sluice_index: indexId,
    document_id: encodeId(point.documentId),
    version: point.version,
    position: point.position,
    node_id: encodeId(point.nodeId),
    title: toStorable(point.title),
    text: toStorable(point.text),
    metadata: toStorableMetadata(point.metadata),
    pages: point.pages,
    embedding: toVectorLiteral(vector),
  };
}

const toVectorLiteral = (vector: Float32Array): string => `[${vector.join(',')}]`;
const toMetadataJson = (metadata: Metadata): string => JSON.stringify(toStorableMetadata(metadata));

function toStorableMetadata(metadata: Metadata): Metadata {
  const member = <T>(value: T) => (typeof value === 'string' ? toStorable(value) : value);
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      toStorable(key),
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

/** Parses result rows. Rows that Sluice did not write are skipped. */
function parseFoundRows(rows: Row[]): FoundPoint[] {
  return rows.flatMap((row) => {
    const { data } = found.safeParse(row);
    const documentId = data && decodeId(data.document_id);
    if (!data || documentId === undefined) return [];
    const { version, position, score } = data;
    return [{ documentId, version, position, score: Math.max(-1, Math.min(1, score)) }];
  });
}
