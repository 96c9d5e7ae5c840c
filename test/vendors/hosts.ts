import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('descriptions/', import.meta.url);

/** Host patterns of the servers in the descriptions. `{name}` matches any part of a name. */
function patterns(): RegExp[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  const urls = files.flatMap((name) => {
    const { servers } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as {
      servers: { url: string }[];
    };
    return servers.map(({ url }) => url);
  });
  const hosts = urls.flatMap((url) => /^https?:\/\/([^/:]+)/.exec(url)?.[1] ?? []);
  // A host that consists of a variable only is a customer's own host.
  const named = hosts.filter((host) => /[a-z]/i.test(host.replaceAll(/\{[^}]*\}/g, '')));
  return named.map((host) => {
    const parts = host.split(/\{[^}]*\}/).map((part) => part.replaceAll('.', '\\.'));
    return new RegExp(`^${parts.join('[a-z0-9-]+')}$`, 'i');
  });
}

let known: RegExp[] | undefined;

/** Public address that no test can reach. */
const ADDRESS = '8.8.8.8';

/** Public name of the bucket of `source` in test/suites/operation-bodies.ts. */
export const BUCKET_NAME = 'storage.example';

/** Public name that resolves to a private address. */
export const PRIVATE_NAME = 'private.nowhere.example';
const PRIVATE_ADDRESS = '10.1.1.1';

/**
 * Answers a DNS over HTTPS query. Vendor hosts and the bucket have a public address, so that the address guard accepts
 * them.
 * `PRIVATE_NAME` has a private address, and other names do not exist.
 */
export function lookedUp(query: URL): unknown {
  known ??= patterns();
  const name = (query.searchParams.get('name') ?? '').replace(/\.$/, '');
  const isV4 = query.searchParams.get('type') !== 'AAAA';
  const vendor = name === BUCKET_NAME || known.some((pattern) => pattern.test(name)) ? ADDRESS : undefined;
  const data = name === PRIVATE_NAME ? PRIVATE_ADDRESS : vendor;
  const Question = [{ name, type: 1 }];
  return isV4 && data
    ? { Status: 0, Question, Answer: [{ name, type: 1, TTL: 60, data }] }
    : { Status: 3, Question, Answer: [] };
}
