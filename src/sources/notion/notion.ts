import type { SourceContent } from '#src/ports/source.ts';
import { defineSource } from '#src/sources/shared/define.ts';
import { NotionApi, orGone, orMissing } from './api.ts';
import { notionListing, notShared } from './listing.ts';
import { markdownOfPage } from './markdown.ts';
import { isGone, type Page } from './objects.ts';
import { headOf, pageVersion, uploadIn, versionOf } from './pages.ts';
import { notionFields, rootsOf } from './settings.ts';
import { topsOf } from './tops.ts';

const FILE = 'file/';

/**
 * Source for Notion pages. Each page becomes a Markdown file, and each uploaded file is listed separately.
 */
export const notion = defineSource({
  kind: 'SOURCE_8_PAGE',
  title: 'Notes pages',
  client: { word: 'NOTION_PAGE', className: 'CloudNotionPageDataSource' },
  fields: notionFields,
  capabilities: { versionNamesContent: false, permissions: false, webUrls: true },
  open(settings, deps) {
    const api = new NotionApi(settings, deps);
    const tops = topsOf(api);
    return {
      list: async (cursor) => notionListing(api, rootsOf(settings), tops)(cursor),
      read: (id) => (id.startsWith(FILE) ? upload(api, id.slice(FILE.length)) : pageContent(api, id)),
    };
  },
  async check(settings, deps) {
    const roots = rootsOf(settings);
    const api = new NotionApi(settings, deps);
    await api.self();
    if (roots.length === 0) await api.search(null);
    for (const { id, field } of roots) {
      const found = await orMissing<unknown>(field === 'page_ids' ? api.page(id) : api.database(id));
      if (!found) throw notShared(id, field);
    }
  },
});

async function pageContent(api: NotionApi, id: string): Promise<SourceContent | undefined> {
  const page = await orGone(api.page(id));
  if (!page || isGone(page)) return undefined;
  return { body: bytesOf(api, page), version: await pageVersion(page), contentType: 'text/markdown' };
}

async function* bytesOf(api: NotionApi, page: Page): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(headOf(page));
  let isFirst = true;
  for await (const piece of markdownOfPage(api, page.id)) {
    yield encoder.encode(isFirst ? `\n\n${piece}` : piece);
    isFirst = false;
  }
  yield encoder.encode('\n');
}

/**
 * Reads an uploaded file. Its URL is requested again because it expires after an hour. The URL itself grants
 * access, so no credentials are sent.
 */
async function upload(api: NotionApi, blockId: string): Promise<SourceContent | undefined> {
  const block = await orGone(api.block(blockId));
  const found = block && !isGone(block) ? uploadIn(block) : undefined;
  if (!found) return undefined;
  const response = await orGone(api.download(found.url, blockId));
  if (!response) return undefined;
  return { body: api.bytes(response), version: versionOf(block!.last_edited_time), contentType: null };
}
