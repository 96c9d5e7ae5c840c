import { SourceError } from '#src/ports/source.ts';
import { child, elements, getTextContent, parseXml, type XmlElement } from '#src/text-formats/xml.ts';

export interface ListedObject {
  key: string;
  size: number;
  etag: string;
  modifiedAt: Date | null;
}

export interface Listing {
  objects: ListedObject[];
  /** Continuation token that requests the next page of the listing. `null` on the last page. */
  next: string | null;
}

/**
 * Parses a ListObjectsV2 response to a request with `encoding-type=url`. Stores that ignore this parameter
 * omit `EncodingType` from the response.
 */
export function readListing(xml: string): Listing {
  const root = parseXml(xml, { local: true });
  if (root?.name !== 'ListBucketResult') {
    throw new SourceError('The S3 store did not return a list of objects.', { retryable: false });
  }
  // The XML parser closes open elements, so a truncated listing would look complete. A sync would then delete
  // the missing objects.
  if (!/<\/(?:[\w.-]+:)?ListBucketResult\s*>\s*$/.test(xml)) {
    throw new SourceError('The S3 store returned an incomplete list of objects.', { retryable: true });
  }
  const isEncoded = field(root, 'EncodingType') === 'url';
  const objects = elements(root, 'Contents').map((object) => {
    const key = field(object, 'Key');
    const modified = new Date(field(object, 'LastModified'));
    return {
      key: isEncoded ? decodeKey(key) : key,
      size: Number(field(object, 'Size')),
      etag: field(object, 'ETag').replaceAll('"', ''),
      modifiedAt: Number.isNaN(modified.getTime()) ? null : modified,
    };
  });
  const isTruncated = field(root, 'IsTruncated') === 'true';
  const next = isTruncated ? field(root, 'NextContinuationToken') : null;
  if (next === '') {
    const message =
      'The S3 store reported more objects but no token for the next page (NextContinuationToken).';
    throw new SourceError(message, { retryable: false });
  }
  return { objects, next };
}

/**
 * Reads an S3 error code such as `AccessDenied`. Returns an empty string if the response is not an error
 * document.
 */
export function readErrorCode(xml: string): string {
  if (!xml.includes('<Error')) return '';
  const root = parseXml(xml.slice(0, 10_000), { local: true });
  return root?.name === 'Error' ? field(root, 'Code') : '';
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    // A key with invalid encoding is returned unchanged. A key that is not valid text cannot be requested
    // anyway.
    return key;
  }
}

function field(parent: XmlElement, name: string): string {
  const element = child(parent, name);
  return element ? getTextContent(element) : '';
}
