import type { Metadata } from '#src/ports/index-types.ts';

/** A member of a document's metadata as it is embedded and searched: on one line. */
export interface MetadataEntry {
  key: string;
  value: string;
}

/**
 * Names under which the service itself says what it knows. They are not searched with the text, whoever wrote them: ids,
 * sizes and dates are alike in unlike documents, and the name is searched as the title.
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

/** Bytes of UTF-8 of all entries together; no tokenizer makes more tokens than bytes. */
const MOST_BYTES = 1024;
/** Of a chunk's bytes its metadata add at most this share, and may always have the least room. */
const MOST_SHARE = 1 / 4;
const LEAST_ROOM = 256;

const encoder = new TextEncoder();

/**
 * What is searched of the metadata that a client gave (flat): without excluded keys and what is beneath them
 * (`owner` excludes `owner.name`). The shortest come first, so that a long value takes only the room that the others
 * leave.
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

/** The lines that are embedded before a chunk's text, or as much of them as does not crowd the text out. */
export function embeddedLines(entries: MetadataEntry[], text: string): string {
  if (entries.length === 0) return '';
  const room = Math.max(LEAST_ROOM, Math.floor(MOST_SHARE * encoder.encode(text).length));
  return firstBytes(entries.map(lineOf).join('\n'), room).trimEnd();
}

/** What is found by words. The keys are not: many documents share them, and a question for one would find them all. */
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

/** Cut before white space is looked for: a value may have megabytes. */
const oneLine = (text: string) => text.slice(0, MOST_BYTES).replace(/\s+/gu, ' ').trim();

/** As many whole characters as have room. */
function firstBytes(text: string, room: number): string {
  if (room <= 0) return '';
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(room)).read);
}
