import { DomainError } from '#src/lib/errors.ts';
import { SourceError } from '#src/ports/source.ts';
import { scanXml } from '#src/text-formats/xml.ts';

/** What the container tells of a blob, in a listing or with the blob itself. */
export interface ListedBlob {
  name: string;
  size: number | null;
  etag: string | null;
  modifiedAt: Date | null;
  contentType: string | null;
  /** Of people and programs, as they put it there. */
  metadata: Record<string, string>;
  isFolder: boolean;
}

export interface Listing {
  blobs: ListedBlob[];
  /** The marker of the next page. */
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
 * Reads the answer to List Blobs. It is read by its events, since a page of 5,000 blobs with metadata makes a tree too
 * large to be kept.
 */
export function readListing(xml: string): Listing {
  // What broke off looks like a shorter listing, and what is not listed is deleted.
  if (!xml.trimEnd().endsWith(`</${ROOT}>`)) throw noListing();
  const found: ReadBlob[] = [];
  const open: string[] = [];
  let text = '';
  let next: string | undefined;
  const ended = (name: string, parent: string) => {
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
        if (open.length <= 4) ended(name, open.join('/'));
      },
    });
  } catch (error) {
    if (error instanceof DomainError) throw noListing();
    throw error;
  }
  if (next === undefined) throw noListing();
  return { blobs: found.map(blobOf), next: next || null };
}

function blobOf({ name, isEncoded, properties, metadata }: ReadBlob): ListedBlob {
  return describedBlob(
    isEncoded ? decoded(name) : name,
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

/** The same of the headers of a blob. */
export function blobOfHeaders(name: string, headers: Headers): ListedBlob {
  const metadata = [...headers].flatMap(([header, value]): [string, string][] =>
    header.startsWith('x-ms-meta-') ? [[header.slice('x-ms-meta-'.length), value]] : [],
  );
  return describedBlob(
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

type Told = Record<
  'size' | 'etag' | 'modifiedAt' | 'contentType' | 'resourceType',
  string | null | undefined
>;

function describedBlob(name: string, told: Told, metadata: Iterable<[string, string]>): ListedBlob {
  const known = [...metadata];
  const modified = new Date(told.modifiedAt ?? '');
  return {
    name,
    size: told.size ? Number(told.size) : null,
    etag: versionOf(told.etag),
    modifiedAt: Number.isNaN(modified.getTime()) ? null : modified,
    contentType: told.contentType || null,
    metadata: Object.fromEntries(known.filter(([key]) => key.toLowerCase() !== 'hdi_isfolder')),
    isFolder:
      name.endsWith('/') ||
      told.resourceType === 'directory' ||
      known.some(([key, value]) => key.toLowerCase() === 'hdi_isfolder' && value.toLowerCase() === 'true'),
  };
}

/** Listings give ETags without the quotes that headers have. */
export const versionOf = (etag: string | null | undefined): string | null =>
  etag?.replace(/^W\//, '').replaceAll('"', '') || null;

/** Names with characters that XML cannot hold are escaped as in addresses. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const noListing = () =>
  new SourceError('Azure Blob Storage did not answer with a whole listing.', { retryable: true });
