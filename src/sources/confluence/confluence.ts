import { type SourceContent, SourceError } from '#src/ports/source.ts';
import { defineSource, type SourceDeps } from '#src/sources/shared/define.ts';
import { getTextContent, parseMarkup, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { createAccessLookup } from './access.ts';
import { ConfluenceApi, type Kind, MAX_USERS } from './api.ts';
import { buildQueries } from './cql.ts';
import { isPage, pageVersion } from './entries.ts';
import { createMissingSpaceError, listingPage } from './listing.ts';
import { type ConfluenceSettings, confluenceFields, createPermanentError } from './settings.ts';
import { listMentions } from './storage/references.ts';
import { renderPage } from './storage/render.ts';
import { content } from './wire.ts';

const INLINE = new Set(
  'a b big code del em font i ins kbd mark q s samp small span strike strong sub sup tt u var'.split(' '),
);

const CELLS = new Set(['td', 'th']);

const MAX_CACHED_NAMES = 20_000;

const MAX_MENTIONED = 2000;

/** Data source for the pages and blog posts of Confluence Cloud and their attachments. */
export const confluence = defineSource({
  kind: 'SOURCE_3_WIKI',
  title: 'Wiki',
  client: { word: 'CONFLUENCE', className: 'CloudConfluenceDataSource' },
  fields: confluenceFields,
  capabilities: { versionNamesContent: false, permissions: true, webUrls: true },
  open(settings, deps) {
    // The client is created on first use. Incomplete settings therefore do not prevent opening the data
    // source, and only requests fail.
    const opened = once(() => {
      const api = new ConfluenceApi(settings, deps);
      const queries = buildQueries(settings);
      return {
        api,
        queries,
        settings,
        access: createAccessLookup(api),
        log: deps.log,
        names: createNameLookup(api),
      };
    });
    return {
      list: async (cursor) => listingPage(opened(), cursor),
      async read(id) {
        const { api, names } = opened();
        const [kind = '', own = ''] = id.split('/', 2);
        return isPage(kind) ? readPage(api, names, settings, kind, own) : readFile(api, own);
      },
    };
  },
  check,
});

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function check(settings: ConfluenceSettings, deps: SourceDeps): Promise<void> {
  const api = new ConfluenceApi(settings, deps);
  const queries = buildQueries(settings);
  for (const space of new Set(queries.flatMap((each) => each.space ?? []))) {
    if (!(await api.space(space))) throw createMissingSpaceError(space);
  }
  const [query] = queries;
  const { results } = await api.search(query!.cql, null, query!.fields);
  const found = results.flatMap((each) => content.safeParse(each).data ?? []);
  const missing = query!.ids.find((each) => !found.some(({ id }) => id === each));
  if (missing !== undefined)
    throw createPermanentError(
      `Confluence has no page ${missing} (page_ids), or these credentials may not see it.`,
    );
  const spaceId = found.flatMap(({ space }) => space?.id ?? [])[0];
  if (spaceId !== undefined && settings.sync_permissions !== false)
    await createAccessLookup(api).getSpaceReaders(String(spaceId));
}

async function readPage(
  api: ConfluenceApi,
  names: (ids: string[]) => Promise<ReadonlyMap<string, string>>,
  { keep_markdown_format }: ConfluenceSettings,
  kind: Kind,
  id: string,
): Promise<SourceContent | undefined> {
  const page = await api.body(kind, id);
  if (!page || isGone(page.status)) return undefined;
  const root = parseStorageFormat(page.body.storage.value);
  const context = {
    base: page._links?.base || api.site,
    spaceKey: parseSpaceKey(page._links?.webui),
    names: await names(listMentions(root)),
  };
  const html = renderPage(root, page.title || id, context);
  const isHtml = keep_markdown_format !== false;
  return {
    body: yieldOnce(new TextEncoder().encode(isHtml ? html : plainText(parseStorageFormat(html)))),
    version: pageVersion(page.version?.number, isHtml) || null,
    contentType: isHtml ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
  };
}

async function readFile(api: ConfluenceApi, id: string): Promise<SourceContent | undefined> {
  const file = await api.attachment(id);
  if (!file || isGone(file.status)) return undefined;
  const holder = file.pageId ?? file.blogPostId ?? file.customContentId;
  if (!holder)
    throw new SourceError(`Confluence did not report the page of attachment ${id}.`, { retryable: false });
  return api.download(holder, id);
}

const isGone = (status: string | null | undefined) => status === 'trashed' || status === 'deleted';

/** Extracts the space key from a Confluence path of the form /spaces/KEY/pages/1/Title. */
const parseSpaceKey = (webui: string | null | undefined): string | null =>
  /^\/spaces\/([\w~.-]{1,255})\//.exec(webui ?? '')?.[1] ?? null;

async function* yieldOnce(bytes: Uint8Array) {
  yield bytes;
}

/**
 * Creates a cached lookup of Confluence users' display names by account id. Names that these credentials may
 * not see are missing from the result.
 */
function createNameLookup(api: ConfluenceApi): (ids: string[]) => Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  return async (ids) => {
    if (known.size > MAX_CACHED_NAMES) known.clear();
    const unknown = ids.slice(0, MAX_MENTIONED).filter((id) => !known.has(id));
    for (let at = 0; at < unknown.length; at += MAX_USERS) {
      for (const user of await fetchUsers(api, unknown.slice(at, at + MAX_USERS))) {
        const name = user.displayName || user.publicName;
        if (name) known.set(user.accountId, name);
      }
    }
    return known;
  };
}

/**
 * Requests the names of Confluence users. Returns an empty list after a permanent failure, because a page is
 * useful even without the names.
 */
async function fetchUsers(api: ConfluenceApi, ids: string[]) {
  try {
    return await api.users(ids);
  } catch (error) {
    if (error instanceof SourceError && !error.retryable) return [];
    throw error;
  }
}

/**
 * Parses Confluence's storage format, which is XHTML with extra elements and CDATA sections. The tree is at
 * most 256 levels deep. Throws a SourceError if the page is too large or malformed.
 */
export function parseStorageFormat(source: string): XmlElement {
  try {
    return parseMarkup(source, { html: true, cdata: true });
  } catch (error) {
    throw createPermanentError(`The Confluence page cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Extracts the text of an HTML document. Each block becomes a line, and the cells of a table row share a
 * line.
 */
export function plainText(root: XmlElement): string {
  const lines: string[] = [];
  let line = '';
  const end = () => {
    if (line.trim() !== '') lines.push(line.trim());
    line = '';
  };
  const walk = (node: XmlNode) => {
    if (typeof node === 'string') line += node.replaceAll(/\s+/g, ' ');
    else if (node.name === 'img') line += ` ${node.attributes.alt ?? ''} `;
    else if (node.name === 'pre') {
      end();
      lines.push(getTextContent(node));
    } else if (INLINE.has(node.name)) inside(node);
    else if (CELLS.has(node.name)) {
      line += getTextContent(node).replaceAll(/\s+/g, ' ').concat('\t');
    } else {
      end();
      inside(node);
      end();
    }
  };
  const inside = (element: XmlElement) => {
    for (const node of element.children) walk(node);
  };
  walk(root);
  end();
  return `${lines.join('\n')}\n`;
}
