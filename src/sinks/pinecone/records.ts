import { z } from 'zod';
import type { FoundPoint, PointName, VectorPoint } from '#src/sinks/external/vector-store.ts';
import { metadataOf } from './metadata.ts';

/** The vendor's own: characters of ASCII. */
const LONGEST_ID = 512;
/** The vendor takes 2 MB. */
const LARGEST_BODY = 1_900_000;
/** So many tell every 32-bit float from all others. */
const DIGITS = 9;

type Where = Omit<FoundPoint, 'score'>;

/**
 * A record's id says which chunk it is of, so that queries need none of its metadata, which would be more than the
 * vendor answers with at once. A document's id that is too long for that leaves the point's own.
 */
export function recordId(indexId: string, { id, documentId, version, position }: PointName): string {
  const telling = `${indexId}/${encodeURIComponent(documentId.toWellFormed())}/${version}/${position}`;
  return telling.length <= LONGEST_ID ? telling : `${indexId}/${id}`;
}

/** `unsaid`: an id of this index that tells nothing; undefined: one of somebody else. */
export function whereOf(indexId: string, recordId: string): Where | 'unsaid' | undefined {
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

const said = z.object({
  sluice_index: z.string(),
  document_id: z.string(),
  version: z.number(),
  position: z.number(),
});

export function whereIn(indexId: string, metadata: unknown): Where | undefined {
  const { data } = said.safeParse(metadata);
  if (data?.sluice_index !== indexId) return undefined;
  return { documentId: data.document_id, version: data.version, position: data.position };
}

/** Scales a vector to length 1. Returns `undefined` for a vector of zeros, which Pinecone refuses because nothing is near it. */
export function directionOf(vector: Float32Array): number[] | undefined {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? Array.from(vector, (x) => x / length) : undefined;
}

const written = (vector: ArrayLike<number>): number[] =>
  Array.from(vector, (x) => Number(x.toPrecision(DIGITS)));

/** The vector as it is sent: of length 1 where the index asks for that. */
export function valuesOf(vector: Float32Array, isByLength: boolean): number[] | undefined {
  const direction = directionOf(vector);
  return direction && written(isByLength ? direction : vector);
}

/** A request body that writes records, and their number. */
interface UpsertBody {
  body: string;
  count: number;
}

/** Bodies that write these points, as many in each as the vendor takes. Points without a direction are left out. */
export function* bodiesOf(
  indexId: string,
  points: VectorPoint[],
  { isByLength, namespace, most }: { isByLength: boolean; namespace: object; most: number },
): Generator<UpsertBody> {
  const encoder = new TextEncoder();
  const start = `${JSON.stringify({ ...namespace }).slice(0, -1)}${Object.keys(namespace).length > 0 ? ',' : ''}`;
  const bodyOf = (records: string[]): UpsertBody => ({
    body: `${start}"vectors":[${records.join()}]}`,
    count: records.length,
  });
  let records: string[] = [];
  let bytes = 0;
  for (const point of points) {
    const values = valuesOf(point.vector, isByLength);
    if (!values) continue;
    const metadata = metadataOf(indexId, point);
    const record = JSON.stringify({ id: recordId(indexId, point), values, metadata });
    const size = encoder.encode(record).length + 1;
    if (records.length === most || (records.length > 0 && bytes + size > LARGEST_BODY)) {
      yield bodyOf(records);
      [records, bytes] = [[], 0];
    }
    records.push(record);
    bytes += size;
  }
  if (records.length > 0) yield bodyOf(records);
}
