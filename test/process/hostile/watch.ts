import { runtimesOf } from '#test/process/runtimes.ts';
import { type Service, sleep } from '#test/process/service.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

/** What somebody else saw while an attack went on. */
export interface Seen {
  /** Milliseconds that the slowest answer took. */
  worst: number;
  /** Of the other tenant's own requests. */
  statuses: Set<number>;
  /** MiB of the runtime's processes together, at most. */
  memory: number;
  /** Whether the runtime's processes are the ones that it began with. */
  isSameRuntime: boolean;
}

const EVERY_MS = 100;
/** An answer that takes longer does not come. */
const HANGS_MS = 60_000;
const QUESTION = { query: 'Who keeps the lighthouse?' };
const MEMORY_EVERY_MS = 250;
const NOTES = Array.from(
  { length: 60 },
  (_, at) => `Note ${at}: keeper ${at} keeps the lighthouse of bay ${at}.`,
);

/** The second tenant: it has a small pipeline of its own, and asks it all the time. */
export class Watch {
  readonly #service: Service;
  #pipeline = '';
  #key = '';

  constructor(service: Service) {
    this.#service = service;
  }

  async prepare(): Promise<void> {
    const project = await this.#service.call<{ id: string }>('POST', '/api/v1/projects', { name: 'asked' });
    const key = { name: 'asks', project_id: project.id };
    this.#key = (
      await this.#service.call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', key)
    ).redacted_api_key;
    const inProject = `project_id=${project.id}`;
    const form = new FormData();
    form.append('upload_file', new File([NOTES.join('\n\n')], 'notes.md'));
    const file = await this.#service.call<{ id: string }>('POST', `/api/v1/files?${inProject}`, form);
    const { id } = await this.#service.call<{ id: string }>('POST', `/api/v1/pipelines?${inProject}`, {
      name: 'notes',
    });
    this.#pipeline = `/api/v1/pipelines/${id}`;
    await this.#service.call('PUT', `${this.#pipeline}/files`, [{ file_id: file.id }]);
    await this.#service.call('POST', `${this.#pipeline}/sync`);
    for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
      const { status } = await this.#service.call<{ status: string }>('GET', `${this.#pipeline}/status`);
      if (status === 'SUCCESS') return;
      await sleep(100);
    }
    throw new Error('the second tenant has no index');
  }

  async isAnswered(): Promise<boolean> {
    return this.#retrieve(HANGS_MS / 4).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async during(attack: () => Promise<unknown>): Promise<Seen> {
    const begun = runtimesOf(this.#service);
    const seen: Seen = { worst: 0, statuses: new Set(), memory: 0, isSameRuntime: true };
    let isOver = false;
    const watching = Promise.all([this.#ask(seen, () => isOver), this.#weigh(seen, () => isOver)]);
    await attack().finally(() => {
      isOver = true;
    });
    await watching;
    const pids = (runtimes: { pid: number }[]) => runtimes.map(({ pid }) => pid).join();
    seen.isSameRuntime = pids(begun) === pids(runtimesOf(this.#service));
    return seen;
  }

  #retrieve(patience: number): Promise<Response> {
    return this.#service.fetch('POST', `${this.#pipeline}/retrieve`, QUESTION, patience, this.#key);
  }

  async #ask(seen: Seen, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const before = performance.now();
      const status = await this.#retrieve(HANGS_MS).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        () => 0,
      );
      seen.statuses.add(status);
      seen.worst = Math.max(seen.worst, performance.now() - before);
      await sleep(EVERY_MS);
    }
  }

  async #weigh(seen: Seen, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const memory = runtimesOf(this.#service).reduce((sum, runtime) => sum + runtime.memory, 0);
      seen.memory = Math.max(seen.memory, memory);
      await sleep(MEMORY_EVERY_MS);
    }
  }
}
