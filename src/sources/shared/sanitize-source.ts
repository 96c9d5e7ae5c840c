import { isRecord } from '#src/lib/schema/zod-walk.ts';
import type { Source, SourceEntry } from '#src/ports/source.ts';
import { readProgress, writeProgress } from './listing-progress.ts';

const LONGEST_NAME = 3000;
const LONGEST_PATH = 10_000;
const LATEST = Date.UTC(9999, 11, 31);

interface SanitizeOptions {
  name: string;
  /** Maximum number of pages of a listing. Defaults to 100,000. */
  maxPages?: number | undefined;
}

/**
 * Wraps a data source to guard against faulty responses. Invalid entry fields are corrected, and listings
 * that repeat a page or never end are rejected.
 */
export function sanitizeSource(source: Source, { name, maxPages }: SanitizeOptions): Source {
  return {
    read: (id) => source.read(id),
    async list(given) {
      const before = await readProgress(given);
      const page = await source.list(before.cursor);
      const entries = page.entries.filter(({ id }) => typeof id === 'string' && id !== '');
      const leftOut = before.leftOut + (page.leftOut ?? 0) + page.entries.length - entries.length;
      const progress = { ...before, leftOut };
      const cursor = page.cursor === null ? null : await writeProgress(name, progress, page.cursor, maxPages);
      return { cursor, entries: entries.map(sanitizeEntry), ...(leftOut > 0 && { leftOut }) };
    },
  };
}

/**
 * Replaces invalid sizes, times and URLs of an entry by `null`, and reduces its name and path to one line.
 */
export function sanitizeEntry(entry: SourceEntry): SourceEntry {
  const { id, size, modifiedAt, webUrl, permissions } = entry;
  const path = oneLine(entry.path).slice(0, LONGEST_PATH);
  const validSize = size !== null && Number.isSafeInteger(size) && size >= 0 ? size : null;
  const time = modifiedAt?.getTime() ?? Number.NaN;
  const validTime = time >= 0 && time <= LATEST ? modifiedAt : null;
  return {
    ...entry,
    name: oneLine(entry.name).slice(0, LONGEST_NAME) || oneLine(id).slice(0, LONGEST_NAME) || 'unnamed',
    path: path || oneLine(id),
    size: validSize,
    version: entry.version || `${validSize}:${validTime?.getTime() ?? null}`,
    modifiedAt: validTime,
    webUrl: webUrl === null ? null : toWebUrl(webUrl),
    permissions: isRecord(permissions) ? permissions : null,
  };
}

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** Returns an http or https URL without credentials. Returns `null` for any other text. */
function toWebUrl(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  url.username = '';
  url.password = '';
  return url.href;
}
