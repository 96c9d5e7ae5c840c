import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('descriptions/', import.meta.url);

/** Hosts of the descriptions' servers; `{name}` in one stands for any part of a name. */
function patterns(): RegExp[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  const urls = files.flatMap((name) => {
    const { servers } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as {
      servers: { url: string }[];
    };
    return servers.map(({ url }) => url);
  });
  const hosts = urls.flatMap((url) => /^https?:\/\/([^/:]+)/.exec(url)?.[1] ?? []);
  // A host that is all variable is whatever a customer names his own.
  const named = hosts.filter((host) => /[a-z]/i.test(host.replaceAll(/\{[^}]*\}/g, '')));
  return named.map((host) => {
    const parts = host.split(/\{[^}]*\}/).map((part) => part.replaceAll('.', '\\.'));
    return new RegExp(`^${parts.join('[a-z0-9-]+')}$`, 'i');
  });
}

let known: RegExp[] | undefined;

/** Public, and nobody's whom a test could reach. */
const ADDRESS = '8.8.8.8';

/** A public name whose address is inside a private network. */
export const PRIVATE_NAME = 'private.nowhere.example';
const PRIVATE_ADDRESS = '10.1.1.1';

/**
 * What a resolver over HTTPS says of a name: vendors of the tests have an address, so that the guard of addresses is
 * passed as it is in the world. `PRIVATE_NAME` has a private one. Other names do not exist.
 */
export function lookedUp(query: URL): unknown {
  known ??= patterns();
  const name = (query.searchParams.get('name') ?? '').replace(/\.$/, '');
  const isV4 = query.searchParams.get('type') !== 'AAAA';
  const vendor = known.some((pattern) => pattern.test(name)) ? ADDRESS : undefined;
  const data = name === PRIVATE_NAME ? PRIVATE_ADDRESS : vendor;
  const Question = [{ name, type: 1 }];
  return isV4 && data
    ? { Status: 0, Question, Answer: [{ name, type: 1, TTL: 60, data }] }
    : { Status: 3, Question, Answer: [] };
}
