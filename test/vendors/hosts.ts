import { readdirSync, readFileSync } from 'node:fs';
import { describeLookup, PUBLIC_ADDRESS, PUBLIC_NAME } from '../support/public-answers.ts';

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

/** Public name that resolves to a private address. */
export const PRIVATE_NAME = 'private.nowhere.example';
const PRIVATE_ADDRESS = '10.1.1.1';

/**
 * Answers a DNS over HTTPS query. Vendor hosts and the bucket have a public address, which the address guard accepts.
 * `PRIVATE_NAME` has a private address, and other names do not exist.
 */
export function lookedUp(query: URL): unknown {
  known ??= patterns();
  const name = (query.searchParams.get('name') ?? '').replace(/\.$/, '');
  if (name === PRIVATE_NAME) return describeLookup(query, PRIVATE_ADDRESS);
  const isPublic = name === PUBLIC_NAME || known.some((pattern) => pattern.test(name));
  return describeLookup(query, isPublic ? PUBLIC_ADDRESS : undefined);
}
