import { buildContentDisposition } from './content-disposition.ts';

interface Options {
  /** File name under which a client saves the object. */
  name: string;
  contentType: string;
  /**
   * True if a browser may display the object. Never set it for uploads, because an uploaded page would run
   * with the rights of this site.
   */
  inline?: boolean;
}

/**
 * Serves an object with support for ranges and conditional requests. Returns undefined if the object does not
 * exist.
 */
export async function serveObject(
  bucket: R2Bucket,
  key: string,
  request: Request,
  { name, contentType, inline = false }: Options,
): Promise<Response | undefined> {
  const object = await bucket.head(key);
  if (!object) return undefined;
  const headers = new Headers({
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    'content-disposition': buildContentDisposition(inline ? 'inline' : 'attachment', name),
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': contentType,
    etag: object.httpEtag,
    'last-modified': object.uploaded.toUTCString(),
    'x-content-type-options': 'nosniff',
  });
  const precondition = evaluatePreconditions(request.headers, object);
  if (precondition === 304) return new Response(null, { status: 304, headers });
  if (precondition === 412) return new Response(null, { status: 412 });
  const range = isRangeApplicable(request.headers, object) ? parseRange(request, object.size) : undefined;
  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${object.size}` } });
  }
  const { offset, length } = range ?? { offset: 0, length: object.size };
  headers.set('content-length', String(length));
  if (range) headers.set('content-range', `bytes ${offset}-${offset + length - 1}/${object.size}`);
  const status = range ? 206 : 200;
  if (request.method === 'HEAD' || length === 0) return new Response(null, { status, headers });
  const read = await bucket.get(key, { range: { offset, length }, onlyIf: { etagMatches: object.etag } });
  if (!read) return undefined;
  // The object was replaced between the two reads. Status 412 distinguishes this case from errors that the
  // client caused.
  if (!('body' in read)) return new Response(null, { status: 412 });
  return new Response(read.body, { status, headers });
}

/** Evaluates the preconditions of a GET or HEAD request (RFC 9110, section 13.2.2). */
function evaluatePreconditions(headers: Headers, object: R2Object): 304 | 412 | undefined {
  const ifMatch = headers.get('if-match');
  const ifUnmodifiedSince = Date.parse(headers.get('if-unmodified-since') ?? '');
  if (ifMatch !== null) {
    if (!isEtagListed(ifMatch, object.httpEtag, 'strong')) return 412;
  } else if (toWholeSeconds(object.uploaded) > ifUnmodifiedSince) return 412;
  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch !== null) return isEtagListed(ifNoneMatch, object.httpEtag, 'weak') ? 304 : undefined;
  const ifModifiedSince = Date.parse(headers.get('if-modified-since') ?? '');
  return toWholeSeconds(object.uploaded) <= ifModifiedSince ? 304 : undefined;
}

const toWholeSeconds = (date: Date) => Math.floor(date.getTime() / 1000) * 1000;

function isEtagListed(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  return list
    .split(',')
    .map((each) => each.trim())
    .some((each) => (comparison === 'weak' ? each.replace(/^W\//, '') : each) === etag);
}

function isRangeApplicable(headers: Headers, object: R2Object): boolean {
  const condition = headers.get('if-range');
  if (condition === null) return true;
  if (condition.startsWith('"')) return condition === object.httpEtag;
  return toWholeSeconds(object.uploaded) === Date.parse(condition);
}

/**
 * Parses a single range of bytes. Returns undefined for several ranges or another unit, so that the whole
 * object is served, as RFC 9110 allows.
 */
function parseRange(
  request: Request,
  size: number,
): { offset: number; length: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec((request.headers.get('range') ?? '').replaceAll(' ', ''));
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? 'unsatisfiable' : { offset: size - length, length };
  }
  const first = Number(match[1]);
  const last = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < first) return undefined;
  return first >= size ? 'unsatisfiable' : { offset: first, length: last - first + 1 };
}
