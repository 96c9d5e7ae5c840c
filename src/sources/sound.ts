import { isRecord } from '#src/lib/zod-walk.ts';
import { type Source, type SourceEntry, SourceError } from './source.ts';

const LONGEST_NAME = 3000;
const LONGEST_PATH = 10_000;
const LATEST = Date.UTC(9999, 11, 31);

/** The source with what its vendor may get wrong put right: entries that can be kept, listings that get on. */
export function soundSource(source: Source): Source {
  return {
    read: (id) => source.read(id),
    async list(cursor) {
      const page = await source.list(cursor);
      if (page.cursor !== null && page.cursor === cursor) {
        throw new SourceError('The listing leads back to the same page.', { retryable: false });
      }
      return { cursor: page.cursor, entries: page.entries.filter(({ id }) => id !== '').map(soundEntry) };
    },
  };
}

/** Sizes, times and addresses that are none become null; names are one line of text. */
export function soundEntry(entry: SourceEntry): SourceEntry {
  const { id, size, modifiedAt, webUrl, permissions } = entry;
  const path = oneLine(entry.path).slice(0, LONGEST_PATH);
  const soundSize = size !== null && Number.isSafeInteger(size) && size >= 0 ? size : null;
  const time = modifiedAt?.getTime() ?? Number.NaN;
  const soundTime = time >= 0 && time <= LATEST ? modifiedAt : null;
  return {
    ...entry,
    name: oneLine(entry.name).slice(0, LONGEST_NAME) || oneLine(id).slice(0, LONGEST_NAME) || 'unnamed',
    path: path || oneLine(id),
    size: soundSize,
    version: entry.version || `${soundSize}:${soundTime?.getTime() ?? null}`,
    modifiedAt: soundTime,
    webUrl: webUrl === null ? null : webAddress(webUrl),
    permissions: isRecord(permissions) ? permissions : null,
  };
}

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** Only what a browser may open, and without credentials. */
function webAddress(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  url.username = '';
  url.password = '';
  return url.href;
}
