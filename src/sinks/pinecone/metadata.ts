import type { Metadata } from '#src/ports/index-types.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';

// Pinecone does not accept nested metadata. It stores strings, numbers, booleans and lists of strings, with
// at most 40 KB of JSON per record.

/**
 * Maximum sizes of a record's metadata fields, in bytes of JSON. Together with ids and page numbers they stay
 * below Pinecone's limit of 40 KB.
 */
const MAX_BYTES = { text: 16_000, title: 2_000, metadata: 8_000, afterChanges: 12_000 };
/**
 * Prefix of a document's own metadata keys in Pinecone. It distinguishes them from the fields that Sluice
 * adds.
 */
const PREFIX = 'metadata_';
/** Metadata of a Pinecone record that is the same for all chunks of a document. */
type Described = Record<string, string | number | boolean | string[]>;

export const toFieldName = (key: string): string => `${PREFIX}${key.toWellFormed()}`;

/**
 * Name of a metadata field. It is true if filters cannot compare all metadata of the document, so filters
 * must accept the document.
 */
export const PARTIAL = 'sluice_partial';

export function buildRecordMetadata(indexId: string, point: VectorPoint): Record<string, unknown> {
  return {
    sluice_index: indexId,
    document_id: point.documentId.toWellFormed(),
    version: point.version,
    position: point.position,
    node_id: point.nodeId,
    ...toSharedFields(point.title, point.metadata, MAX_BYTES.metadata),
    text: truncate(point.text, MAX_BYTES.text),
    ...point.pages,
  };
}

/**
 * Builds the metadata update for a record whose current metadata is `held`. Pinecone cannot remove fields in
 * an update. Fields that the document no longer has are therefore set to empty values.
 */
export function buildMetadataChanges(
  title: string,
  metadata: Metadata,
  held: Record<string, unknown>,
): Described {
  const names = Object.keys(held).filter((name) => name.startsWith(PREFIX));
  const emptied = Object.fromEntries(names.map((name) => [name, '']));
  return {
    ...emptied,
    ...toSharedFields(title, metadata, Math.max(0, MAX_BYTES.afterChanges - countJsonBytes(emptied))),
  };
}

function toSharedFields(title: string, metadata: Metadata, most: number): Described {
  const members: Described = {};
  let remaining = most;
  let isPartial = false;
  for (const [key, value] of Object.entries(metadata)) {
    if (value === null || (Array.isArray(value) && value.length === 0)) continue;
    const stored = Array.isArray(value) ? value.map((each) => String(each).toWellFormed()) : toScalar(value);
    const name = toFieldName(key);
    const size = stored === undefined ? 0 : countJsonBytes({ [name]: stored });
    const isLost = stored === undefined || size > remaining || Object.hasOwn(members, name);
    if (!isLost) {
      members[name] = stored;
      remaining -= size;
    }
    isPartial ||= isLost || (Array.isArray(value) && value.some((each) => typeof each !== 'string'));
  }
  return { title: truncate(title, MAX_BYTES.title), [PARTIAL]: isPartial, ...members };
}

function toScalar(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'boolean') return value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const encoder = new TextEncoder();
const countJsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;

/** Cuts a text so that its JSON has at most `most` bytes. Never cuts inside a character. */
function truncate(text: string, most: number): string {
  const whole = text.toWellFormed();
  if (whole.length * 6 + 2 <= most || countJsonBytes(whole) <= most) return whole;
  let end = 0;
  let size = 2;
  for (const character of whole) {
    size += countJsonBytes(character) - 2;
    if (size > most) break;
    end += character.length;
  }
  return whole.slice(0, end);
}
