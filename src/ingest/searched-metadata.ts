import type { Metadata } from '#src/ports/index-types.ts';

/** A metadata member as it is embedded and searched, on one line. */
export interface MetadataEntry {
  key: string;
  value: string;
}

/**
 * Metadata keys of the service. They are not searched with the text, even if a client sets them: ids, sizes
 * and dates say nothing about content, and the name is searched as the title.
 */
export const SERVICE_KEYS: ReadonlySet<string> = new Set([
  'file_id',
  'file_name',
  'file_path',
  'file_type',
  'file_size',
  'external_file_id',
  'last_modified_at',
  'document_id',
  'pipeline_id',
  'data_source_id',
  'page_label',
  'start_page_index',
  'start_page_label',
  'end_page_index',
  'end_page_label',
  'member_path',
]);

/** Maximum UTF-8 bytes of all entries. A text never has more tokens than bytes. */
const MOST_BYTES = 1024;
/** Maximum share of a chunk's bytes for metadata, and the bytes that metadata may always use. */
const MOST_SHARE = 1 / 4;
const LEAST_ROOM = 256;

const encoder = new TextEncoder();

/**
 * Returns the client's metadata to search, without excluded keys and their descendants (`owner` excludes
 * `owner.name`). Short values come first, so that a long one takes only the remaining room.
 */
export function searchedMetadata(given: Metadata, excludedKeys: ReadonlySet<string>): MetadataEntry[] {
  const entries = Object.entries(given)
    .filter(([key]) => !SERVICE_KEYS.has(key) && !isExcluded(key, excludedKeys))
    .map(([key, value]) => ({ key: oneLine(key), value: oneLine([value].flat().join(', ')) }))
    .filter(({ key, value }) => key !== '' && value !== '')
    .sort((a, b) => lineOf(a).length - lineOf(b).length || (lineOf(a) < lineOf(b) ? -1 : 1));
  const searched: MetadataEntry[] = [];
  let room = MOST_BYTES;
  for (const entry of entries) {
    const start = encoder.encode(`${entry.key}: `).length;
    const value = firstBytes(entry.value, room - start);
    if (value === '') break;
    searched.push({ key: entry.key, value });
    room -= start + encoder.encode(value).length + 1;
  }
  return searched;
}

/**
 * Returns the metadata lines that are embedded before a chunk's text, as far as they leave enough room for
 * it.
 */
export function embeddedLines(entries: MetadataEntry[], text: string): string {
  if (entries.length === 0) return '';
  const room = Math.max(LEAST_ROOM, Math.floor(MOST_SHARE * encoder.encode(text).length));
  return firstBytes(entries.map(lineOf).join('\n'), room).trimEnd();
}

/** Returns the metadata values for full-text search. Keys are left out, because many documents share them. */
export function keywordsOf(entries: MetadataEntry[]): string {
  return entries.map(({ value }) => value).join('\n');
}

const lineOf = ({ key, value }: MetadataEntry) => `${key}: ${value}`;

function isExcluded(key: string, excluded: ReadonlySet<string>): boolean {
  if (excluded.has(key)) return true;
  for (let dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
    if (excluded.has(key.slice(0, dot))) return true;
  }
  return false;
}

/** The text is cut first, because a value may have megabytes. */
const oneLine = (text: string) => text.slice(0, MOST_BYTES).replace(/\s+/gu, ' ').trim();

/** Returns as many whole characters as fit. */
function firstBytes(text: string, room: number): string {
  if (room <= 0) return '';
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(room)).read);
}
