import type { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { createStoreHttp } from '#src/sinks/external/store-http.ts';
import {
  type AzureSearchSettings,
  getApiVersion,
  getClientCredentials,
  getIndexName,
  PRODUCT,
  parseServiceUrl,
} from './settings.ts';
import { createClientToken } from './token.ts';

interface Request {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface AzureSearchClient {
  readonly indexPath: string;
  ask<T>(request: Request, schema: z.ZodType<T>): Promise<T>;
}

export function createAzureSearchClient(settings: AzureSearchSettings, deps: SinkDeps): AzureSearchClient {
  const base = parseServiceUrl(settings);
  if (base === undefined) {
    const message = `${PRODUCT}: search_service_endpoint must be an http or https URL.`;
    throw new SinkError(message, { retryable: false });
  }
  const { search_service_api_key: key, client_secret } = settings;
  const http = createStoreHttp({ product: PRODUCT, deps, secrets: [key, client_secret ?? ''] });
  const credentials = getClientCredentials(settings);
  const access = credentials && createClientToken(credentials, deps);
  const name = getIndexName(settings);

  async function send(
    { method, path, body, headers }: Request,
    token: string | undefined,
  ): Promise<Response> {
    const init = {
      method,
      headers: {
        ...(token === undefined ? { 'api-key': key } : { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const url = `${base}${path}?api-version=${encodeURIComponent(getApiVersion(settings))}`;
    return http.request(url, init, { what: `index ${name}` });
  }

  return {
    indexPath: `/indexes('${encodeURIComponent(name).replaceAll("'", "''")}')`,
    async ask(request, schema) {
      const token = await access?.get();
      try {
        return await http.json(await send(request, token), schema);
      } catch (error) {
        // Azure may reject an access token before it expires, so the request is repeated once with a new
        // token.
        if (token === undefined || !(error instanceof Upstream && error.status === 401)) throw error;
        await access!.drop(token);
        const response = await send(request, await access!.get());
        return http.json(response, schema);
      }
    },
  };
}
