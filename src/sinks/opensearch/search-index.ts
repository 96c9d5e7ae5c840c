import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { SearchClient } from './client.ts';
import { type Engine, VECTOR } from './engine.ts';
import type { Fields } from './fields.ts';
import { acknowledged, type IndexState, indexStates } from './wire.ts';

/**
 * Returns the index, or `undefined` if it does not exist. Rejects if the name is an alias, because documents are
 * written to one index only.
 */
export async function findIndex(client: SearchClient): Promise<IndexState | undefined> {
  const { name } = client;
  const states = await ignoreNotFound(client.ask({ method: 'GET', path: '' }, indexStates));
  if (!states) return undefined;
  if (Object.hasOwn(states, name)) return states[name];
  const { product } = await client.getEngine();
  const message = `${product}: ${name} (index_name) is an alias or a data stream. Set index_name to the name of an index.`;
  throw new SinkError(message, { retryable: false, status: 400 });
}

/**
 * Describes why an index cannot hold the documents. Missing fields are no reason, because they can be added. Without
 * `dimension`, vectors of any size are accepted. Returns `undefined` if the index fits.
 */
export function describeMismatch(
  name: string,
  index: IndexState,
  {
    engine,
    fields: wantedFields,
    dimension,
  }: { engine: Engine; fields: Fields; dimension?: number | undefined },
): string | undefined {
  const named = `The index ${name} (index_name)`;
  const advice = 'Set index_name to another index or to a new name';
  const fields = index.mappings?.properties ?? {};
  const wanted = { ...wantedFields, [VECTOR]: engine.mapVector(dimension ?? 1) };
  for (const [field, { type, index: isIndexed, doc_values, analyzer }] of Object.entries(wanted)) {
    const existing = fields[field];
    if (!existing) continue;
    const found = existing.type ?? 'object';
    if (found !== type)
      return `${named} has a field ${field} of type ${found} instead of ${type}. ${advice}.`;
    const isStored = existing.index === false && existing.doc_values === false;
    if (isIndexed === false && doc_values === false && !isStored) {
      return `${named} limits the length of the field ${field}, because it is searchable. ${advice}.`;
    }
    if (isIndexed === undefined && existing.index === false) {
      return `${named} has a field ${field} that cannot be searched. ${advice}.`;
    }
    if (analyzer !== undefined && existing.analyzer !== analyzer) {
      const other = existing.analyzer ?? 'standard';
      return `${named} has a field ${field} with the analyzer ${other} instead of ${analyzer}. ${advice}.`;
    }
  }
  const vector = fields[VECTOR];
  const problem = engine.describeVectorProblem(vector ?? engine.mapVector(1), index);
  if (problem) return `${named} ${problem}. ${advice}.`;
  const held = vector && engine.getDimension(vector);
  if (dimension !== undefined && vector && held !== dimension) {
    return `${named} holds vectors of ${held} dimensions, but the embedding model returns ${dimension}. Change index_name or embedding_config.`;
  }
  return undefined;
}

/**
 * Creates the index, or adds the fields and the alias that it lacks. Rejects if an existing index cannot hold the
 * vectors.
 */
export async function ensureIndex(
  client: SearchClient,
  { alias, fields, dimension }: { alias: string; fields: Fields; dimension: number },
): Promise<void> {
  const engine = await client.getEngine();
  const properties = { ...fields, [VECTOR]: engine.mapVector(dimension) };
  let existing = await findIndex(client);
  if (!existing) {
    await createIndex(client, {
      ...(engine.settings && { settings: engine.settings }),
      // Members that Sluice does not know are stored and create no fields.
      mappings: { dynamic: 'false', properties },
      aliases: { [alias]: {} },
    });
    existing = await findIndex(client);
  }
  const problem = existing
    ? describeMismatch(client.name, existing, { engine, fields, dimension })
    : `The index ${client.name} was deleted while it was being created.`;
  if (problem) throw new SinkError(`${engine.product}: ${problem}`, { retryable: !existing });
  const missing = Object.entries(properties).filter(([field]) => !existing!.mappings?.properties?.[field]);
  if (missing.length > 0) {
    await change(client, { path: '/_mapping', body: { properties: Object.fromEntries(missing) } });
  }
  if (!Object.hasOwn(existing!.aliases ?? {}, alias)) await change(client, { path: `/_alias/${alias}` });
}

async function createIndex(client: SearchClient, body: object): Promise<void> {
  try {
    await change(client, { path: '', body });
  } catch (error) {
    // Another worker may have created the index at the same moment, so check whether it exists.
    if (!(error instanceof Upstream && error.status === 400) || !(await findIndex(client))) throw error;
  }
}

/** Changes the index. Rejects with a retryable error if not all nodes have confirmed the change in time. */
async function change(client: SearchClient, request: { path: string; body?: object }): Promise<void> {
  const { acknowledged: isDone } = await client.ask({ method: 'PUT', ...request }, acknowledged);
  if (isDone) return;
  const { product } = await client.getEngine();
  throw new SinkError(`${product} did not confirm a change of the index in time.`, { retryable: true });
}
