import { isRecord } from '#src/lib/schema/zod-walk.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import { type Block, type Page, type Property, parseBody } from './objects.ts';
import { toPlainText } from './rich-text.ts';

type Value = string | number | boolean | string[];

const MAX_PROPERTIES = 100;

const LONGEST_VALUE = 2_000;

const MAX_LIST_VALUES = 100;

/**
 * Types of Notion page properties that are left out. They are shown elsewhere, change with every edit, or
 * contain no text.
 */
const HIDDEN_TYPES = new Set([
  'title',
  'last_edited_time',
  'last_edited_by',
  'button',
  'relation',
  'verification',
]);

const toMetadata = (properties: [string, Property][]): Record<string, Value> =>
  Object.fromEntries(listValues(properties));

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const LONGEST_TITLE = 2_000;
/** Maximum length of a file name, in characters. Page titles may be longer. */
const LONGEST_NAME = 300;
/**
 * Time in milliseconds after which no other edit can have the same edit time. Notion rounds edit times to the
 * minute.
 */
const SETTLED_AFTER_MS = 2 * 60_000;

export function getTitle({ properties }: Pick<Page, 'properties'>): string {
  const [, property] = properties.find(([, { type }]) => type === 'title') ?? [];
  return toSingleLine(property ? toPlainText(property.title).slice(0, LONGEST_TITLE) : '') || 'Untitled';
}

export const toSingleLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

export const toPathSegment = (title: string): string =>
  [...title.slice(0, 2 * LONGEST_NAME)].slice(0, LONGEST_NAME).join('').replaceAll('/', '-');

export function renderHead(page: Page): string {
  const lines = renderProperties(page.properties);
  return [`# ${getTitle(page)}`, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n');
}

/**
 * Returns the version for a Notion edit time. A recent edit is marked as unsettled, because a later edit may
 * have the same time. The next sync then reads the object again.
 */
export function getVersion(editedAt: string | null | undefined, now = Date.now()): string {
  return now - Date.parse(editedAt ?? '') < SETTLED_AFTER_MS ? `${editedAt} unsettled` : String(editedAt);
}

/**
 * Returns the version of a Notion page. The version includes a hash of the title and properties, because
 * formulas change without an edit of the page.
 */
export const getPageVersion = async (page: Page): Promise<string> =>
  `${getVersion(page.last_edited_time)} ${(await sha256(renderHead(page))).slice(0, 16)}`;

export async function toPageEntry(page: Page, place: (name: string) => string): Promise<SourceEntry> {
  const name = `${toPathSegment(getTitle(page))}.md`;
  return {
    ...{ id: page.id, name, path: place(name), size: null },
    version: await getPageVersion(page),
    modifiedAt: new Date(page.last_edited_time),
    webUrl: page.url ?? buildWebUrl(page.id),
    permissions: null,
    metadata: {
      ...toMetadata(page.properties),
      page_id: page.id,
      title: getTitle(page),
      ...(page.created_time && { created_time: page.created_time }),
    },
  };
}

const stripDashes = (id: string): string => encodeURIComponent(id.replaceAll('-', ''));
export const buildWebUrl = (pageId: string, blockId?: string): string =>
  `https://www.notion.so/${stripDashes(pageId)}${blockId === undefined ? '' : `#${stripDashes(blockId)}`}`;

/**
 * Returns the name and URL of a file uploaded to Notion. Returns `undefined` if the block is not an upload.
 * The URL expires after an hour.
 */
export function findUpload(block: Block): { name: string; url: string } | undefined {
  const { file, name } = parseBody(block);
  if (!file) return undefined;
  return { name: toSingleLine(name || getLastSegment(file.url)) || block.type, url: file.url };
}

function getLastSegment(address: string): string {
  const part = URL.parse(address)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function toUploadEntry(
  block: Block,
  pageId: string,
  place: (name: string) => string,
): SourceEntry | undefined {
  const upload = findUpload(block);
  if (!upload) return undefined;
  const name = toPathSegment(upload.name);
  return {
    ...{ id: `file/${block.id}`, name, path: place(name), size: null },
    version: getVersion(block.last_edited_time),
    modifiedAt: block.last_edited_time ? new Date(block.last_edited_time) : null,
    webUrl: buildWebUrl(pageId, block.id),
    permissions: null,
    metadata: { page_id: pageId, block_type: block.type },
  };
}

function renderProperties(properties: [string, Property][]): string[] {
  return listValues(properties).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    return `- **${oneLine(name)}**: ${oneLine(text)}`;
  });
}

function listValues(properties: [string, Property][]): [string, Value][] {
  return properties
    .filter(([, { type }]) => !HIDDEN_TYPES.has(type))
    .flatMap(([name, property]): [string, Value][] => {
      const value = convertValue(property.type, property[property.type], 0);
      return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
        ? []
        : [[name, value]];
    })
    .slice(0, MAX_PROPERTIES);
}

/**
 * Converts the value of a Notion property. Returns `undefined` if there is no value. A value without text
 * gives an empty string or an empty list. A list gives the names of its elements.
 */
function convertValue(type: string, value: unknown, depth: number): Value | undefined {
  if (type === 'rich_text' || type === 'title') return toPlainText(value).slice(0, LONGEST_VALUE);
  if (typeof value === 'string') return value.slice(0, LONGEST_VALUE);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    return value
      .slice(0, MAX_LIST_VALUES)
      .map((each) => getLabel(each, depth))
      .filter((word) => word !== '');
  }
  if (!isRecord(value)) return undefined;
  if (type === 'unique_id') return [value.prefix, value.number].filter((part) => part != null).join('-');
  if (type === 'date') return [value.start, value.end].filter((part) => typeof part === 'string').join(' – ');
  if (typeof value.type === 'string' && depth < 3)
    return convertValue(value.type, value[value.type], depth + 1);
  return getLabel(value, depth);
}

/**
 * Returns the name of an option, a person or a file. Other values, such as values in a rollup, are converted
 * to text.
 */
function getLabel(value: unknown, depth: number): string {
  if (!isRecord(value)) return typeof value === 'string' ? value.slice(0, LONGEST_VALUE) : '';
  if (typeof value.name === 'string') return value.name.slice(0, LONGEST_VALUE);
  if (typeof value.type !== 'string' || depth >= 3) return '';
  const inner = convertValue(value.type, value[value.type], depth + 1);
  return Array.isArray(inner) ? inner.join(', ') : inner === undefined ? '' : String(inner);
}
