import type { Metadata } from '#src/ports/index-types.ts';

export interface MetadataEntry {
  key: string;
  value: string;
}

/**
 * Metadata keys that the service uses. They are not searched with the text, even if a client sets them. Ids,
 * sizes and dates say nothing about the content, and the name is searched as the title.
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

/**
 * Maximum size of all searched metadata of a document in UTF-8 bytes. A text never has more tokens than
 * bytes.
 */
const MAX_BYTES = 1024;
/**
 * Maximum size of metadata as a share of the bytes of a chunk's text. `MIN_BYTES` bytes may always be used.
 */
const MAX_SHARE = 1 / 4;
const MIN_BYTES = 256;

const encoder = new TextEncoder();

/**
 * Returns the client's metadata that is searched, without excluded keys and their descendants (`owner`
 * excludes `owner.name`). Short values come first, so that a long value only takes the remaining bytes.
 */
export function selectSearchedMetadata(given: Metadata, excludedKeys: ReadonlySet<string>): MetadataEntry[] {
  const entries = Object.entries(given)
    .filter(([key]) => !SERVICE_KEYS.has(key) && !isExcluded(key, excludedKeys))
    .map(([key, value]) => ({ key: toOneLine(key), value: toOneLine([value].flat().join(', ')) }))
    .filter(({ key, value }) => key !== '' && value !== '')
    .sort((a, b) => formatLine(a).length - formatLine(b).length || (formatLine(a) < formatLine(b) ? -1 : 1));
  const searched: MetadataEntry[] = [];
  let room = MAX_BYTES;
  for (const entry of entries) {
    const start = encoder.encode(`${entry.key}: `).length;
    const value = truncateToBytes(entry.value, room - start);
    if (value === '') break;
    searched.push({ key: entry.key, value });
    room -= start + encoder.encode(value).length + 1;
  }
  return searched;
}

/**
 * Returns the metadata lines that are embedded before a chunk's text, as far as they leave enough space for
 * the text.
 */
export function buildEmbeddedLines(entries: MetadataEntry[], text: string): string {
  if (entries.length === 0) return '';
  const room = Math.max(MIN_BYTES, Math.floor(MAX_SHARE * encoder.encode(text).length));
  return truncateToBytes(entries.map(formatLine).join('\n'), room).trimEnd();
}

/**
 * Returns the metadata values for full-text search. Keys are left out, because they are the same in many
 * documents.
 */
export function buildKeywords(entries: MetadataEntry[]): string {
  return entries.map(({ value }) => value).join('\n');
}

const formatLine = ({ key, value }: MetadataEntry) => `${key}: ${value}`;

function isExcluded(key: string, excluded: ReadonlySet<string>): boolean {
  if (excluded.has(key)) return true;
  for (let dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
    if (excluded.has(key.slice(0, dot))) return true;
  }
  return false;
}

/** The text is truncated before white space is collapsed, because a value may have megabytes. */
const toOneLine = (text: string) => text.slice(0, MAX_BYTES).replace(/\s+/gu, ' ').trim();

/** Truncates a text to at most `room` bytes of UTF-8, without dividing a character. */
function truncateToBytes(text: string, room: number): string {
  if (room <= 0) return '';
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(room)).read);
}
