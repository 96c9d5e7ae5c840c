import { Agent, request } from 'node:http';
import type { ServiceClient } from '#test/process/service.ts';

export const KINDS = ['upload', 'retrieval', 'chat'] as const;
export type Kind = (typeof KINDS)[number];

export interface Timed {
  kind: Kind;
  milliseconds: number;
  /** Status and start of the answer, or the connection error. Absent if the request succeeded. */
  failure?: string;
}

interface Answer {
  status: number;
  text: string;
}

interface Call {
  method: string;
  path: string;
  body?: string;
  type?: string;
  /** True to close the connection when the first bytes of the answer arrive. */
  leavesEarly?: boolean;
}

const JSON_TYPE = 'application/json';
const BOUNDARY = 'soak-boundary';
/**
 * Number of files that a client keeps. It deletes its older files, so that the number of files in the service
 * stays constant.
 */
const FILES_KEPT = 5;
const PATIENCE_MS = 60_000;
const QUESTIONS = ['Who keeps the lighthouse?', 'Which ferry sails at noon?', 'What do harbour dues cost?'];

/**
 * One of many clients of the same pipelines. It sends the next request after the answer to the previous one.
 */
export class SoakClient {
  readonly #service: ServiceClient;
  readonly #pipeline: string;
  readonly #number: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #report: (timed: Timed) => void;
  readonly #files: string[] = [];
  #round = 0;

  constructor(service: ServiceClient, pipeline: string, number: number, report: (timed: Timed) => void) {
    this.#service = service;
    this.#pipeline = `/api/v1/pipelines/${pipeline}`;
    this.#number = number;
    this.#report = report;
    this.#round = number;
  }

  /** Sends requests until `isOver` returns true. Of ten rounds, one uploads, six retrieve and three chat. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      this.#round += 1;
      const turn = this.#round % 10;
      if (turn === 0) await this.#upload();
      else if (turn % 3 === 0) await this.#chat();
      else await this.#retrieve();
    }
    this.#agent.destroy();
  }

  async #retrieve(): Promise<void> {
    const body = JSON.stringify({ query: this.#question(), dense_similarity_top_k: 10 });
    await this.#send('retrieval', { method: 'POST', path: `${this.#pipeline}/retrieve`, body });
  }

  /** Asks a question and closes the connection while the answer is streamed. */
  async #chat(): Promise<void> {
    const id = this.#round % 2 === 0 ? { id: crypto.randomUUID() } : {};
    const body = JSON.stringify({ ...id, messages: [{ role: 'user', content: this.#question() }] });
    await this.#send('chat', { method: 'POST', path: `${this.#pipeline}/chat`, body, leavesEarly: true });
  }

  async #upload(): Promise<void> {
    const name = `note-${this.#number}-${this.#round}.md`;
    const text = `# Note ${name}\n\n${`Keeper ${this.#round} keeps the lighthouse of bay ${this.#number}. `.repeat(20)}`;
    const body = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="upload_file"; filename="${name}"\r\nContent-Type: text/markdown\r\n\r\n${text}\r\n--${BOUNDARY}--\r\n`;
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const made = await this.#send('upload', { method: 'POST', path: '/api/v1/files', body, type });
    if (!made) return;
    const { id } = JSON.parse(made) as { id: string };
    this.#files.push(id);
    const files = JSON.stringify([{ file_id: id }]);
    await this.#send('upload', { method: 'PUT', path: `${this.#pipeline}/files`, body: files });
    if (this.#files.length <= FILES_KEPT) return;
    await this.#send('upload', { method: 'DELETE', path: `/api/v1/files/${this.#files.shift()}` });
  }

  #question(): string {
    return `${QUESTIONS[this.#round % QUESTIONS.length]} ${this.#round}`;
  }

  /** Sends and reports a request. Returns the body of a successful answer, otherwise `undefined`. */
  async #send(kind: Kind, call: Call): Promise<string | undefined> {
    const begun = performance.now();
    const answer = await this.#call(call).catch((error: NodeJS.ErrnoException) => ({
      status: 0,
      text: error.code ?? error.message,
    }));
    const milliseconds = performance.now() - begun;
    const hasSucceeded = answer.status >= 200 && answer.status < 300;
    const failure = `${call.method} ${kind}: ${answer.status} ${answer.text.slice(0, 200)}`;
    this.#report({ kind, milliseconds, ...(!hasSucceeded && { failure }) });
    return hasSucceeded ? answer.text : undefined;
  }

  #call({ method, path, body, type = JSON_TYPE, leavesEarly }: Call): Promise<Answer> {
    const { base, key } = this.#service;
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': type }) };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        base + path,
        { method, headers, agent: this.#agent, timeout: PATIENCE_MS },
        (answer) => {
          const parts: Buffer[] = [];
          const end = () =>
            resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() });
          answer.on('data', (part: Buffer) => {
            parts.push(part);
            if (!leavesEarly) return;
            end();
            outgoing.destroy();
          });
          answer.on('end', end);
          answer.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
      outgoing.end(body);
    });
  }
}
