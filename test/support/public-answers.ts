const EMPTY_BUCKET =
  '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
  '<Name>papers</Name><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>' +
  '</ListBucketResult>';

/**
 * Answers a request to a public address. The bucket of the tests' data source is empty, so that its syncs end at once.
 * Every other address has a short text.
 */
export function answerPublic(url: string): Response {
  if (!new URL(url).searchParams.has('list-type')) return new Response('a report');
  return new Response(EMPTY_BUCKET, { headers: { 'content-type': 'application/xml' } });
}
