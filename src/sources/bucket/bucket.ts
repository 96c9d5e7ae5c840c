import { AwsV4Signer } from 'aws4fetch';
import { compilePattern } from '#src/lib/pattern.ts';
import type { SourceComponent } from '#src/sources/components.ts';
import { failureOf, sourceHttp } from '#src/sources/http.ts';
import type { Source, SourceDriver, SourceError } from '#src/sources/source.ts';
import { guardUrl } from '#src/upstream/address-guard.ts';
import { bucketAddress, encodeKey, regionOf } from './address.ts';
import { readErrorCode, readListing } from './listing.ts';

type Component = SourceComponent<'SOURCE_9_BUCKET'>;

/** What one listing request may hold, by the protocol. */
const PAGE = 1000;

/**
 * Any bucket that speaks the S3 protocol. Without credentials requests are not signed: public buckets only.
 * `prefix` narrows the listing at the bucket; `regex_pattern` must be found in the key.
 */
export const bucketSource: SourceDriver<Component> = (component, settings): Source => {
  const { bucket, prefix, regex_pattern: pattern } = component;
  const wanted = pattern ? compilePattern(pattern) : undefined;
  const http = sourceHttp(settings.SILENCE_SECONDS);
  let region = regionOf(component.bucket_endpoint_url);

  /** Signs and sends; a bucket that names another region is asked again there. */
  async function request(key: string, query: Record<string, string>): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const url = bucketAddress(component, region);
      url.pathname += encodeKey(key);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      await guardUrl(url, settings);
      const response = await http.fetch(await signed(url));
      const told = response.headers.get('x-amz-bucket-region');
      if (response.ok || attempt > 1 || !told || told === region) return response;
      await response.body?.cancel();
      region = told;
    }
  }

  async function signed(url: URL): Promise<Request> {
    const { cloud_access_id: accessKeyId, cloud_access_secret: secretAccessKey } = component;
    if (!accessKeyId || !secretAccessKey) return new Request(url, { redirect: 'manual' });
    const signer = new AwsV4Signer({ url: url.href, accessKeyId, secretAccessKey, service: 's3', region });
    const { headers } = await signer.sign();
    return new Request(url, { headers, redirect: 'manual' });
  }

  /** Why the store said no, in its own word for it. Never echoes headers: they carry the signature. */
  async function refusal(response: Response, what: string): Promise<SourceError> {
    const code = readErrorCode(await http.text(response).catch(() => ''));
    return failureOf(response, `The store refused ${what}: ${response.status}${code && ` ${code}`}.`, {
      // A clock that is off, and a request that the store itself calls too slow or too many, pass with time.
      alsoRetryable: ['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown'].includes(code),
    });
  }

  async function listing(query: Record<string, string>) {
    const response = await request('', { 'list-type': '2', 'encoding-type': 'url', ...query });
    if (!response.ok) throw await refusal(response, `bucket ${bucket}`);
    return readListing(await http.text(response));
  }

  return {
    versionNamesContent: true,
    async list(cursor) {
      const page = await listing({
        'max-keys': String(PAGE),
        ...(prefix && { prefix }),
        ...(cursor && { 'continuation-token': cursor }),
      });
      const entries = page.objects
        // Keys that end in a slash are how tools draw folders.
        .filter(({ key }) => !key.endsWith('/') && (!wanted || wanted.test(key)))
        .map(({ key, size, etag, modifiedAt }) => ({
          id: key,
          name: key.slice(key.lastIndexOf('/') + 1),
          size,
          version: versionOf(etag) ?? `${size}:${modifiedAt?.getTime()}`,
          modifiedAt,
          metadata: { file_path: key, bucket, etag },
        }));
      return { entries, cursor: page.next };
    },
    async fetch(key) {
      const response = await request(key, {});
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok || !response.body) throw await refusal(response, `object ${key}`);
      return {
        body: http.body(response),
        version: versionOf(response.headers.get('etag')),
        contentType: response.headers.get('content-type'),
      };
    },
    async check() {
      await listing({ 'max-keys': '1', ...(prefix && { prefix }) });
    },
  };
};

/** An ETag names bytes; weak ones and their quotes are how servers put it. Null: the store gives none. */
function versionOf(etag: string | null | undefined): string | null {
  return etag?.replace(/^W\//, '').replaceAll('"', '') || null;
}
