import { spawn } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiKey, type ServiceClient } from '../service.ts';

export interface Ran {
  code: number | null;
  said: string;
  /** Requests of the script: method and path. */
  asked: string[];
}

/** Proxy between a script and a service that records requests and can kill the script. */
export class Between {
  readonly #service: () => ServiceClient;
  #server: Server | undefined;
  #asked: string[] = [];
  #end: ((asked: string) => boolean | Promise<boolean>) | undefined;
  #kill = () => {};
  base = '';

  constructor(service: () => ServiceClient) {
    this.#service = service;
  }

  async start(): Promise<void> {
    this.#server = createServer(async (incoming, answer) => {
      const path = incoming.url ?? '/';
      const asked = `${incoming.method} ${path.split('?')[0]}`;
      this.#asked.push(asked);
      if (await this.#end?.(asked)) {
        this.#end = undefined;
        this.#kill();
        incoming.destroy();
        return;
      }
      const { method, headers } = incoming;
      const onward = request(`${this.#service().base}${path}`, { method, headers }, (back) => {
        answer.writeHead(back.statusCode ?? 502, back.headers);
        back.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    this.base = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  /** Runs a script. `until` decides before each request whether to kill the script. */
  run(
    script: 'backup' | 'restore',
    args: string[],
    env: Record<string, string>,
    until?: (asked: string) => boolean | Promise<boolean>,
  ): Promise<Ran> {
    this.#asked = [];
    this.#end = until;
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [`scripts/backup/${script}.ts`, ...args], {
        env: { ...process.env, BASE_URL: this.base, SLUICE_API_KEY: apiKey(), ...env },
      });
      this.#kill = () => void child.kill('SIGKILL');
      const said: string[] = [];
      child.stdout.on('data', (text) => said.push(String(text)));
      child.stderr.on('data', (text) => said.push(String(text)));
      child.once('close', (code) => resolve({ code, said: said.join(''), asked: this.#asked }));
    });
  }
}

/** Returns a condition that holds at the n-th matching request. */
export function nth(n: number, pattern: RegExp): (asked: string) => boolean {
  let seen = 0;
  return (asked) => {
    if (pattern.test(asked)) seen += 1;
    return seen === n && pattern.test(asked);
  };
}
