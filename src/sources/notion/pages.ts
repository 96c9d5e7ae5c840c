import { sha256 } from '#src/lib/secrets/hash.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import type { Block, Page } from './objects.ts';
import { bodyOf } from './objects.ts';
import { flatProperties, propertyLines } from './properties.ts';
import { plainOf } from './rich-text.ts';

const LONGEST_TITLE = 2_000;
/** Names are shorter than titles may be. */
const LONGEST_NAME = 300;
/** The vendor tells times to the minute, and what was edited within it may be edited again. */
const SETTLED_AFTER_MS = 2 * 60_000;

/** One line. */
export function titleOf({ properties }: Pick<Page, 'properties'>): string {
  const [, property] = properties.find(([, { type }]) => type === 'title') ?? [];
  return lineOf(property ? plainOf(property.title).slice(0, LONGEST_TITLE) : '') || 'Untitled';
}

export const lineOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A title as a part of a path. */
export const partOf = (title: string): string =>
  [...title.slice(0, 2 * LONGEST_NAME)].slice(0, LONGEST_NAME).join('').replaceAll('/', '-');

/** What a page is headed by: its title and its properties. */
export function headOf(page: Page): string {
  const lines = propertyLines(page.properties);
  return [`# ${titleOf(page)}`, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n');
}

/** Of something that was edited then. The last version before it is settled is always another. */
export function versionOf(editedAt: string | null | undefined, now = Date.now()): string {
  return now - Date.parse(editedAt ?? '') < SETTLED_AFTER_MS ? `${editedAt} unsettled` : String(editedAt);
}

/** A formula or a rollup changes without an edit of its page, so what heads it counts too. */
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

/** Of a file that was uploaded to the vendor; undefined: the block is none. Its address holds for an hour. */
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
