import type { SourceContent } from '#src/ports/source.ts';
import { defineSource } from '#src/sources/shared/define.ts';
import { ignoreMissing, ignoreNotFound, NotionApi } from './api.ts';
import { createNotionListing, createNotSharedError } from './listing.ts';
import { streamPageMarkdown } from './markdown.ts';
import { isGone, type Page } from './objects.ts';
import { findUpload, getPageVersion, getVersion, renderHead } from './pages.ts';
import { notionFields, parseRoots } from './settings.ts';
import { createTopFilter } from './top-filter.ts';

const FILE = 'file/';

/**
 * Data source for Notion pages. Each page becomes a Markdown file, and each uploaded file is listed
 * separately.
 */
export const notion = defineSource({
  kind: 'SOURCE_8_PAGE',
  title: 'Notes pages',
  client: { word: 'NOTION_PAGE', className: 'CloudNotionPageDataSource' },
  fields: notionFields,
  capabilities: { versionNamesContent: false, permissions: false, webUrls: true },
  open(settings, deps) {
    const api = new NotionApi(settings, deps);
    const tops = createTopFilter(api);
    return {
      list: async (cursor) => createNotionListing(api, parseRoots(settings), tops)(cursor),
      read: (id) => (id.startsWith(FILE) ? readUpload(api, id.slice(FILE.length)) : readPage(api, id)),
    };
  },
  async check(settings, deps) {
    const roots = parseRoots(settings);
    const api = new NotionApi(settings, deps);
    await api.self();
    if (roots.length === 0) await api.search(null);
    for (const { id, field } of roots) {
      const found = await ignoreMissing<unknown>(field === 'page_ids' ? api.page(id) : api.database(id));
      if (!found) throw createNotSharedError(id, field);
    }
  },
});

async function readPage(api: NotionApi, id: string): Promise<SourceContent | undefined> {
  const page = await ignoreNotFound(api.page(id));
  if (!page || isGone(page)) return undefined;
  return { body: encodePage(api, page), version: await getPageVersion(page), contentType: 'text/markdown' };
}

async function* encodePage(api: NotionApi, page: Page): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(renderHead(page));
  let isFirst = true;
  for await (const piece of streamPageMarkdown(api, page.id)) {
    yield encoder.encode(isFirst ? `\n\n${piece}` : piece);
    isFirst = false;
  }
  yield encoder.encode('\n');
}

/**
 * Reads an uploaded file. The URL of the file is requested again, because it expires after an hour. The URL
 * itself grants access, so no credentials are sent.
 */
async function readUpload(api: NotionApi, blockId: string): Promise<SourceContent | undefined> {
  const block = await ignoreNotFound(api.block(blockId));
  const found = block && !isGone(block) ? findUpload(block) : undefined;
  if (!found) return undefined;
  const response = await ignoreNotFound(api.download(found.url, blockId));
  if (!response) return undefined;
  return { body: api.bytes(response), version: getVersion(block!.last_edited_time), contentType: null };
}
