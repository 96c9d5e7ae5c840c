import { normOf } from '#src/search/vectors.ts';
import type { Point } from './vectorize.ts';

/** Consecutive chunks of a version that one push carries. */
type Slice = {
  version_key: number;
  first: number;
  last: number;
};

/** Of versions that never count as copied. */
const NO_PUSH = 0;

/** The tables of a copy, which only shards with a Vectorize index have. */
export function createMirrorTables(sql: SqlStorage): void {
  // What Vectorize has been sent, or is about to be: positions of a version, each in one push.
  sql.exec(
    `CREATE TABLE IF NOT EXISTS mirrored (
       version_key INTEGER NOT NULL,
       first INTEGER NOT NULL,
       last INTEGER NOT NULL,
       push INTEGER NOT NULL,
       PRIMARY KEY (version_key, first)
     ) WITHOUT ROWID`,
  );
  sql.exec('CREATE INDEX IF NOT EXISTS mirrored_by_push ON mirrored (push)');
  // Pushes that Vectorize has not shown yet. Without a time: to be sent.
  sql.exec('CREATE TABLE IF NOT EXISTS push (number INTEGER PRIMARY KEY AUTOINCREMENT, sent_at INTEGER)');
}

/**
 * The shard's name in Vectorize. Never used again by another shard, nor by this one after it was emptied: whatever is
 * left there under a name is nobody's.
 */
export function mirrorName(sql: SqlStorage): string {
  const known = sql.exec<{ value: string }>(`SELECT value FROM setting WHERE name = 'mirror'`).toArray()[0];
  if (known) return known.value;
  const name = crypto.randomUUID().replaceAll('-', '');
  sql.exec(`INSERT INTO setting (name, value) VALUES ('mirror', ?)`, name);
  return name;
}

/** The keys of the versions that Vectorize was seen to show whole. */
export function coveredVersions(sql: SqlStorage): Set<number> {
  const { keys } = sql
    .exec<{ keys: string }>(
      `SELECT json_group_array(version_key) AS keys FROM (
         SELECT version_key FROM mirrored GROUP BY version_key
         HAVING min(push) > ${NO_PUSH} AND max(push IN (SELECT number FROM push)) = 0)`,
    )
    .one();
  return new Set(JSON.parse(keys) as number[]);
}

/** At most so many points that Vectorize was seen to show: one of the oldest, and others at random. */
export function coveredSample(sql: SqlStorage, limit: number): Point[] {
  const covered = `SELECT m.* FROM mirrored m JOIN version v ON v.key = m.version_key
    WHERE m.push > ${NO_PUSH} AND m.push NOT IN (SELECT number FROM push)`;
  const rows = sql.exec<{ versionKey: number; position: number }>(
    `WITH slice AS (
       SELECT * FROM (${covered} ORDER BY m.push LIMIT 1)
       UNION SELECT * FROM (${covered} ORDER BY random() LIMIT ?))
     SELECT s.version_key AS versionKey,
       (SELECT c.position FROM chunk c WHERE c.version_key = s.version_key
          AND c.position >= s.first + abs(random() % (s.last - s.first + 1)) LIMIT 1) AS position
     FROM slice s`,
    limit - 1,
  );
  return rows.toArray();
}

/** The lowest push that Vectorize has not taken, or has taken before this time and not shown. */
export function unsentPush(sql: SqlStorage, before: number): number | undefined {
  const rows = sql.exec<{ number: number }>(
    'SELECT number FROM push WHERE sent_at IS NULL OR sent_at < ? ORDER BY number LIMIT 1',
    before,
  );
  return rows.toArray()[0]?.number;
}

/**
 * Writes down what is pushed next: published versions that no push has, `size` chunks in each. A version is in pushes
 * whole or not at all. Written before it is sent, so that whatever Vectorize may hold is known here.
 */
export function planPush(sql: SqlStorage, size: number): number | undefined {
  const versions = sql
    .exec<Slice>(
      `SELECT v.key AS version_key, min(c.position) AS first, max(c.position) AS last
       FROM version v JOIN chunk c ON c.version_key = v.key
       WHERE v.published = 1 AND NOT EXISTS (SELECT 1 FROM mirrored m WHERE m.version_key = v.key)
       GROUP BY v.key ORDER BY v.key LIMIT ?`,
      size,
    )
    .toArray();
  if (versions.length === 0) return undefined;
  const open = () =>
    sql.exec<{ number: number }>('INSERT INTO push DEFAULT VALUES RETURNING number').one().number;
  const start = open();
  let push = start;
  let room = size;
  for (const { version_key, first, last } of versions) {
    // The next push begins with it.
    if (last - first >= room && room < size) break;
    for (let from = first; from <= last; from += size) {
      const to = Math.min(last, from + size - 1);
      if (to - from >= room) [push, room] = [open(), size];
      sql.exec('INSERT INTO mirrored VALUES (?, ?, ?, ?)', version_key, from, to, push);
      room -= to - from + 1;
    }
  }
  return start;
}

