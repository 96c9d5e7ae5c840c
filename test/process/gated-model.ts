import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Streamed answer that the test controls. */
export class GatedAnswer {
  readonly #response: ServerResponse;
  /** Resolves when the caller disconnects before the end of the answer. */
  readonly left: Promise<void>;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.left = new Promise((resolve) => {
      response.on('close', () => response.writableFinished || resolve());
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#write({ role: 'assistant', content: '' });
  }

  say(content: string): void {
    this.#write({ content });
  }

  end(): void {
    this.#write({}, 'stop');
    this.#response.end('data: [DONE]\n\n');
  }

  /** Closes the connection, like a crashed process. */
  cut(): void {
    this.#response.destroy();
  }

  #write(delta: object, finish_reason: string | null = null): void {
    const choices = [{ index: 0, delta, finish_reason }];
    const event = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'gated', choices };
    this.#response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
}

interface Asked {
  temperature?: number;
  messages: { role: string; content: string }[];
}

/** Chat completions endpoint whose streamed answers are controlled by the test. */
export class GatedModel {
  /** Received requests, in order. */
  readonly asked: Asked[] = [];
  readonly #waiting: GatedAnswer[] = [];
  readonly #takers: ((answer: GatedAnswer) => void)[] = [];
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      // Requests without streaming, such as rewriting a follow-up question, fail.
      if (!(JSON.parse(body) as { stream?: boolean }).stream) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end('{"error":{"message":"only streams"}}');
        return;
      }
      this.asked.push(JSON.parse(body) as Asked);
      const answer = new GatedAnswer(response);
      const taker = this.#takers.shift();
      if (taker) taker(answer);
      else this.#waiting.push(answer);
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Closes answers that no test has taken. */
  forget(): void {
    for (const answer of this.#waiting.splice(0)) answer.cut();
    this.#takers.length = 0;
  }

  /** Returns the next requested answer that no test has taken. */
  next(): Promise<GatedAnswer> {
    const waiting = this.#waiting.shift();
    return waiting ? Promise.resolve(waiting) : new Promise((resolve) => this.#takers.push(resolve));
  }
}
