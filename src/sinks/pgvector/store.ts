import { z } from 'zod';
import type { Metadata } from '#src/ports/index-types.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { unlessAbsent } from '#src/sinks/external/store-http.ts';
import type { Among, FoundPoint, VectorPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { databaseOf, type Row } from './database.ts';
import { hnswPlan } from './hnsw.ts';
import { isFilterable, narrowingSql } from './narrowing-sql.ts';
import type { PgvectorSettings } from './settings.ts';
import { setUp } from './setup.ts';
import { COLUMNS, idOf, storable, tableOf, textOfId } from './table.ts';

/** Of one statement: its values come as one text, which the server reads whole. */
const LIMITS = { points: 500, bytes: 8_000_000, lookedUp: 1_000 };
/** Points that one statement of `drop` deletes. */
const DELETED_AT_ONCE = 5_000;
const LARGEST_CANDIDATES = 10_000;

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
export function pgvectorStore(settings: PgvectorSettings, deps: SinkDeps & { indexId: string }): VectorStore {
  const { indexId } = deps;
  const table = tableOf(settings);
  const runs = databaseOf(settings, deps);
  const planned = hnswPlan(settings);
  const plan = planned && 'problem' in planned ? undefined : planned;
  let ensured: number | undefined;

  /** `exact`: by the score itself, which no index gives an order of. */
  const find = async (
    vector: Float32Array,
    topK: number,
    among: Among,
    exact: boolean,
  ): Promise<FoundPoint[]> => {
    const values: (string | number)[] = [textOf(vector), indexId, topK];
    const bind = (value: string | number) => `$${values.push(value)}`;
    const conditions = ['sluice_index = $2'];
    if (among.documentIds) {
      const ids = bind(JSON.stringify(among.documentIds.map(idOf)));
      conditions.push(`document_id in (select json_array_elements_text(${ids}::text::json))`);
    }
    if (among.narrowing) conditions.push(narrowingSql(among.narrowing, bind));
    const score = `coalesce(nullif(1 - (embedding <=> $1::vector), 'NaN'), 0)`;
    const where = conditions.join(' and ');
    const size = Math.min(LARGEST_CANDIDATES, Math.max(topK, topK * (plan?.spare ?? 1)));
    const from =
      exact || !plan
        ? `${table} where ${where}`
        : `(select * from ${table} where ${where} order by ${plan.distance('$1::vector')} limit ${bind(size)}::int) near`;
    const statement = `select document_id, version::float8 as version, position, ${score} as score
      from ${from} order by score desc limit $3::int`;
    const efSearch = Math.max(plan?.efSearch ?? 1, size);
    return foundIn(await runs(efSearch).run((ask) => ask(statement, values)));
  };

  return {
    limits: LIMITS,
    async ensure(dimension) {
      if (ensured === dimension) return;
      await setUp(runs, settings, dimension);
      ensured = dimension;
    },
    async upsert(points) {
      if (points.length === 0) return;
      const rows = JSON.stringify(points.map((point) => rowOf(indexId, point)));
      await runs().run((ask) =>
        ask(
          `insert into ${table} (${columns.join(', ')})
          select ${SELECTED} from json_to_recordset($1::text::json) as r(${RECORD})
          on conflict (id) do update set ${UPDATED}`,
          [rows],
        ),
      );
    },
    async describe({ documentId, title, metadata }) {
      await runs().run((ask) =>
        ask(
          `update ${table} set title = $3, metadata = $4::text::jsonb where sluice_index = $1 and document_id = $2`,
          [indexId, idOf(documentId), storable(title), jsonOf(metadata)],
        ),
      );
    },
    async remove(removals) {
      const rows = removals.map(({ documentId, version }) => ({ document_id: idOf(documentId), version }));
      // A table that is not there (yet, or any more) holds nothing to delete.
      await unlessAbsent(
        runs().run((ask) =>
          ask(
            `delete from ${table} t using json_to_recordset($2::text::json) as r(document_id text, version int8)
            where t.sluice_index = $1 and t.document_id = r.document_id and t.version <= r.version`,
            [indexId, JSON.stringify(rows)],
          ),
        ),
      );
    },
    isFilterable,
    async query(vector, topK, among = {}) {
      // Named documents are few: all of their points are compared.
      if (among.documentIds || !plan) return find(vector, topK, among, true);
      const near = await find(vector, topK, among, false);
      // The index gives up at some point, and lacks vectors without a direction.
      return near.length < topK ? find(vector, topK, among, true) : near;
    },
    async lookUp(points) {
      const statement = `select id::text as id from ${table} where sluice_index = $1
        and id in (select value::uuid from json_array_elements_text($2::text::json))`;
      const ids = JSON.stringify(points.map(({ id }) => id));
      const rows = await unlessAbsent(runs().run((ask) => ask(statement, [indexId, ids])));
      return new Set(rows?.map(({ id }) => String(id)));
    },
    async drop() {
      const statement = `with chosen as (select id from ${table} where sluice_index = $1 limit ${DELETED_AT_ONCE})
        delete from ${table} where id in (select id from chosen) returning 1`;
      const work = async () => {
        for (;;) {
          const deleted = await runs().run((ask) => ask(statement, [indexId]));
          if (deleted.length < DELETED_AT_ONCE) return;
        }
      };
      await unlessAbsent(work());
    },
  };
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
