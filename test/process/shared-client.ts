import { inject } from 'vitest';
import { apiKey, ServiceClient } from './service.ts';

/**
 * A project of its own in the service that test files share, which may reach private addresses. Its key reaches nothing
 * else, so no file sees what another one makes. For tests that neither stop the service nor set its variables.
 */
export class SharedService extends ServiceClient {
  base = '';
  /** Of the project. */
  key = '';

  async start(): Promise<void> {
    const answer = await fetch(inject('sharedService'));
    const said = await answer.text();
    if (!answer.ok) throw new Error(said);
    this.base = said;
    this.key = apiKey();
    const body = { name: `shared ${crypto.randomUUID()}` };
    const { id } = await this.call<{ id: string }>('POST', '/api/v1/projects', body);
    const made = await this.call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      project_id: id,
    });
    this.key = made.redacted_api_key;
  }

  /** The service goes on for the others. */
  async end(): Promise<void> {}
}