/** The chunks of a push whose versions are still published. */
const LIVE_CHUNKS = `mirrored m JOIN version v ON v.key = m.version_key AND v.published = 1
  JOIN chunk c ON c.version_key = m.version_key AND c.position BETWEEN m.first AND m.last`;

/**
 * The points of a push with their vectors, all of length 1. A version with a vector of zeros is not copied: what is
 * near nothing is found by no search there.
 */
export function pointsToSend(sql: SqlStorage, push: number): (Point & { values: Float32Array })[] {
  const rows = sql
    .exec<{ versionKey: number; position: number; value: ArrayBuffer }>(
      `SELECT c.version_key AS versionKey, c.position, e.value FROM ${LIVE_CHUNKS}
       JOIN vec e ON e.local = c.local WHERE m.push = ?`,
      push,
    )
    .toArray()
    .map(({ value, ...point }) => ({ ...point, values: unit(new Float32Array(value)) }));
  const left = new Set(rows.filter(({ values }) => !values).map(({ versionKey }) => versionKey));
  for (const key of left) sql.exec(`UPDATE mirrored SET push = ${NO_PUSH} WHERE version_key = ?`, key);
  return rows.flatMap(({ values, ...point }) =>
    values && !left.has(point.versionKey) ? [{ ...point, values }] : [],
  );
}

/** So that every metric which an index may have orders alike. Undefined for a vector of zeros. */
export function unit(vector: Float32Array): Float32Array | undefined {
  const norm = normOf(vector);
  return norm > 0 && Number.isFinite(norm) ? vector.map((x) => x / norm) : undefined;
}

export function pushSent(sql: SqlStorage, push: number): void {
  sql.exec('UPDATE push SET sent_at = ? WHERE number = ?', Date.now(), push);
}

/** Of the pushes that were sent and not shown yet, at most so many: the first and the last point; none where all are gone. */
export function sentPushes(sql: SqlStorage, limit: number): { push: number; ends: Point[] }[] {
  const numbers = sql.exec<{ number: number }>(
    'SELECT number FROM push WHERE sent_at IS NOT NULL ORDER BY number LIMIT ?',
    limit,
  );
  return numbers.toArray().map(({ number }) => {
    const points = sql
      .exec<{ versionKey: number; position: number }>(
        `SELECT c.version_key AS versionKey, c.position FROM ${LIVE_CHUNKS} WHERE m.push = ?
         ORDER BY c.version_key, c.position`,
        number,
      )
      .toArray();
    return { push: number, ends: [...points.slice(0, 1), ...points.slice(1).slice(-1)] };
  });
}

/** Nothing of it is waited for any more. */
export function forgetPushes(sql: SqlStorage, pushes: number[]): void {
  sql.exec('DELETE FROM push WHERE number IN (SELECT value FROM json_each(?))', JSON.stringify(pushes));
}

/** None of the versions counts as copied any more, and none is sent. */
export function giveUpCopies(sql: SqlStorage): void {
  sql.exec('DELETE FROM push');
  sql.exec(`UPDATE mirrored SET push = ${NO_PUSH}`);
}

/** The copy begins anew, under another name. */
export function startAnew(sql: SqlStorage): void {
  sql.exec('DELETE FROM push');
  sql.exec('DELETE FROM mirrored');
  sql.exec(`DELETE FROM setting WHERE name = 'mirror'`);
}

/** At most so many of the points in Vectorize: all of them, or those of versions that were replaced or removed. */
export function pointsThere(sql: SqlStorage, which: 'all' | 'gone', limit: number): Point[] {
  const gone = 'WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.key = m.version_key)';
  const found = sql.exec<Slice>(
    `SELECT version_key, first, last FROM mirrored m ${which === 'gone' ? gone : ''} LIMIT ?`,
    limit,
  );
  const points: Point[] = [];
  for (const { version_key, first, last } of found.toArray()) {
    for (let position = first; position <= last && points.length < limit; position++) {
      points.push({ versionKey: version_key, position });
    }
  }
  return points;
}

/** Deleted there, in order of position: a slice without any of its points is forgotten. */
export function forgetPoints(sql: SqlStorage, points: Point[]): void {
  for (const { versionKey, position } of points) {
    const at = 'WHERE version_key = ? AND first = ?';
    sql.exec(`DELETE FROM mirrored ${at} AND last = ?`, versionKey, position, position);
    sql.exec(`UPDATE mirrored SET first = ? ${at}`, position + 1, versionKey, position);
  }
}
