import { inject } from 'vitest';
import { apiKey, ServiceClient } from './service.ts';

/**
 * Separate project in the shared test service, which may reach private addresses. Its key cannot access other
 * projects. Do not use it in tests that stop the service or set its variables.
 */
export class SharedService extends ServiceClient {
  base = '';
  /** API key of the project. */
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

  /** Does nothing, because other tests still use the service. */
  async end(): Promise<void> {}
}
