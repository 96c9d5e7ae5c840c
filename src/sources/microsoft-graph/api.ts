import { z } from 'zod';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { requestApplicationToken } from '#src/sources/shared/microsoft-token.ts';
import { withToken } from '#src/upstream/tokens.ts';
import type { GraphSettings } from './settings.ts';

const RESOURCE = 'https://graph.microsoft.com';
const API = `${RESOURCE}/v1.0`;
/** Maximum number of requests in a Microsoft Graph batch. */
export const BATCH = 20;

const collection = z.object({ value: z.array(z.unknown()), '@odata.nextLink': z.string().nullish() });
const batchAnswers = z.object({
  responses: z.array(
    z.object({
      id: z.string(),
      status: z.number(),
      headers: z.record(z.string(), z.unknown()).nullish().catch(null),
      body: z.unknown(),
    }),
  ),
});
export type BatchAnswer = z.infer<typeof batchAnswers>['responses'][number];

/**
 * Creates a client for Microsoft Graph. Its methods take addresses relative to the API version, and `what`
 * names the requested resource in errors.
 */
export function createGraphApi(settings: GraphSettings, { http: httpFor, tokens }: SourceDeps) {
  const http = httpFor({ name: 'Microsoft Graph', redirects: 'follow' });
  const identity = httpFor({ name: 'Microsoft Entra ID' });
  const refresh = () => requestApplicationToken(settings, RESOURCE, identity);
  const send = (address: string, init: { method?: string; body?: string } = {}) =>
    withToken(tokens, 'access', refresh, (token) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
      };
      return http.fetch(`${API}${address}`, { ...init, headers });
    });

  /**
   * Sends a GET request to Microsoft Graph. Returns `undefined` if the resource does not exist or the
   * application may not see it.
   */
  async function getOptional(address: string, what: string): Promise<Response | undefined> {
    const response = await send(address);
    if (response.ok) return response;
    if (response.status !== 404) throw await http.failure(response, what);
    await response.body?.cancel();
    return undefined;
  }

  return {
    async get<T>(address: string, schema: z.ZodType<T>, what: string): Promise<T | undefined> {
      const response = await getOptional(address, what);
      return response && http.json(response, schema);
    },
    /**
     * Returns one page of a Microsoft Graph list. List elements that do not match `schema` are left out and
     * counted. Throws if no element matches.
     */
    async page<T>(address: string, schema: z.ZodType<T>, what: string) {
      const response = await getOptional(address, what);
      if (!response) return undefined;
      const { value, '@odata.nextLink': link } = await http.json(response, collection);
      const members = parseMembers(value, schema, what);
      return { members, next: parseNextLink(link), leftOut: value.length - members.length };
    },
    async batch(addresses: string[]): Promise<BatchAnswer[]> {
      const requests = addresses.map((url, index) => ({ id: String(index), method: 'GET', url }));
      const response = await send('/$batch', { method: 'POST', body: JSON.stringify({ requests }) });
      if (!response.ok) throw await http.failure(response, 'a batch of requests');
      return (await http.json(response, batchAnswers)).responses;
    },
    /**
     * Downloads the content of an item. Microsoft Graph redirects the request to another host. The redirect
     * URL itself grants access, so no token is sent there.
     */
    async content(address: string): Promise<SourceContent | undefined> {
      const response = await getOptional(`${address}/content`, 'the content of a file');
      return response && { body: http.body(response), version: null, contentType: null };
    },
  };
}
export type GraphApi = ReturnType<typeof createGraphApi>;

function parseMembers<T>(value: unknown[], schema: z.ZodType<T>, what: string): T[] {
  const members = value.flatMap((each) => {
    const { data, success } = schema.safeParse(each);
    return success ? [data] : [];
  });
  if (value.length > 0 && members.length === 0) {
    const message = `Microsoft Graph returned ${what} in an unexpected format.`;
    throw new SourceError(message, { retryable: false });
  }
  return members;
}

/**
 * Returns the address of the next page. Throws if the link leads outside of Microsoft Graph, because the
 * access token would be sent there.
 */
function parseNextLink(link: string | null | undefined): string | null {
  if (!link) return null;
  if (link.startsWith(`${API}/`)) return link.slice(API.length);
  throw new SourceError('Microsoft Graph returned a link to a next page on another host.', {
    retryable: false,
  });
}
