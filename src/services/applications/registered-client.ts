import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { fromBase64Url, toBase64Url } from '#src/lib/secrets/base64url.ts';
import { sign, verify } from '#src/lib/secrets/hmac.ts';
import { OAuthError } from './oauth-error.ts';
import { parseRedirectUri } from './redirect-uri.ts';

/** Application that asks for access, as it describes itself. */
export interface Client {
  id: string;
  /** Name without control characters. It is not verified. */
  name: string;
  redirectUris: string[];
}

const PREFIX = 'app_';
const MAX_NAME = 80;
const MAX_REDIRECT_URIS = 5;
/** Maximum number of characters of the client id. */
const MAX_ID = 3_000;

/** Metadata of RFC 7591 that are used. All others are ignored, as the RFC allows. */
const metadata = z.object({
  client_name: z.string().optional().catch(undefined),
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
});

/**
 * Checks the metadata of a client. Throws OAuthError if a redirect URI is not allowed. Control and formatting
 * characters are removed from the name, because they could change how the consent page reads.
 */
export function readClientMetadata(value: unknown): Omit<Client, 'id'> {
  const { data } = metadata.safeParse(value);
  if (!data) {
    const message = `redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} addresses`;
    throw new OAuthError('invalid_redirect_uri', message);
  }
  const urls = data.redirect_uris.map(parseRedirectUri);
  if (urls.includes(undefined)) {
    const message =
      'redirect_uris must be https URLs, or http URLs of a loopback address, without a fragment';
    throw new OAuthError('invalid_redirect_uri', message);
  }
  const name = (data.client_name ?? '').replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return { name: [...name].slice(0, MAX_NAME).join('') || urls[0]!.host, redirectUris: data.redirect_uris };
}

const buildSignedText = (payload: string) => `oauth-client.${payload}`;

/**
 * Registers a client without storing it: its id contains the signed metadata (RFC 7591, appendix A.5.2). However many
 * clients register, nothing grows.
 */
export async function registerClient({ settings }: Context, value: unknown): Promise<Client> {
  const { name, redirectUris } = readClientMetadata(value);
  const payload = toBase64Url(JSON.stringify([name, ...redirectUris]));
  const id = `${PREFIX}${payload}.${await sign(settings.SESSION_SECRET, buildSignedText(payload))}`;
  if (id.length > MAX_ID) throw new OAuthError('invalid_client_metadata', 'The client metadata are too long');
  return { id, name, redirectUris };
}

/** Returns the client that a client id describes. Returns `undefined` if this service did not issue the id. */
export async function readRegisteredClient({ settings }: Context, id: string): Promise<Client | undefined> {
  if (!id.startsWith(PREFIX) || id.length > MAX_ID) return undefined;
  const [payload = '', signature = '', ...more] = id.slice(PREFIX.length).split('.');
  const isOwn =
    more.length === 0 && (await verify(settings.SESSION_SECRET, buildSignedText(payload), signature));
  const bytes = isOwn && fromBase64Url(payload);
  if (!bytes) return undefined;
  const [name, ...redirectUris] = JSON.parse(new TextDecoder().decode(bytes)) as [string, ...string[]];
  return { id, name, redirectUris };
}
