import { env } from 'cloudflare:workers';
import { PATIENCE_MS } from '#test/support/patience.ts';

// Reads database rows, to compare what belongs to others before and after a request.

type Row = Record<string, unknown>;

/** Tables whose rows are removed automatically after a while. */
const NOT_COMPARED = new Set(['chat_streams']);

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Tables with the statements that created them. */
let tables: { name: string; sql: string }[] | undefined;

async function listTables(): Promise<{ name: string; sql: string }[]> {
  if (tables) return tables;
  const query = "select name, sql from sqlite_master where type = 'table'";
  const { results } = await env.DB.prepare(query).all<{ name: string; sql: string }>();
  tables = results.filter(({ name }) => !/^_cf_|^sqlite_|^d1_/.test(name) && !NOT_COMPARED.has(name));
  return tables;
}

/** Returns the rows of all tables with the column whose value in it is the given one. */
async function readRows(column: Parent, value: string): Promise<[string, Row[]][]> {
  const names = (await listTables()).flatMap(({ name, sql }) =>
    sql.includes(`\`${column}\``) ? [name] : [],
  );
  const query = (name: string) => env.DB.prepare(`select * from "${name}" where "${column}" = ?`).bind(value);
  const results = await env.DB.batch<Row>(names.map(query));
  return names.map((name, index) => [name, results[index]!.results]);
}

/** Whether the lines name one of the ids. Most lines are the same at every call, and searching them takes long. */
let known = { ids: '', lines: new Map<string, boolean>() };

/** Lists every row and every object of the bucket that names one of the ids, in a fixed order. */
export async function listStored(ids: Iterable<string>): Promise<string[]> {
  const all = new Set([...ids].flatMap((id) => id.match(UUID) ?? []));
  const key = [...all].join();
  if (known.ids !== key) known = { ids: key, lines: new Map() };
  const isNamedIn = (line: string) => {
    const isNamed = known.lines.get(line) ?? line.match(UUID)?.some((id) => all.has(id)) ?? false;
    known.lines.set(line, isNamed);
    return isNamed;
  };
  const [rows, objects] = await Promise.all([listRows(), listObjects()]);
  return [...rows, ...objects].filter(isNamedIn).sort();
}

/** Lists the rows of all tables. They are read in one batch, because each request to the database takes long. */
async function listRows(): Promise<string[]> {
  const names = (await listTables()).map(({ name }) => name);
  const contents = await env.DB.batch<Row>(names.map((name) => env.DB.prepare(`select * from "${name}"`)));
  return contents.flatMap(({ results }, index) =>
    results.map((row) => `${names[index]} ${JSON.stringify(row)}`),
  );
}

async function listObjects(): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await env.FILES.list({ ...(cursor !== undefined && { cursor }) });
    found.push(...page.objects.map(({ key, etag }) => `object ${key} ${etag}`));
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return found;
}

/** Number of equal lists in a row after which nothing in the background changes the rows any more. */
const QUIET_LISTS = 4;
const LIST_EVERY_MS = 150;

/**
 * Waits until no work on these rows is unfinished and nothing in the background changes them any more. Returns the
 * rows.
 */
export async function listSettled(ids: Iterable<string>): Promise<string[]> {
  const all = [...ids];
  let before = await listStored(all);
  let quiet = 0;
  for (let waited = 0; waited < PATIENCE_MS; waited += LIST_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, LIST_EVERY_MS));
    const now = await listStored(all);
    const isQuiet = JSON.stringify(now) === JSON.stringify(before) && !now.some(isUnderWay);
    quiet = isQuiet ? quiet + 1 : 0;
    before = now;
    if (quiet === QUIET_LISTS) return now;
  }
  throw new Error(`the rows kept changing: ${before.filter(isUnderWay).join('\n')}`);
}

const isUnderWay = (line: string) =>
  /^(sync_runs|\w+_jobs|webhook_deliveries) .*"status":"(IN_PROGRESS|PENDING|RUNNING|pending)"/.test(line);

/** Column values that bulk operations on a pipeline's files would clear or set. */
const FAILED_MEMBER = { status: 'ERROR', failed_fingerprint: 'failed', table_metadata: '{"shelf":"c"}' };

/** Columns that name the parent of a row. */
export type Parent = 'pipeline_id' | 'organization_id';

/**
 * Copies the parts of one owner to another: files, documents and data sources, or members. Operations on the
 * first owner's parts must not affect the copies.
 */
export async function copyParts(column: Parent, from: string, to: string, userId?: string): Promise<void> {
  for (const [table, rows] of await readRows(column, from)) {
    // A copied run would never end.
    if (table === 'sync_runs') continue;
    if (column === 'organization_id' && table !== 'members' && table !== 'api_keys') continue;
    const isPart = (row: Row) => !userId || row.user_id === userId;
    for (const row of rows.filter(isPart)) {
      const copy: Row = { ...row, [column]: to };
      if ('id' in copy) copy.id = crypto.randomUUID();
      if (table === 'pipeline_members') Object.assign(copy, FAILED_MEMBER);
      if ('hash' in copy) copy.hash = crypto.randomUUID();
      if ('email' in copy) copy.email = null;
      if ('project_id' in copy && column === 'organization_id') copy.project_id = null;
      const names = Object.keys(copy);
      const places = names.map(() => '?').join(', ');
      const insert = `insert or ignore into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) values (${places})`;
      await env.DB.prepare(insert)
        .bind(...Object.values(copy))
        .run();
    }
  }
}
