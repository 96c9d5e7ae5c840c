import { z } from 'zod';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { applicationToken } from '#src/sources/shared/microsoft-token.ts';
import { withToken } from '#src/upstream/tokens.ts';
import type { GraphSettings } from './settings.ts';

const RESOURCE = 'https://graph.microsoft.com';
const API = `${RESOURCE}/v1.0`;
/** Maximum number of requests in a Microsoft Graph batch. */
export const BATCH = 20;

const collection = z.object({ value: z.array(z.unknown()), '@odata.nextLink': z.string().nullish() });
const answers = z.object({
  responses: z.array(
    z.object({
      id: z.string(),
      status: z.number(),
      headers: z.record(z.string(), z.unknown()).nullish().catch(null),
      body: z.unknown(),
    }),
  ),
});
export type BatchAnswer = z.infer<typeof answers>['responses'][number];

/**
 * Creates a Microsoft Graph client. Addresses are relative to the API version. `what` names the requested
 * resource in errors.
 */
export function graphApi(settings: GraphSettings, { http: httpFor, tokens }: SourceDeps) {
  const http = httpFor({ name: 'Microsoft Graph', redirects: 'follow' });
  const identity = httpFor({ name: 'The identity platform of Microsoft' });
  const refresh = () => applicationToken(settings, RESOURCE, identity);
  const send = (address: string, init: { method?: string; body?: string } = {}) =>
    withToken(tokens, 'access', refresh, (token) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
      };
      return http.fetch(`${API}${address}`, { ...init, headers });
    });

  /** Returns `undefined` if the resource does not exist or the application may not see it. */
  async function found(address: string, what: string): Promise<Response | undefined> {
    const response = await send(address);
    if (response.ok) return response;
    if (response.status !== 404) throw await http.failure(response, what);
    await response.body?.cancel();
    return undefined;
  }

  return {
    async get<T>(address: string, schema: z.ZodType<T>, what: string): Promise<T | undefined> {
      const response = await found(address, what);
      return response && http.json(response, schema);
    },
    /**
     * Returns one page of a list. Members that do not match `schema` are left out and counted. Throws if none
     * of them match.
     */
    async page<T>(address: string, schema: z.ZodType<T>, what: string) {
      const response = await found(address, what);
      if (!response) return undefined;
      const { value, '@odata.nextLink': link } = await http.json(response, collection);
      const members = membersOf(value, schema, what);
      return { members, next: nextOf(link), leftOut: value.length - members.length };
    },
    async batch(addresses: string[]): Promise<BatchAnswer[]> {
      const requests = addresses.map((url, index) => ({ id: String(index), method: 'GET', url }));
      const response = await send('/$batch', { method: 'POST', body: JSON.stringify({ requests }) });
      if (!response.ok) throw await http.failure(response, 'several answers at once');
      return (await http.json(response, answers)).responses;
    },
    /** Microsoft Graph redirects to another host for the bytes. The redirect URL itself grants access. */
    async content(address: string): Promise<SourceContent | undefined> {
      const response = await found(`${address}/content`, 'the content of a file');
      return response && { body: http.body(response), version: null, contentType: null };
    },
  };
}
export type GraphApi = ReturnType<typeof graphApi>;

function membersOf<T>(value: unknown[], schema: z.ZodType<T>, what: string): T[] {
  const members = value.flatMap((each) => {
    const { data, success } = schema.safeParse(each);
    return success ? [data] : [];
  });
  if (value.length > 0 && members.length === 0) {
    const message = `Microsoft Graph answered a request for ${what} with members of another shape.`;
    throw new SourceError(message, { retryable: false });
  }
  return members;
}

/**
 * Returns the next page's address. Throws if it is outside Microsoft Graph, because the request would send
 * the token there.
 */
function nextOf(link: string | null | undefined): string | null {
  if (!link) return null;
  if (link.startsWith(`${API}/`)) return link.slice(API.length);
  throw new SourceError('Microsoft Graph names a next page that is not its own.', { retryable: false });
}
