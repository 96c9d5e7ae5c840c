import { contentDisposition } from './content-disposition.ts';

interface Options {
  /** What a client saves it as. */
  name: string;
  contentType: string;
  /** Whether a browser may show it. Never for uploads: a page among them would run as one of ours. */
  inline?: boolean;
}

/** A missing object reads as undefined. */
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
    'content-disposition': contentDisposition(inline ? 'inline' : 'attachment', name),
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': contentType,
    etag: object.httpEtag,
    'last-modified': object.uploaded.toUTCString(),
    'x-content-type-options': 'nosniff',
  });
  const precondition = evaluate(request.headers, object);
  if (precondition === 304) return new Response(null, { status: 304, headers });
  if (precondition === 412) return new Response(null, { status: 412 });
  const range = rangeApplies(request.headers, object) ? parseRange(request, object.size) : undefined;
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
  // Replaced between the two reads: told apart from the client's own failures by its status.
  if (!('body' in read)) return new Response(null, { status: 412 });
  return new Response(read.body, { status, headers });
}

/** RFC 9110, section 13.2.2, for methods that only read. */
function evaluate(headers: Headers, object: R2Object): 304 | 412 | undefined {
  const ifMatch = headers.get('if-match');
  const ifUnmodifiedSince = Date.parse(headers.get('if-unmodified-since') ?? '');
  if (ifMatch !== null) {
    if (!etagListed(ifMatch, object.httpEtag, 'strong')) return 412;
  } else if (seconds(object.uploaded) > ifUnmodifiedSince) return 412;
  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch !== null) return etagListed(ifNoneMatch, object.httpEtag, 'weak') ? 304 : undefined;
  const ifModifiedSince = Date.parse(headers.get('if-modified-since') ?? '');
  return seconds(object.uploaded) <= ifModifiedSince ? 304 : undefined;
}

/** HTTP dates have whole seconds. */
const seconds = (date: Date) => Math.floor(date.getTime() / 1000) * 1000;

function etagListed(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  return list
    .split(',')
    .map((each) => each.trim())
    .some((each) => (comparison === 'weak' ? each.replace(/^W\//, '') : each) === etag);
}

function rangeApplies(headers: Headers, object: R2Object): boolean {
  const condition = headers.get('if-range');
  if (condition === null) return true;
  if (condition.startsWith('"')) return condition === object.httpEtag;
  return seconds(object.uploaded) === Date.parse(condition);
}

/** One range of bytes; several at once, or another unit, are answered with the whole, as the RFC allows. */
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
