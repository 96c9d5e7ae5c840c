/** Public name of the bucket of `source` in test/suites/operation-bodies.ts. Other names of the tests do not exist. */
export const PUBLIC_NAME = 'storage.example';

/** Public address that no test can reach. */
export const PUBLIC_ADDRESS = '8.8.8.8';

const EMPTY_BUCKET =
  '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
  '<Name>papers</Name><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>' +
  '</ListBucketResult>';

/** Returns the answer to a DNS over HTTPS query for a name with this IPv4 address, or for a name that does not exist. */
export function describeLookup(query: URL, address?: string): unknown {
  const name = query.searchParams.get('name');
  const Question = [{ name, type: 1 }];
  return address !== undefined && query.searchParams.get('type') !== 'AAAA'
    ? { Status: 0, Question, Answer: [{ name, type: 1, TTL: 60, data: address }] }
    : { Status: 3, Question, Answer: [] };
}

/**
 * Answers a request to a public address. The bucket is empty, so that its syncs end at once. Every other address has a
 * short text.
 */
export function answerPublic(address: string): Response {
  const url = new URL(address);
  if (url.pathname === '/dns-query') {
    const isPublic = url.searchParams.get('name') === PUBLIC_NAME;
    return Response.json(describeLookup(url, isPublic ? PUBLIC_ADDRESS : undefined));
  }
  if (!url.searchParams.has('list-type')) return new Response('a report');
  return new Response(EMPTY_BUCKET, { headers: { 'content-type': 'application/xml' } });
}
