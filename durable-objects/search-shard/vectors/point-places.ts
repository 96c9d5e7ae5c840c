import type { PointPlace } from '#src/ports/shard.ts';
import { MAX_IDS_PER_VALUE, toSlices } from '../postings/slices.ts';

type PlaceRow = { document_id: string; version: number; position: number };

const PLACES = `SELECT v.document_id, v.version, c.position FROM version v JOIN chunk c ON c.version_key = v.key`;

/**
 * Implements `Shard.samplePoints`. The number of rows it reads depends on the number of results, not on the
 * size of the shard.
 */
export function samplePoints(
  sql: SqlStorage,
  limit: number,
  writtenBy = Number.MAX_SAFE_INTEGER,
): PointPlace[] {
  const newest = readPlaces(
    sql,
    `${PLACES} WHERE v.published = 1 AND v.version <= ? ORDER BY v.key DESC LIMIT ?`,
    writtenBy,
    limit,
  );
  if (newest.length < limit) return newest;
  const { last } = sql.exec<{ last: number }>('SELECT coalesce(max(local), 0) AS last FROM chunk').one();
  const half = Math.ceil(limit / 2);
  const drawn = Array.from({ length: limit - half }, () => Math.floor(Math.random() * (last + 1)));
  const others = readPlaces(
    sql,
    `SELECT v.document_id, v.version, c.position FROM chunk c JOIN version v ON v.key = c.version_key
     WHERE c.local IN (SELECT value FROM json_each(?)) AND v.published = 1 AND v.version <= ?`,
    JSON.stringify(drawn),
    writtenBy,
  );
  const sample = [...newest.slice(0, half), ...others];
  return [...new Map(sample.map((place) => [`${place.position} ${place.documentId}`, place])).values()];
}

export function publishedPoints(sql: SqlStorage, documentIds: string[]): PointPlace[] {
  return toSlices(documentIds, MAX_IDS_PER_VALUE).flatMap((slice) =>
    readPlaces(
      sql,
      `${PLACES} WHERE v.document_id IN (SELECT value FROM json_each(?)) AND v.published = 1
       ORDER BY v.document_id, c.position`,
      JSON.stringify(slice),
    ),
  );
}

function readPlaces(sql: SqlStorage, query: string, ...parameters: (string | number)[]): PointPlace[] {
  return [...sql.exec<PlaceRow>(query, ...parameters)].map(({ document_id, version, position }) => ({
    documentId: document_id,
    version,
    position,
  }));
}
