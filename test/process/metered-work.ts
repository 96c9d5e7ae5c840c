import { longPdf } from '#bench/sync/long-pdf.ts';
import type { Counts } from '#test/support/metering/counts.ts';
import type { MeteredService } from './metered-service.ts';
import { SyncClient } from './pipelines.ts';
import { sleep } from './service.ts';

const UPLOADS_AT_ONCE = 8;
/** After it a shard has put in order what came, which is part of what indexing costs. */
const IN_ORDER_MS = 16_000;

const note = (n: number) =>
  `# Note ${n}\n\n${'The lighthouse of Kestrel Bay burns oil each night. '.repeat(12)}Its number is ${n}.`;

/** What a service is asked to do while it is counted. Each is as a client does it, and answers the counts. */
export class MeteredWork {
  readonly #service: MeteredService;
  readonly #client: SyncClient;

  constructor(service: MeteredService) {
    this.#service = service;
    this.#client = new SyncClient(service);
  }

  /** Short Markdown files, uploaded one by one and indexed together. */
  files(count: number): Promise<Counts> {
    return this.#indexed(count, (n) => this.#service.upload(`note-${n}.md`, note(n)));
  }

  /** PDFs of ten pages of text. */
  pages(count: number): Promise<Counts> {
    return this.#indexed(count / 10, (n) => {
      const pdf = Buffer.from(longPdf(10)).toString('latin1');
      const own = pdf.replaceAll('Section', `S${String(n).padStart(6, '0')}`);
      return this.#service.upload(`report-${n}.pdf`, new Uint8Array(Buffer.from(own, 'latin1')));
    });
  }

  /** Documents of 600 characters, put in by the thousand. */
  async documents(count: number): Promise<Counts> {
    const id = await this.#client.createPipeline();
    const all = Array.from({ length: count }, (_, n) => ({
      id: `note-${n}`,
      text: note(n),
      metadata: { n },
    }));
    return this.#service.during(async () => {
      for (let from = 0; from < count; from += 1000) {
        const some = all.slice(from, from + 1000);
        await this.#service.call('PUT', `/api/v1/pipelines/${id}/documents`, some);
      }
      await this.#service.finished(id);
    }, IN_ORDER_MS);
  }

  /** A pipeline of documents to ask; the first question of each kind is not counted. */
  async asked(documents: number): Promise<string> {
    const id = await this.#client.createPipeline();
    const all = Array.from({ length: documents }, (_, n) => ({
      id: `note-${n}`,
      text: note(n),
      metadata: {},
    }));
    await this.#service.call('PUT', `/api/v1/pipelines/${id}/documents`, all);
    await this.#service.finished(id);
    await sleep(IN_ORDER_MS);
    await this.#retrieve(id, 0);
    await this.#ask(id, 0, {});
    return id;
  }

  retrievals(pipeline: string, count: number, settleMs = 2_000): Promise<Counts> {
    return this.#times(count, (n) => this.#retrieve(pipeline, n), settleMs);
  }

  chats(pipeline: string, count: number): Promise<Counts> {
    return this.#times(count, (n) => this.#ask(pipeline, n, {}), 2_000);
  }

  /** Their objects are cleared half a minute after the answer. */
  resumableChats(pipeline: string, count: number): Promise<Counts> {
    return this.#times(count, (n) => this.#ask(pipeline, n, { id: crypto.randomUUID() }), 35_000);
  }

  async #indexed(count: number, put: (n: number) => Promise<string>): Promise<Counts> {
    const id = await this.#client.createPipeline();
    return this.#service.during(async () => {
      const files: { file_id: string }[] = [];
      let next = 0;
      const worker = async () => {
        for (let n = next++; n < count; n = next++) files.push({ file_id: await put(n) });
      };
      await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, worker));
      await this.#service.call('PUT', `/api/v1/pipelines/${id}/files`, files);
      await this.#service.finished(id);
    }, IN_ORDER_MS);
  }

  #times(count: number, one: (n: number) => Promise<unknown>, settleMs: number): Promise<Counts> {
    const all = async () => {
      for (let n = 0; n < count; n += 1) await one(n);
    };
    return this.#service.during(all, settleMs);
  }

  #retrieve(pipeline: string, n: number): Promise<unknown> {
    return this.#service.call('POST', `/api/v1/pipelines/${pipeline}/retrieve`, { query: `the note ${n}` });
  }

  async #ask(pipeline: string, n: number, more: object): Promise<void> {
    const messages = [{ role: 'user', content: `What is the number of note ${n}?` }];
    const answer = await this.#service.fetch('POST', `/api/v1/pipelines/${pipeline}/chat`, {
      messages,
      ...more,
    });
    const text = await answer.text();
    if (!text.includes('text-delta')) throw new Error(`no answer: ${text.slice(0, 300)}`);
  }
}
