import type { SourceEntry } from '#src/ports/source.ts';
import type { Kind } from './api.ts';
import type { Attachment, Content } from './wire.ts';

/** Properties that attachments inherit from their page. */
export interface Place {
  kind: Kind;
  id: string;
  /** Readable path: space, ancestor titles and page title. */
  path: string;
  /** Base URL for links that open in a browser. */
  base: string;
  permissions: Record<string, unknown> | null;
  metadata: Record<string, unknown>;
}

export const isPage = (type: string): type is Kind => type === 'page' || type === 'blogpost';

/** Builds the entry of a page. With `keepsMarks`, the page is read as HTML, otherwise as plain text. */
export function pageEntry(page: Content, place: Place, keepsMarks: boolean): SourceEntry {
  const { version, history, status, metadata } = page;
  const extension = keepsMarks ? 'html' : 'txt';
  return {
    id: `${place.kind}/${page.id}`,
    name: `${titleOf(page)}.${extension}`,
    path: `${place.path}.${extension}`,
    size: null,
    version: pageVersion(version?.number, keepsMarks),
    modifiedAt: dateOf(version?.when),
    webUrl: addressOf(place.base, page._links?.webui),
    permissions: place.permissions,
    metadata: {
      ...place.metadata,
      ...(metadata?.labels && { labels: metadata.labels.results.map(({ name }) => name) }),
      ...(history?.createdBy?.displayName && { author: history.createdBy.displayName }),
      ...(version?.by?.displayName && { last_modified_by: version.by.displayName }),
      ...(status && { status }),
      ...(version?.number && { version: version.number }),
    },
  };
}

/**
 * Returns the version of a page. It includes the output format, so changing that setting reads the page
 * again.
 */
export const pageVersion = (number: number | null | undefined, keepsMarks: boolean): string =>
  number ? `${number} ${keepsMarks ? 'html' : 'text'}` : '';

export function attachmentEntry(file: Attachment, place: Place): SourceEntry {
  const { id, title, version, extensions } = file;
  const name = title || id;
  const { mediaType, fileSize } = extensions ?? {};
  return {
    id: `attachment/${id}`,
    name,
    path: `${place.path}/${name}`,
    size: typeof fileSize === 'number' ? fileSize : null,
    version: version?.number ? String(version.number) : '',
    modifiedAt: dateOf(version?.when),
    webUrl: addressOf(place.base, file._links?.webui),
    permissions: place.permissions,
    metadata: {
      ...place.metadata,
      page_id: place.id,
      ...(mediaType && { media_type: mediaType }),
      ...(version?.number && { version: version.number }),
    },
  };
}

export function placeOf(
  page: Content,
  kind: Kind,
  base: string,
  permissions: Record<string, unknown> | null,
): Place {
  const { id, space, ancestors } = page;
  const above = ancestors.map((each) => each.title || each.id);
  return {
    kind,
    id,
    path: [space?.name || space?.key, ...above, titleOf(page)].filter(Boolean).join('/'),
    base,
    permissions,
    metadata: {
      type: kind,
      ...(space && { space_key: space.key, space_name: space.name || space.key }),
    },
  };
}

const titleOf = ({ title, id }: Content): string => title || id;
const dateOf = (text: string | null | undefined) => (text ? new Date(text) : null);

/** Builds a URL within the site. Confluence returns only the path. Returns `null` if there is no path. */
function addressOf(base: string, path: string | null | undefined): string | null {
  return path?.startsWith('/') ? `${base}${path}` : null;
}
