import { createLogger } from '../../../src/lib/log.ts';
import pgvector from '../../../src/sinks/pgvector/pgvector.ts';

/**
 * Checks the settings in a request and returns the problem. A GET request returns that the Worker is ready.
 */
export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method === 'GET') return new Response('there');
    const settings = { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 10 };
    const deps = { fetch, log: createLogger(), settings };
    const component = pgvector.settings.parse(await request.json());
    const failure = await pgvector.check(component, deps).catch((error: unknown) => error);
    return Response.json(failure ? { message: String(failure), ...(failure as object) } : null);
  },
};
