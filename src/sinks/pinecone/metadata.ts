import type { Metadata } from '#src/ports/index-types.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';

// The vendor's metadata are flat: strings, numbers, booleans and lists of strings, 40 KB of JSON a record.

/** Of JSON in UTF-8. Together with ids and pages they stay below what the vendor takes. */
const MOST = { text: 16_000, title: 2_000, metadata: 8_000, afterChanges: 12_000 };
/** Before the keys of a document's own metadata, so that none is taken for one of Sluice's. */
const PREFIX = 'metadata_';
/** Members of a record that say what all records of a document say. */
type Described = Record<string, string | number | boolean | string[]>;

export const fieldOf = (key: string): string => `${PREFIX}${key.toWellFormed()}`;

/** True of a document whose metadata are not all there in a form that filters find: filters are to let it pass. */
export const PARTIAL = 'sluice_partial';

/** All that a record says of its chunk. */
export function metadataOf(indexId: string, point: VectorPoint): Record<string, unknown> {
  return {
    sluice_index: indexId,
    document_id: point.documentId.toWellFormed(),
    version: point.version,
    position: point.position,
    node_id: point.nodeId,
    ...described(point.title, point.metadata, MOST.metadata),
    text: cut(point.text, MOST.text),
    ...point.pages,
  };
}

/**
 * What is to be written over a record that has `held`. The vendor adds members and takes none away, so those that a
 * document has no more become empty.
 */
export function changesOf(title: string, metadata: Metadata, held: Record<string, unknown>): Described {
  const names = Object.keys(held).filter((name) => name.startsWith(PREFIX));
  const emptied = Object.fromEntries(names.map((name) => [name, '']));
  return { ...emptied, ...described(title, metadata, Math.max(0, MOST.afterChanges - sizeOf(emptied))) };
}

function described(title: string, metadata: Metadata, most: number): Described {
  const members: Described = {};
  let room = most;
  let isPartial = false;
  for (const [key, value] of Object.entries(metadata)) {
    if (value === null || (Array.isArray(value) && value.length === 0)) continue;
    const kept = Array.isArray(value) ? value.map((each) => String(each).toWellFormed()) : plain(value);
    const name = fieldOf(key);
    const size = kept === undefined ? 0 : sizeOf({ [name]: kept });
    const isLost = kept === undefined || size > room || Object.hasOwn(members, name);
    if (!isLost) {
      members[name] = kept;
      room -= size;
    }
    isPartial ||= isLost || (Array.isArray(value) && value.some((each) => typeof each !== 'string'));
  }
  return { title: cut(title, MOST.title), [PARTIAL]: isPartial, ...members };
}

function plain(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'boolean') return value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const encoder = new TextEncoder();
const sizeOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;

/** The beginning of a text that takes no more than so many bytes as JSON, cut between characters. */
function cut(text: string, most: number): string {
  const whole = text.toWellFormed();
  if (whole.length * 6 + 2 <= most || sizeOf(whole) <= most) return whole;
  let end = 0;
  let size = 2;
  for (const character of whole) {
    size += sizeOf(character) - 2;
    if (size > most) break;
    end += character.length;
  }
  return whole.slice(0, end);
}
