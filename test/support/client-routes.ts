/** Request that a method of a client library sends, such as `GET /api/v1/pipelines/{}`. */
export interface ClientRoute {
  /** Path of the method in the client, such as `pipelines.files.list`. */
  method: string;
  /** Verb and path. Ids in the path are written as `{}`. */
  route: string;
}

/** Value of every id and every parameter. In a path it stands for an id. */
const SAMPLE = 'sample';

class Sent extends Error {}

type Members = Record<string, unknown>;
type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Parameters in which every member has a value, so that a method finds whatever it puts into its path. */
const anyParameters = new Proxy({} as Members, {
  get: (_, name) => (typeof name === 'string' && name !== 'then' && name !== 'toJSON' ? SAMPLE : undefined),
});

/**
 * Calls every method of a client library and returns the first request of each. The requests are not sent.
 * Methods that send none, such as helpers that only compute, are left out.
 */
export async function listClientRoutes(create: (fetch: Fetch) => object): Promise<ClientRoute[]> {
  let sent: string | undefined;
  const client = create(async (url, init) => {
    const request = url instanceof Request ? url : undefined;
    const { protocol, pathname } = new URL(request?.url ?? String(url));
    // A client tries with an empty data URL whether its `fetch` can send files.
    if (protocol === 'data:') return new Response('');
    const path = pathname
      .split('/')
      .map((part) => (decodeURIComponent(part) === SAMPLE ? '{}' : part))
      .join('/');
    sent ??= `${(init?.method ?? request?.method ?? 'get').toUpperCase()} ${path}`;
    throw new Sent();
  });
  const routes: ClientRoute[] = [];
  for (const [method, call] of listMethods(client)) {
    sent = undefined;
    await call().catch(() => {});
    if (sent) routes.push({ method, route: sent });
  }
  return routes;
}

/** Lists the methods of a client and of its resources, each as a function without arguments. */
function* listMethods(owner: object, path: string[] = []): Generator<[string, () => Promise<unknown>]> {
  const prototype = Object.getPrototypeOf(owner) as Members;
  const isResource = path.length > 0;
  for (const name of isResource ? Object.getOwnPropertyNames(prototype) : []) {
    const method = prototype[name];
    if (name === 'constructor' || name.startsWith('_') || typeof method !== 'function') continue;
    const given = listArguments(method.toString());
    yield [[...path, name].join('.'), async () => method.apply(owner, given)];
  }
  for (const [name, member] of Object.entries(owner)) {
    if (typeof member === 'object' && member !== null && '_client' in member) {
      yield* listMethods(member, [...path, name]);
    }
  }
}

/** Returns an id for each argument that a method puts into its path, and parameters for the others. */
function listArguments(source: string): unknown[] {
  const [, list = ''] = /^[^(]*\(([^)]*)\)/.exec(source) ?? [];
  const names = list.split(',').map((each) => each.split('=')[0]!.trim());
  return names
    .filter((name) => name !== '' && name !== 'options')
    .map((name) => (source.includes(`\${${name}}`) ? SAMPLE : anyParameters));
}
