import { normOf } from '#src/search/vectors.ts';
import { type Point, pointId } from './vectorize.ts';

/** Consecutive chunks of a version that one push carries. */
type Slice = {
  version_key: number;
  first: number;
  last: number;
};

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

/** The keys of the versions that Vectorize has said it shows whole. */
export function coveredVersions(sql: SqlStorage): Set<number> {
  const { keys } = sql
    .exec<{ keys: string }>(
      `SELECT json_group_array(version_key) AS keys FROM (
         SELECT version_key FROM mirrored GROUP BY version_key
         HAVING max(gone) = 0 AND max(push IN (SELECT number FROM push)) = 0)`,
    )
    .one();
  return new Set(JSON.parse(keys) as number[]);
}

/** The lowest push that Vectorize has not taken yet. */
export function unsentPush(sql: SqlStorage): number | undefined {
  const rows = sql.exec<{ number: number }>(
    'SELECT number FROM push WHERE mutation IS NULL ORDER BY number LIMIT 1',
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
      sql.exec(
        'INSERT INTO mirrored (version_key, first, last, push) VALUES (?, ?, ?, ?)',
        version_key,
        from,
        to,
        push,
      );
      room -= to - from + 1;
    }
  }
  return start;
}

/** The vectors of a push as Vectorize takes them, all of length 1. One without direction is near nothing and stays here. */
export function vectorsOf(sql: SqlStorage, push: number): VectorizeVector[] {
  const name = mirrorName(sql);
  const rows = sql.exec<{ version_key: number; position: number; value: ArrayBuffer }>(
    `SELECT c.version_key, c.position, e.value
     FROM mirrored m JOIN version v ON v.key = m.version_key AND v.published = 1
     JOIN chunk c ON c.version_key = m.version_key AND c.position BETWEEN m.first AND m.last
     JOIN vec e ON e.local = c.local
     WHERE m.push = ?`,
    push,
  );
  return [...rows].flatMap(({ version_key, position, value }) => {
    const vector = unit(new Float32Array(value));
    return vector ? [{ id: pointId(name, version_key, position), namespace: name, values: vector }] : [];
  });
}

/** So that every metric which an index may have orders alike. Undefined for a vector of zeros. */
export function unit(vector: Float32Array): Float32Array | undefined {
  const norm = normOf(vector);
  return norm > 0 && Number.isFinite(norm) ? vector.map((x) => x / norm) : undefined;
}

/** Without a mutation nothing had to be sent, and nothing is waited for. */
export function pushSent(sql: SqlStorage, push: number, mutation: string | undefined): void {
  if (mutation === undefined) sql.exec('DELETE FROM push WHERE number = ?', push);
  else sql.exec('UPDATE push SET mutation = ?, sent_at = ? WHERE number = ?', mutation, Date.now(), push);
}

export function hasSentPushes(sql: SqlStorage): boolean {
  return sql.exec('SELECT 1 FROM push WHERE mutation IS NOT NULL LIMIT 1').toArray().length > 0;
}

/** Vectorize takes changes in order: with this mutation, or one sent at that time, all before it are done. */
export function confirmPushes(sql: SqlStorage, mutation: string, sentBefore: number): boolean {
  const { number } = sql
    .exec<{ number: number | null }>(
      'SELECT max(number) AS number FROM push WHERE mutation = ? OR sent_at <= ?',
      mutation,
      Number.isFinite(sentBefore) ? sentBefore : -1,
    )
    .one();
  if (number === null) return false;
  sql.exec('DELETE FROM push WHERE number <= ? AND mutation IS NOT NULL', number);
  return true;
}

/** Everything that Vectorize may hold is to be deleted there. */
export function giveUpPoints(sql: SqlStorage): void {
  sql.exec('UPDATE mirrored SET gone = 1');
}

/** At most so many of the points that are to be deleted. */
export function gonePoints(sql: SqlStorage, limit: number): Point[] {
  const slices = sql.exec<Slice>(
    'SELECT version_key, first, last FROM mirrored WHERE gone = 1 LIMIT ?',
    limit,
  );
  const points: Point[] = [];
  for (const { version_key, first, last } of slices.toArray()) {
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
