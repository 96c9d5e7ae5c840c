import type { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { storeHttp } from '#src/sinks/external/store-http.ts';
import {
  type AzureSearchSettings,
  credentialsOf,
  indexNameOf,
  KIND,
  serviceUrl,
  versionOf,
} from './settings.ts';
import { clientToken } from './token.ts';

interface Request {
  method: 'GET' | 'POST' | 'PUT';
  /** Behind the service's address. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface AzureSearchClient {
  /** Of the index: what its own requests begin with. */
  readonly ofIndex: string;
  ask<T>(request: Request, schema: z.ZodType<T>): Promise<T>;
}

export function azureSearchClient(settings: AzureSearchSettings, deps: SinkDeps): AzureSearchClient {
  const base = serviceUrl(settings);
  if (base === undefined) {
    const message = `The data sink (${KIND}) has a search_service_endpoint that is no http or https URL.`;
    throw new SinkError(message, { retryable: false });
  }
  const { search_service_api_key: key, client_secret } = settings;
  const http = storeHttp({ kind: KIND, deps, secrets: [key, client_secret ?? ''] });
  const credentials = credentialsOf(settings);
  const access = credentials && clientToken(credentials, KIND, deps);
  const name = indexNameOf(settings);

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
    const url = `${base}${path}?api-version=${encodeURIComponent(versionOf(settings))}`;
    return http.request(url, init, { what: `index ${name}` });
  }

  return {
    ofIndex: `/indexes('${encodeURIComponent(name).replaceAll("'", "''")}')`,
    async ask(request, schema) {
      const token = await access?.get();
      try {
        return await http.json(await send(request, token), schema);
      } catch (error) {
        // A token may end before its time: another one is asked for, once.
        if (token === undefined || !(error instanceof Upstream && error.status === 401)) throw error;
        await access!.drop(token);
        const response = await send(request, await access!.get());
        return http.json(response, schema);
      }
    },
  };
}
