import { isRecord } from '#src/lib/schema/zod-walk.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import { type Block, bodyOf, type Page, type Property } from './objects.ts';
import { plainOf } from './rich-text.ts';

type Value = string | number | boolean | string[];

const MOST_PROPERTIES = 100;

const LONGEST_VALUE = 2_000;

const MOST_OF_ONE = 100;

/** Property types that are left out. They are shown elsewhere, change with every edit, or contain no text. */
const UNSHOWN = new Set([
  'title',
  'last_edited_time',
  'last_edited_by',
  'button',
  'relation',
  'verification',
]);

/** Returns the properties as metadata, under their user-defined names. */
const flatProperties = (properties: [string, Property][]): Record<string, Value> =>
  Object.fromEntries(valuesOf(properties));

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const LONGEST_TITLE = 2_000;
/** Maximum length of a file name, in characters. Titles may be longer. */
const LONGEST_NAME = 300;
/**
 * Milliseconds after which an edit time is final. Notion rounds times to the minute, so another edit may have
 * the same time.
 */
const SETTLED_AFTER_MS = 2 * 60_000;

export function titleOf({ properties }: Pick<Page, 'properties'>): string {
  const [, property] = properties.find(([, { type }]) => type === 'title') ?? [];
  return lineOf(property ? plainOf(property.title).slice(0, LONGEST_TITLE) : '') || 'Untitled';
}

export const lineOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Converts a title to a path segment. */
export const partOf = (title: string): string =>
  [...title.slice(0, 2 * LONGEST_NAME)].slice(0, LONGEST_NAME).join('').replaceAll('/', '-');

/** Returns the Markdown head of a page: its title and its properties. */
export function headOf(page: Page): string {
  const lines = propertyLines(page.properties);
  return [`# ${titleOf(page)}`, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n');
}

/**
 * Returns the version for an edit time. A recent edit is marked as unsettled, so the object is read again
 * once the time is final.
 */
export function versionOf(editedAt: string | null | undefined, now = Date.now()): string {
  return now - Date.parse(editedAt ?? '') < SETTLED_AFTER_MS ? `${editedAt} unsettled` : String(editedAt);
}

/**
 * Returns the version of a page. It includes a hash of the head, because formulas and rollups change without
 * an edit of the page.
 */
export const pageVersion = async (page: Page): Promise<string> =>
  `${versionOf(page.last_edited_time)} ${(await sha256(headOf(page))).slice(0, 16)}`;

export async function pageEntry(page: Page, place: (name: string) => string): Promise<SourceEntry> {
  const name = `${partOf(titleOf(page))}.md`;
  return {
    ...{ id: page.id, name, path: place(name), size: null },
    version: await pageVersion(page),
    modifiedAt: new Date(page.last_edited_time),
    webUrl: page.url ?? addressOf(page.id),
    permissions: null,
    metadata: {
      ...flatProperties(page.properties),
      page_id: page.id,
      title: titleOf(page),
      ...(page.created_time && { created_time: page.created_time }),
    },
  };
}

const bare = (id: string): string => encodeURIComponent(id.replaceAll('-', ''));
export const addressOf = (pageId: string, blockId?: string): string =>
  `https://www.notion.so/${bare(pageId)}${blockId === undefined ? '' : `#${bare(blockId)}`}`;

/**
 * Returns the name and URL of a file uploaded to Notion. Returns `undefined` if the block is not an upload.
 * The URL expires after an hour.
 */
export function uploadIn(block: Block): { name: string; url: string } | undefined {
  const { file, name } = bodyOf(block);
  if (!file) return undefined;
  return { name: lineOf(name || lastPart(file.url)) || block.type, url: file.url };
}

function lastPart(address: string): string {
  const part = URL.parse(address)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function uploadEntry(
  block: Block,
  pageId: string,
  place: (name: string) => string,
): SourceEntry | undefined {
  const upload = uploadIn(block);
  if (!upload) return undefined;
  const name = partOf(upload.name);
  return {
    ...{ id: `file/${block.id}`, name, path: place(name), size: null },
    version: versionOf(block.last_edited_time),
    modifiedAt: block.last_edited_time ? new Date(block.last_edited_time) : null,
    webUrl: addressOf(pageId, block.id),
    permissions: null,
    metadata: { page_id: pageId, block_type: block.type },
  };
}

/** Formats each property that has a value as a Markdown list item. */
function propertyLines(properties: [string, Property][]): string[] {
  return valuesOf(properties).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    return `- **${oneLine(name)}**: ${oneLine(text)}`;
  });
}

function valuesOf(properties: [string, Property][]): [string, Value][] {
  return properties
    .filter(([, { type }]) => !UNSHOWN.has(type))
    .flatMap(([name, property]): [string, Value][] => {
      const value = valueIn(property.type, property[property.type], 0);
      return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
        ? []
        : [[name, value]];
    })
    .slice(0, MOST_PROPERTIES);
}

/**
 * Converts a property value. Returns `undefined` if there is no value. A value without text gives an empty
 * string or an empty list. A list gives the names of its members.
 */
function valueIn(type: string, value: unknown, depth: number): Value | undefined {
  if (type === 'rich_text' || type === 'title') return plainOf(value).slice(0, LONGEST_VALUE);
  if (typeof value === 'string') return value.slice(0, LONGEST_VALUE);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    return value
      .slice(0, MOST_OF_ONE)
      .map((each) => wordOf(each, depth))
      .filter((word) => word !== '');
  }
  if (!isRecord(value)) return undefined;
  if (type === 'unique_id') return [value.prefix, value.number].filter((part) => part != null).join('-');
  if (type === 'date') return [value.start, value.end].filter((part) => typeof part === 'string').join(' – ');
  if (typeof value.type === 'string' && depth < 3) return valueIn(value.type, value[value.type], depth + 1);
  return wordOf(value, depth);
}

/** Returns the name of an option, a person or a file. Values inside a rollup are converted themselves. */
function wordOf(value: unknown, depth: number): string {
  if (!isRecord(value)) return typeof value === 'string' ? value.slice(0, LONGEST_VALUE) : '';
  if (typeof value.name === 'string') return value.name.slice(0, LONGEST_VALUE);
  if (typeof value.type !== 'string' || depth >= 3) return '';
  const inner = valueIn(value.type, value[value.type], depth + 1);
  return Array.isArray(inner) ? inner.join(', ') : inner === undefined ? '' : String(inner);
}
