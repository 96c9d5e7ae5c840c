import { Agent, request } from 'node:http';
import type { ServiceClient } from '../../test/process/service.ts';

/**
 * Sends queries over persistent connections, one per client. `fetch` would take as long as the service
 * itself.
 */
export class QueryClient {
  readonly #agent: Agent;
  readonly #service: ServiceClient;

  constructor(service: ServiceClient, clients: number) {
    this.#service = service;
    this.#agent = new Agent({ keepAlive: true, maxSockets: clients });
  }

  end(): void {
    this.#agent.destroy();
  }

  /** Sends a query. Returns a description of the error, or undefined if the answer contains nodes. */
  ask(path: string, body: object): Promise<string | undefined> {
    const { base, key } = this.#service;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return new Promise((resolve) => {
      const failed = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
      const asking = request(base + path, { method: 'POST', agent: this.#agent, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', failed);
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString();
          if (answer.statusCode !== 200) resolve(`${answer.statusCode} ${text.slice(0, 200)}`);
          else resolve(text.includes('"TextNodeWithScore"') ? undefined : 'no nodes');
        });
      });
      asking.on('error', failed);
      asking.end(JSON.stringify(body));
    });
  }
}
