import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { buildResultPage, parseBody, Refusal, type Route, result } from './answers.ts';

const nameSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{1,62}$/);

/** Databases, buckets, queues and indexes of an account, as documented in the Cloudflare API. */
export class Stores {
  readonly databases = new Map<string, { uuid: string; name: string; sql: DatabaseSync }>();
  readonly buckets = new Map<string, Set<string>>();
  readonly queues = new Map<string, { name: string; consumers: Map<string, Record<string, unknown>> }>();
  readonly indexes = new Map<string, { dimensions: number; metric: string }>();

  readonly routes: readonly Route[] = [
    [
      'GET',
      'd1/database',
      (call) => {
        const name = call.query.get('name') ?? '';
        return buildResultPage(
          [...this.databases.values()].filter((one) => one.name.includes(name)).map(databaseShown),
          call,
        );
      },
    ],
    [
      'POST',
      'd1/database',
      (call) => {
        const { name } = parseBody(z.strictObject({ name: nameSchema }), call);
        if ([...this.databases.values()].some((one) => one.name === name)) {
          throw new Refusal(400, 7502, `A database with the name '${name}' already exists`);
        }
        const database = { uuid: randomUUID(), name, sql: new DatabaseSync(':memory:') };
        this.databases.set(database.uuid, database);
        return result(databaseShown(database));
      },
    ],
    ['GET', 'd1/database/*', (_, [id]) => result(databaseShown(this.#database(id!)))],
    [
      'POST',
      'd1/database/*/query',
      (call, [id]) => {
        const { sql } = parseBody(z.strictObject({ sql: z.string() }), call);
        return result(runStatements(this.#database(id!).sql, sql));
      },
    ],
    [
      'DELETE',
      'd1/database/*',
      (_, [id]) => {
        this.databases.delete(this.#database(id!).uuid);
        return result(null);
      },
    ],
    ['GET', 'r2/buckets/*', (_, [name]) => result({ name, objects: this.#bucket(name!).size })],
    [
      'POST',
      'r2/buckets',
      (call) => {
        const { name } = parseBody(z.strictObject({ name: nameSchema }), call);
        if (this.buckets.has(name))
          throw new Refusal(409, 10004, 'The bucket you tried to create already exists');
        this.buckets.set(name, new Set());
        return result({ name });
      },
    ],
    [
      'DELETE',
      'r2/buckets/*',
      (_, [name]) => {
        if (this.#bucket(name!).size > 0)
          throw new Refusal(409, 10008, 'The bucket you tried to delete is not empty');
        this.buckets.delete(name!);
        return result({});
      },
    ],
    [
      'GET',
      'r2/buckets/*/objects',
      ({ query }, [name]) => {
        const perPage = Number(query.get('per_page') ?? 20);
        if (!(perPage >= 1 && perPage <= 1000)) throw new Refusal(400, 10002, 'per_page is from 1 to 1000');
        const after = query.get('cursor') ?? '';
        const keys = [...this.#bucket(name!)].toSorted().filter((key) => key > after);
        const shown = keys.slice(0, perPage);
        const more = keys.length > shown.length;
        return {
          result: shown.map((key) => ({ key, size: 1 })),
          result_info: { per_page: perPage, is_truncated: more, ...(more && { cursor: shown.at(-1) }) },
        };
      },
    ],
    [
      'DELETE',
      'r2/buckets/*/objects/**',
      (_, [name, key]) => {
        if (!this.#bucket(name!).delete(key!))
          throw new Refusal(404, 10007, 'The specified key does not exist');
        return result({ key });
      },
    ],
    [
      'GET',
      'queues',
      (call) => {
        const names = call.query.getAll('name');
        const queues = [...this.queues].filter(([, { name }]) => names.length === 0 || names.includes(name));
        return buildResultPage(queues.map(queueShown), call);
      },
    ],
    [
      'POST',
      'queues',
      (call) => {
        const { queue_name: name } = parseBody(z.strictObject({ queue_name: nameSchema }), call);
        if ([...this.queues.values()].some((one) => one.name === name)) {
          throw new Refusal(409, 11009, `Queue name '${name}' is already taken`);
        }
        const id = randomUUID().replaceAll('-', '');
        this.queues.set(id, { name, consumers: new Map() });
        return result({ queue_id: id, queue_name: name });
      },
    ],
    [
      'DELETE',
      'queues/*',
      (_, [id]) => {
        if (this.#queue(id!).consumers.size > 0) throw new Refusal(400, 11005, 'The queue has consumers');
        this.queues.delete(id!);
        return result(null);
      },
    ],
    [
      'GET',
      'queues/*/consumers',
      (call, [id]) => buildResultPage([...this.#queue(id!).consumers.values()], call),
    ],
    [
      'POST',
      'queues/*/consumers',
      (call, [id]) => {
        const consumer = parseBody(consumerSchema, call);
        const { consumers } = this.#queue(id!);
        if (consumers.size > 0) throw new Refusal(400, 11004, 'The queue has a consumer already');
        const consumer_id = randomUUID().replaceAll('-', '');
        consumers.set(consumer_id, { ...consumer, script: consumer.script_name, consumer_id });
        return result(consumers.get(consumer_id));
      },
    ],
    [
      'PUT',
      'queues/*/consumers/*',
      (call, [id, consumer]) => {
        const { consumers } = this.#queue(id!);
        if (!consumers.has(consumer!)) throw new Refusal(404, 11003, 'No such consumer');
        const body = parseBody(consumerSchema, call);
        consumers.set(consumer!, { ...body, script: body.script_name, consumer_id: consumer });
        return result(consumers.get(consumer!));
      },
    ],
    [
      'DELETE',
      'queues/*/consumers/*',
      (_, [id, consumer]) => {
        if (!this.#queue(id!).consumers.delete(consumer!)) throw new Refusal(404, 11003, 'No such consumer');
        return result(null);
      },
    ],
    [
      'GET',
      'vectorize/v2/indexes/*',
      (_, [name]) => {
        const config = this.indexes.get(name!);
        if (!config) throw new Refusal(404, 3000, 'vectorize.not_found');
        return result({ name, config });
      },
    ],
    [
      'POST',
      'vectorize/v2/indexes',
      (call) => {
        const config = z.strictObject({ dimensions: z.int().min(32).max(1536), metric: z.literal('cosine') });
        const body = parseBody(z.strictObject({ name: nameSchema, config }), call);
        if (this.indexes.has(body.name)) throw new Refusal(409, 3002, 'vectorize.index.duplicate_name');
        this.indexes.set(body.name, body.config);
        return result(body);
      },
    ],
    [
      'DELETE',
      'vectorize/v2/indexes/*',
      (_, [name]) => {
        if (!this.indexes.delete(name!)) throw new Refusal(404, 3000, 'vectorize.not_found');
        return result(null);
      },
    ],
  ];

  /** Copies everything that is stored. The copies of the databases are files in the folder. */
  copy(folder: string): Stores {
    const copy = new Stores();
    for (const [id, { uuid, name, sql }] of this.databases) {
      const file = join(folder, `${randomUUID()}.sqlite`);
      sql.exec(`VACUUM INTO '${file}'`);
      copy.databases.set(id, { uuid, name, sql: new DatabaseSync(file) });
    }
    for (const [name, keys] of this.buckets) copy.buckets.set(name, new Set(keys));
    for (const [id, queue] of this.queues) copy.queues.set(id, structuredClone(queue));
    for (const [name, config] of this.indexes) copy.indexes.set(name, { ...config });
    return copy;
  }

  close(): void {
    for (const { sql } of this.databases.values()) sql.close();
  }

  /** Returns a database by id or name. */
  #database(id: string) {
    const database = [...this.databases.values()].find(({ uuid, name }) => uuid === id || name === id);
    if (!database) throw new Refusal(404, 7404, `The database ${id} could not be found`);
    return database;
  }

  #bucket(name: string): Set<string> {
    const bucket = this.buckets.get(name);
    if (!bucket) throw new Refusal(404, 10006, 'The specified bucket does not exist.');
    return bucket;
  }

  #queue(id: string) {
    const queue = this.queues.get(id);
    if (!queue) throw new Refusal(404, 11001, 'The queue does not exist');
    return queue;
  }
}

const consumerSchema = z.strictObject({
  type: z.literal('worker'),
  script_name: z.string(),
  dead_letter_queue: z.string().optional(),
  settings: z.record(z.string(), z.number()),
});

const databaseShown = ({ uuid, name }: { uuid: string; name: string }) => ({
  uuid,
  name,
  version: 'production',
});

function queueShown([id, { name, consumers }]: [string, { name: string; consumers: Map<string, unknown> }]) {
  return { queue_id: id, queue_name: name, consumers: [...consumers.values()] };
}

/** Runs several statements in one transaction and returns an answer for each. */
function runStatements(sql: DatabaseSync, text: string) {
  const meta = { duration: 1 };
  try {
    if (/^\s*SELECT\b/i.test(text)) return [{ success: true, results: sql.prepare(text).all(), meta }];
    sql.exec('BEGIN');
    sql.exec(text);
    sql.exec('COMMIT');
  } catch (cause) {
    if (sql.isTransaction) sql.exec('ROLLBACK');
    throw new Refusal(400, 7500, String(cause instanceof Error ? cause.message : cause));
  }
  return [{ success: true, results: [], meta }];
}
