import { exports } from 'cloudflare:workers';
import LlamaCloud from '@llamaindex/llama-cloud';
import FirstLlamaCloud from 'llama-cloud-1';
import { BASE } from './fetch-service.ts';

const worker = (exports as unknown as { default: Fetcher }).default;

/** Creates the unmodified npm clients of LlamaCloud, which call the service under /compat. */
export function createNpmClients(apiKey: string) {
  const options = {
    apiKey,
    baseURL: `${BASE}/compat`,
    maxRetries: 0,
    fetch: (url: string | URL | Request, init?: RequestInit) => worker.fetch(new Request(url, init)),
  };
  return { client: new LlamaCloud(options), first: new FirstLlamaCloud(options) };
}
