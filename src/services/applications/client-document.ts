import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { DomainError } from '#src/lib/errors.ts';
import { createUpstreamHttp } from '#src/upstream/http.ts';
import { OAuthError } from './oauth-error.ts';
import { type Client, readClientMetadata, readRegisteredClient } from './registered-client.ts';

const MAX_URL = 500;
const MAX_BYTES = 64 * 1024;
const SECONDS = 5;

/** Returns whether a client id is the address of a client ID metadata document. */
const isDocumentUrl = (id: string): boolean => {
  const url = id.length <= MAX_URL ? URL.parse(id) : null;
  return url?.protocol === 'https:' && url.href === id && url.pathname !== '/' && !/[#@]/.test(id);
};

/**
 * Fetches a client ID metadata document. The address must be public, and redirects are refused. The document must
 * contain its own address as `client_id`, so that nobody can present a copy under another address.
 */
async function fetchClient({ settings }: Context, id: string): Promise<Client> {
  const http = createUpstreamHttp({
    name: 'The client ID metadata document',
    settings,
    silenceSeconds: SECONDS,
    totalSeconds: SECONDS,
    maxBytes: MAX_BYTES,
  });
  try {
    const headers = { accept: 'application/json' };
    const response = await http.request(id, { headers });
    const document = await http.json(response, z.looseObject({ client_id: z.literal(id) }));
    return { id, ...readClientMetadata(document) };
  } catch (error) {
    if (error instanceof DomainError) throw new OAuthError('invalid_client', error.message);
    throw error;
  }
}

/**
 * Returns the client with an id, which is either a registered one or the address of a metadata document. Throws
 * OAuthError if there is none. Only call this function for signed-in users, because it may send a request.
 */
export async function resolveClient(ctx: Context, id: string): Promise<Client> {
  if (isDocumentUrl(id)) return fetchClient(ctx, id);
  const client = await readRegisteredClient(ctx, id);
  if (!client)
    throw new OAuthError('invalid_client', 'This application is not registered here. Connect it again.');
  return client;
}
