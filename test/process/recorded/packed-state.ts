import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** Wrangler caches and traces, which are not part of the state. */
const LEFT_OUT = /(^|\/)(cache|observability|tmp)\/|sluice\.sock$|-(wal|shm)$/;

/** Columns with times in milliseconds since 1970. */
const TIME = /(At|Until|deadline|notBefore)$/;

/**
 * Packs a state folder after the service has stopped. Databases are compacted. All files are in one
 * compressed stream, because databases of one class share most pages. A JSON line describes the files.
 */
export function packState(folder: string): Buffer {
  const names = globSync('**/*', { cwd: folder }).filter(
    (name) => !LEFT_OUT.test(name) && statSync(join(folder, name)).isFile(),
  );
  for (const name of names.filter((each) => each.endsWith('.sqlite'))) makeWhole(join(folder, name));
  const files = names.toSorted().map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
  const index = files.map(({ name, bytes }) => [name, bytes.length]);
  const whole = Buffer.concat([
    Buffer.from(`${JSON.stringify(index)}\n`),
    ...files.map(({ bytes }) => bytes),
  ]);
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: whole.length,
  };
  return brotliCompressSync(whole, { params });
}

/** Merges the write-ahead log of a killed process into its database. */
function makeWhole(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.exec('VACUUM');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Unpacks a state folder and shifts stored times from `recordedAt` to the present. */
export function unpackState(packed: Buffer, folder: string, recordedAt: number): void {
  const whole = brotliDecompressSync(packed);
  const start = whole.indexOf('\n') + 1;
  let at = start;
  for (const [name, length] of JSON.parse(whole.subarray(0, start).toString()) as [string, number][]) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, whole.subarray(at, at + length));
    at += length;
  }
  for (const name of globSync('v3/do/*/*.sqlite', { cwd: folder })) {
    moveTimes(join(folder, name), Date.now() - recordedAt);
  }
}

/** Shifts times, because work that nobody claimed for a day is given up. */
function moveTimes(file: string, by: number): void {
  const database = new DatabaseSync(file);
  const columns = database
    .prepare(
      `select t.name as "table", c.name as "column" from sqlite_master t, pragma_table_info(t.name) c
       where t.type = 'table' and t.name not like '%\\_cf\\_%' escape '\\'`,
    )
    .all()
    .map(({ table, column }) => [String(table), String(column)] as const)
    .filter(([, column]) => TIME.test(column));
  for (const [table, column] of columns) {
    // A value of 0 means that the event has not happened.
    database.prepare(`update "${table}" set "${column}" = "${column}" + ? where "${column}" > 1`).run(by);
  }
  database.close();
}

/** Returns the number of schema upgrades by Durable Object class. */
export function upgradesIn(folder: string): Record<string, number> {
  const upgrades: Record<string, number> = {};
  for (const name of globSync('v3/do/*/*.sqlite', { cwd: folder })) {
    const database = new DatabaseSync(join(folder, name));
    const counts = database.prepare("select 1 from sqlite_master where name = 'upgrade'").all().length > 0;
    if (counts) {
      const { n } = database.prepare('select count(*) as n from upgrade').get()!;
      const className = basename(dirname(name)).replace(/^.*-/, '');
      upgrades[className] = Math.max(upgrades[className] ?? 0, Number(n));
    }
    database.close();
  }
  return upgrades;
}
