import { inject } from 'vitest';
import type { LossOrder } from '#test/vendors/losses.ts';
import { SESSION_HEADER } from '#test/vendors/protocol.ts';
import type { MongoFault, MongoPlan, MongoState } from './protocol.ts';

const realFetch = globalThis.fetch;

/** User name as percent-encoded in a connection string. */
export const USER = 'sluice%20owner';
export const PASSWORD = 'p%40ss%3Aw%2Frd%25%20of%20the%20owner';

/** Database of one test on the server of test/vendors/mongodb/server.ts. */
export class MongoSession {
  readonly name = `test-${crypto.randomUUID()}`;

  /** Returns a connection string with additional options. */
  uri(options = '', hosts = inject('mongodb').primary): string {
    const more = options && `&${options}`;
    return `mongodb://${USER}:${PASSWORD}@${hosts}/?appName=${this.name}${more}`;
  }

  async fail(...faults: MongoFault[]): Promise<void> {
    await this.plan({ faults });
  }

  async plan(plan: MongoPlan): Promise<void> {
    await this.#ask({ method: 'PUT', body: JSON.stringify(plan) });
  }

  /** Makes the database lose data. */
  async lose(order: LossOrder): Promise<void> {
    await this.plan({ lose: order });
  }

  async state(): Promise<MongoState> {
    return (await this.#ask({})).json();
  }

  #ask(init: RequestInit): Promise<Response> {
    const headers = { [SESSION_HEADER]: 'mongodb' };
    return realFetch(`${inject('mongodb').control}/${this.name}`, { ...init, headers });
  }
}
