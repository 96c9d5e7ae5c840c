import { computeNorm } from '#src/search/vectors.ts';
import type { Point } from './vectorize.ts';

/** Consecutive chunks of a document version that are sent to Vectorize in the same push. */
type Slice = {
  version_key: number;
  first: number;
  last: number;
};

/** Push number of document versions that never count as copied to Vectorize. */
const NO_PUSH = 0;

/**
 * Creates the tables that track the copy in Vectorize. Only shards with a Vectorize index have these tables.
 */
export function createMirrorTables(sql: SqlStorage): void {
  // Chunks that Vectorize has received or is about to receive. Each row is a range of positions of a version
  // and belongs to one push.
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
  // Pushes that Vectorize does not show yet. A push without `sent_at` has not been sent.
  sql.exec('CREATE TABLE IF NOT EXISTS push (number INTEGER PRIMARY KEY AUTOINCREMENT, sent_at INTEGER)');
}

/**
 * Returns the shard's name in Vectorize, and creates one on first use. No other shard ever uses the name, and
 * this shard gets a new name after it was emptied. Vectors that remain under an old name therefore never
 * appear in results.
 */
export function getOrCreateMirrorName(sql: SqlStorage): string {
  const known = sql.exec<{ value: string }>(`SELECT value FROM setting WHERE name = 'mirror'`).toArray()[0];
  if (known) return known.value;
  const name = crypto.randomUUID().replaceAll('-', '');
  sql.exec(`INSERT INTO setting (name, value) VALUES ('mirror', ?)`, name);
  return name;
}

/** Returns the keys of the document versions whose chunks are all known to be visible in Vectorize. */
export function readCoveredVersions(sql: SqlStorage): Set<number> {
  const { keys } = sql
    .exec<{ keys: string }>(
      `SELECT json_group_array(version_key) AS keys FROM (
         SELECT version_key FROM mirrored GROUP BY version_key
         HAVING min(push) > ${NO_PUSH} AND max(push IN (SELECT number FROM push)) = 0)`,
    )
    .one();
  return new Set(JSON.parse(keys) as number[]);
}

/**
 * Returns up to `limit` points that are known to be visible in Vectorize: one of the oldest, and others at
 * random.
 */
export function sampleCoveredPoints(sql: SqlStorage, limit: number): Point[] {
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

/**
 * Returns the lowest push that was never sent, or that was sent before `before` and is still not visible.
 * Returns `undefined` if there is none.
 */
export function findPushToSend(sql: SqlStorage, before: number): number | undefined {
  const rows = sql.exec<{ number: number }>(
    'SELECT number FROM push WHERE sent_at IS NULL OR sent_at < ? ORDER BY number LIMIT 1',
    before,
  );
  return rows.toArray()[0]?.number;
}

/**
 * Plans the next pushes: published versions without a push, with up to `size` chunks per push. All chunks of
 * a version are planned together. The plan is stored before anything is sent, so that every point that
 * Vectorize may hold is recorded here. Returns the first planned push, or `undefined` if nothing is left to
 * copy.
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
    // The version does not fit into the remaining space of this push, so the next plan begins with it.
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

/** SQL for the chunks of planned pushes, limited to versions that are still published. */
const PUBLISHED_CHUNKS = `mirrored m JOIN version v ON v.key = m.version_key AND v.published = 1
  JOIN chunk c ON c.version_key = m.version_key AND c.position BETWEEN m.first AND m.last`;

/**
 * Returns the points of a push with their vectors, scaled to length 1. A version with a zero vector is not
 * copied, because no similarity search in Vectorize finds a zero vector.
 */
export function readPointsToSend(sql: SqlStorage, push: number): (Point & { values: Float32Array })[] {
  const rows = sql
    .exec<{ versionKey: number; position: number; value: ArrayBuffer }>(
      `SELECT c.version_key AS versionKey, c.position, e.value FROM ${PUBLISHED_CHUNKS}
       JOIN vec e ON e.local = c.local WHERE m.push = ?`,
      push,
    )
    .toArray()
    .map(({ value, ...point }) => ({ ...point, values: normalize(new Float32Array(value)) }));
  const left = new Set(rows.filter(({ values }) => !values).map(({ versionKey }) => versionKey));
  for (const key of left) sql.exec(`UPDATE mirrored SET push = ${NO_PUSH} WHERE version_key = ?`, key);
  return rows.flatMap(({ values, ...point }) =>
    values && !left.has(point.versionKey) ? [{ ...point, values }] : [],
  );
}

/**
 * Scales a vector to length 1, so that every distance metric of an index gives the same order. Returns
 * `undefined` if the length is zero or not finite.
 */
export function normalize(vector: Float32Array): Float32Array | undefined {
  const norm = computeNorm(vector);
  return norm > 0 && Number.isFinite(norm) ? vector.map((x) => x / norm) : undefined;
}

export function markPushSent(sql: SqlStorage, push: number): void {
  sql.exec('UPDATE push SET sent_at = ? WHERE number = ?', Date.now(), push);
}

/**
 * Returns up to `limit` pushes that were sent and are not known to be visible yet. `ends` holds the first and
 * the last point of a push. It is empty if all versions of the push were replaced or removed.
 */
export function listSentPushes(sql: SqlStorage, limit: number): { push: number; ends: Point[] }[] {
  const numbers = sql.exec<{ number: number }>(
    'SELECT number FROM push WHERE sent_at IS NOT NULL ORDER BY number LIMIT ?',
    limit,
  );
  return numbers.toArray().map(({ number }) => {
    const points = sql
      .exec<{ versionKey: number; position: number }>(
        `SELECT c.version_key AS versionKey, c.position FROM ${PUBLISHED_CHUNKS} WHERE m.push = ?
         ORDER BY c.version_key, c.position`,
        number,
      )
      .toArray();
    return { push: number, ends: [...points.slice(0, 1), ...points.slice(1).slice(-1)] };
  });
}

/** Forgets these pushes, because they are visible in Vectorize or no longer needed. */
export function forgetPushes(sql: SqlStorage, pushes: number[]): void {
  sql.exec('DELETE FROM push WHERE number IN (SELECT value FROM json_each(?))', JSON.stringify(pushes));
}

/** Marks every version as not copied and cancels all pushes. */
export function invalidateCopies(sql: SqlStorage): void {
  sql.exec('DELETE FROM push');
  sql.exec(`UPDATE mirrored SET push = ${NO_PUSH}`);
}

/** Deletes all records of the copy and its name, so that copying starts again under a new name. */
export function resetMirror(sql: SqlStorage): void {
  sql.exec('DELETE FROM push');
  sql.exec('DELETE FROM mirrored');
  sql.exec(`DELETE FROM setting WHERE name = 'mirror'`);
}

/**
 * Returns up to `limit` points that Vectorize may hold. With 'gone', only points of replaced or removed
 * document versions are returned.
 */
export function listMirroredPoints(sql: SqlStorage, which: 'all' | 'gone', limit: number): Point[] {
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

/**
 * Deletes the records of points that were deleted in Vectorize. Points of the same slice must be in order of
 * position.
 */
export function forgetPoints(sql: SqlStorage, points: Point[]): void {
  for (const { versionKey, position } of points) {
    const at = 'WHERE version_key = ? AND first = ?';
    sql.exec(`DELETE FROM mirrored ${at} AND last = ?`, versionKey, position, position);
    sql.exec(`UPDATE mirrored SET first = ? ${at}`, position + 1, versionKey, position);
  }
}
