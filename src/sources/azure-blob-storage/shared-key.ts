/** Content-Encoding to Range, none of which a request to read has. */
const EMPTY_HEADERS = Array<string>(11).fill('');

/** The value of `authorization` for a request without a body. Names of `headers` are in lower case. */
export async function sharedKey(
  method: string,
  url: URL,
  headers: Record<string, string>,
  { account, key }: { account: string; key: Uint8Array<ArrayBuffer> },
): Promise<string> {
  const own = Object.keys(headers).filter((name) => name.startsWith('x-ms-'));
  const named = own.sort().map((name) => `${name}:${headers[name]}`);
  const query = [...url.searchParams].map(([name, value]) => `${name}:${value}`).sort();
  const resource = [`/${account}${url.pathname}`, ...query];
  const text = [method, ...EMPTY_HEADERS, ...named, ...resource].join('\n');
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  const bytes = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text));
  return `SharedKey ${account}:${btoa(String.fromCharCode(...new Uint8Array(bytes)))}`;
}
