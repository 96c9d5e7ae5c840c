import { z } from 'zod';
import type { FoundPoint, PointName, VectorPoint } from '#src/sinks/external/vector-store.ts';
import { buildRecordMetadata } from './metadata.ts';

const LONGEST_ID = 512;
/** Maximum size of a request body in bytes, slightly below Pinecone's limit of 2 MB. */
const LARGEST_BODY = 1_900_000;
/**
 * Number of significant digits sent for each vector component. Nine digits represent every 32-bit float
 * exactly.
 */
const DIGITS = 9;

type ChunkLocation = Omit<FoundPoint, 'score'>;

/**
 * Builds a Pinecone record id that encodes the document, version and position of its chunk. Queries then need
 * no metadata, which could exceed Pinecone's response limit. If the record id would be too long, the id of
 * the chunk's point is used instead.
 */
export function buildRecordId(indexId: string, { id, documentId, version, position }: PointName): string {
  const telling = `${indexId}/${encodeURIComponent(documentId.toWellFormed())}/${version}/${position}`;
  return telling.length <= LONGEST_ID ? telling : `${indexId}/${id}`;
}

/**
 * Decodes the location of a chunk from its Pinecone record id. Returns `'unsaid'` if the record belongs to
 * this index but its id does not contain the location. Returns `undefined` if the record does not belong to
 * this index.
 */
export function parseRecordId(indexId: string, recordId: string): ChunkLocation | 'unsaid' | undefined {
  const [index, document = '', version, position, ...more] = recordId.split('/');
  if (index !== indexId || more.length > 0) return undefined;
  if (version === undefined) return 'unsaid';
  if (!isCount(version) || !isCount(position)) return undefined;
  try {
    return { documentId: decodeURIComponent(document), version: Number(version), position: Number(position) };
  } catch {
    return undefined;
  }
}

const isCount = (text: string | undefined): boolean => text !== undefined && /^\d{1,15}$/.test(text);

const recordMetadata = z.object({
  sluice_index: z.string(),
  document_id: z.string(),
  version: z.number(),
  position: z.number(),
});

export function parseRecordMetadata(indexId: string, metadata: unknown): ChunkLocation | undefined {
  const { data } = recordMetadata.safeParse(metadata);
  if (data?.sluice_index !== indexId) return undefined;
  return { documentId: data.document_id, version: data.version, position: data.position };
}

/**
 * Scales a vector to length 1. Returns `undefined` if the length is not finite or zero, because Pinecone
 * rejects zero vectors.
 */
export function normalize(vector: Float32Array): number[] | undefined {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? Array.from(vector, (x) => x / length) : undefined;
}

const roundComponents = (vector: ArrayLike<number>): number[] =>
  Array.from(vector, (x) => Number(x.toPrecision(DIGITS)));

/**
 * Returns the numbers of a vector to send to Pinecone. Scales the vector to length 1 if `isByLength` is true.
 * Returns `undefined` for a vector without a direction, such as a zero vector.
 */
export function toRecordValues(vector: Float32Array, isByLength: boolean): number[] | undefined {
  const direction = normalize(vector);
  return direction && roundComponents(isByLength ? direction : vector);
}

interface UpsertBody {
  body: string;
  count: number;
}

/**
 * Yields request bodies for Pinecone's upsert, each with as many points as Pinecone accepts. Zero vectors are
 * left out.
 */
export function* buildUpsertBodies(
  indexId: string,
  points: VectorPoint[],
  { isByLength, namespace, most }: { isByLength: boolean; namespace: object; most: number },
): Generator<UpsertBody> {
  const encoder = new TextEncoder();
  const start = `${JSON.stringify({ ...namespace }).slice(0, -1)}${Object.keys(namespace).length > 0 ? ',' : ''}`;
  const toUpsertBody = (records: string[]): UpsertBody => ({
    body: `${start}"vectors":[${records.join()}]}`,
    count: records.length,
  });
  let records: string[] = [];
  let bytes = 0;
  for (const point of points) {
    const values = toRecordValues(point.vector, isByLength);
    if (!values) continue;
    const metadata = buildRecordMetadata(indexId, point);
    const record = JSON.stringify({ id: buildRecordId(indexId, point), values, metadata });
    const size = encoder.encode(record).length + 1;
    if (records.length === most || (records.length > 0 && bytes + size > LARGEST_BODY)) {
      yield toUpsertBody(records);
      [records, bytes] = [[], 0];
    }
    records.push(record);
    bytes += size;
  }
  if (records.length > 0) yield toUpsertBody(records);
}
