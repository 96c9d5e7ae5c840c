import { DomainError } from '#src/lib/errors.ts';
import { SourceError } from '#src/ports/source.ts';
import { scanXml } from '#src/text-formats/xml.ts';

export interface ListedBlob {
  name: string;
  size: number | null;
  etag: string | null;
  modifiedAt: Date | null;
  contentType: string | null;
  metadata: Record<string, string>;
  isFolder: boolean;
}

export interface Listing {
  blobs: ListedBlob[];
  /** Marker that requests the next page of the blob listing. `null` on the last page. */
  next: string | null;
}

interface ReadBlob {
  name: string;
  isEncoded: boolean;
  properties: Map<string, string>;
  metadata: Map<string, string>;
}

const ROOT = 'EnumerationResults';
const BLOB = `${ROOT}/Blobs/Blob`;

/**
 * Parses Azure's List Blobs response as a stream of XML events. A tree of 5,000 blobs with metadata would
 * take too much memory.
 */
export function readListing(xml: string): Listing {
  // Rejects truncated responses, because a sync would treat the missing blobs as deleted.
  if (!xml.trimEnd().endsWith(`</${ROOT}>`)) throw createIncompleteListingError();
  const found: ReadBlob[] = [];
  const open: string[] = [];
  let text = '';
  let next: string | undefined;
  const handleClose = (name: string, parent: string) => {
    const blob = found.at(-1);
    if (parent === ROOT && name === 'NextMarker') next = text;
    if (!blob) return;
    if (parent === BLOB && name === 'Name') blob.name = text;
    if (parent === `${BLOB}/Properties`) blob.properties.set(name, text);
    if (parent === `${BLOB}/Metadata`) blob.metadata.set(name, text);
  };
  try {
    scanXml(xml, {
      open(name, { Encoded }) {
        open.push(name);
        text = '';
        const blob = found.at(-1);
        if (open.length > 4) return;
        const path = open.join('/');
        if (path === BLOB)
          found.push({ name: '', isEncoded: false, properties: new Map(), metadata: new Map() });
        else if (blob && path === `${BLOB}/Name`) blob.isEncoded = Encoded === 'true';
      },
      text: (piece) => {
        text += piece;
      },
      close(name) {
        open.pop();
        if (open.length <= 4) handleClose(name, open.join('/'));
      },
    });
  } catch (error) {
    if (error instanceof DomainError) throw createIncompleteListingError();
    throw error;
  }
  if (next === undefined) throw createIncompleteListingError();
  return { blobs: found.map(toListedBlob), next: next || null };
}

function toListedBlob({ name, isEncoded, properties, metadata }: ReadBlob): ListedBlob {
  return buildListedBlob(
    isEncoded ? decodeName(name) : name,
    {
      size: properties.get('Content-Length'),
      etag: properties.get('Etag'),
      modifiedAt: properties.get('Last-Modified'),
      contentType: properties.get('Content-Type'),
      resourceType: properties.get('ResourceType'),
    },
    metadata,
  );
}

export function readBlobHeaders(name: string, headers: Headers): ListedBlob {
  const metadata = [...headers].flatMap(([header, value]): [string, string][] =>
    header.startsWith('x-ms-meta-') ? [[header.slice('x-ms-meta-'.length), value]] : [],
  );
  return buildListedBlob(
    name,
    {
      size: headers.get('content-length'),
      etag: headers.get('etag'),
      modifiedAt: headers.get('last-modified'),
      contentType: headers.get('content-type'),
      resourceType: headers.get('x-ms-resource-type'),
    },
    metadata,
  );
}

type RawProperties = Record<
  'size' | 'etag' | 'modifiedAt' | 'contentType' | 'resourceType',
  string | null | undefined
>;

function buildListedBlob(name: string, raw: RawProperties, metadata: Iterable<[string, string]>): ListedBlob {
  const known = [...metadata];
  const modified = new Date(raw.modifiedAt ?? '');
  return {
    name,
    size: raw.size ? Number(raw.size) : null,
    etag: normalizeEtag(raw.etag),
    modifiedAt: Number.isNaN(modified.getTime()) ? null : modified,
    contentType: raw.contentType || null,
    metadata: Object.fromEntries(known.filter(([key]) => key.toLowerCase() !== 'hdi_isfolder')),
    isFolder:
      name.endsWith('/') ||
      raw.resourceType === 'directory' ||
      known.some(([key, value]) => key.toLowerCase() === 'hdi_isfolder' && value.toLowerCase() === 'true'),
  };
}

/**
 * Removes the quotes and the prefix `W/` from an ETag. Azure's listings contain ETags without quotes, but
 * response headers contain them with quotes.
 */
export const normalizeEtag = (etag: string | null | undefined): string | null =>
  etag?.replace(/^W\//, '').replaceAll('"', '') || null;

/** Decodes a percent-encoded blob name. Azure encodes names with characters that XML cannot represent. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const createIncompleteListingError = () =>
  new SourceError('Azure Blob Storage returned an incomplete or invalid listing.', { retryable: true });
