import type { SourceEntry } from '#src/ports/source.ts';
import type { Kind } from './api.ts';
import type { Attachment, Content } from './wire.ts';

/** Properties that attachments inherit from their Confluence page. */
export interface PageContext {
  kind: Kind;
  id: string;
  /**
   * Readable path of the Confluence page: the space, the titles of the ancestors, and the title of the page.
   */
  path: string;
  base: string;
  permissions: Record<string, unknown> | null;
  metadata: Record<string, unknown>;
}

export const isPage = (type: string): type is Kind => type === 'page' || type === 'blogpost';

/**
 * Builds the listing entry of a Confluence page. The page is read as HTML if `isHtml` is true, otherwise as
 * plain text.
 */
export function pageEntry(page: Content, context: PageContext, isHtml: boolean): SourceEntry {
  const { version, history, status, metadata } = page;
  const extension = isHtml ? 'html' : 'txt';
  return {
    id: `${context.kind}/${page.id}`,
    name: `${getTitle(page)}.${extension}`,
    path: `${context.path}.${extension}`,
    size: null,
    version: pageVersion(version?.number, isHtml),
    modifiedAt: parseDate(version?.when),
    webUrl: buildWebUrl(context.base, page._links?.webui),
    permissions: context.permissions,
    metadata: {
      ...context.metadata,
      ...(metadata?.labels && { labels: metadata.labels.results.map(({ name }) => name) }),
      ...(history?.createdBy?.displayName && { author: history.createdBy.displayName }),
      ...(version?.by?.displayName && { last_modified_by: version.by.displayName }),
      ...(status && { status }),
      ...(version?.number && { version: version.number }),
    },
  };
}

/**
 * Returns the version of a Confluence page. The version includes the output format, so pages are read again
 * after this setting changes.
 */
export const pageVersion = (number: number | null | undefined, isHtml: boolean): string =>
  number ? `${number} ${isHtml ? 'html' : 'text'}` : '';

export function attachmentEntry(file: Attachment, context: PageContext): SourceEntry {
  const { id, title, version, extensions } = file;
  const name = title || id;
  const { mediaType, fileSize } = extensions ?? {};
  return {
    id: `attachment/${id}`,
    name,
    path: `${context.path}/${name}`,
    size: typeof fileSize === 'number' ? fileSize : null,
    version: version?.number ? String(version.number) : '',
    modifiedAt: parseDate(version?.when),
    webUrl: buildWebUrl(context.base, file._links?.webui),
    permissions: context.permissions,
    metadata: {
      ...context.metadata,
      page_id: context.id,
      ...(mediaType && { media_type: mediaType }),
      ...(version?.number && { version: version.number }),
    },
  };
}

export function buildPageContext(
  page: Content,
  kind: Kind,
  base: string,
  permissions: Record<string, unknown> | null,
): PageContext {
  const { id, space, ancestors } = page;
  const above = ancestors.map((each) => each.title || each.id);
  return {
    kind,
    id,
    path: [space?.name || space?.key, ...above, getTitle(page)].filter(Boolean).join('/'),
    base,
    permissions,
    metadata: {
      type: kind,
      ...(space && { space_key: space.key, space_name: space.name || space.key }),
    },
  };
}

const getTitle = ({ title, id }: Content): string => title || id;
const parseDate = (text: string | null | undefined) => (text ? new Date(text) : null);

/**
 * Builds a full URL from a path within the Confluence site, because Confluence returns only paths. Returns
 * `null` if there is no path.
 */
function buildWebUrl(base: string, path: string | null | undefined): string | null {
  return path?.startsWith('/') ? `${base}${path}` : null;
}
