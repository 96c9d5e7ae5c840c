import { serviceRuntime, totalMemory } from '#test/process/runtimes.ts';
import { type Service, sleep } from '#test/process/service.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

/** What the second tenant saw during an attack. */
export interface Seen {
  /** Duration of the slowest request, in milliseconds. */
  worst: number;
  /** Statuses of the second tenant's own requests. 0 stands for no answer. */
  statuses: Set<number>;
  /** Highest resident memory of all processes of the server together, in MiB. */
  memory: number;
  /** The same at the end of the attack. */
  memoryAfter: number;
  /** Duration of the attack, in seconds. */
  seconds: number;
  /** Whether the process of the service is the one that ran before the attack. Parser processes may be replaced. */
  isSameService: boolean;
}

const EVERY_MS = 100;
/** The second tenant gives up a request after this many milliseconds. */
const HANGS_MS = 60_000;
const QUESTION = { query: 'Who keeps the lighthouse?' };
const MEMORY_EVERY_MS = 500;
const NOTES = Array.from(
  { length: 60 },
  (_, at) => `Note ${at}: keeper ${at} keeps the lighthouse of bay ${at}.`,
);

/** The second tenant, which has a small pipeline of its own and queries it all the time. */
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

  /** Queries the second tenant's pipeline until the attack has ended. */
  async during(attack: () => Promise<unknown>): Promise<Seen> {
    const before = serviceRuntime(this.#service).pid;
    const begun = performance.now();
    const seen = { worst: 0, statuses: new Set<number>(), memory: 0 };
    let isOver = false;
    const watching = Promise.all([this.#ask(seen, () => isOver), this.#weigh(seen, () => isOver)]);
    await attack().finally(() => {
      isOver = true;
    });
    const seconds = (performance.now() - begun) / 1000;
    await watching;
    return {
      ...seen,
      seconds,
      memoryAfter: totalMemory(this.#service),
      isSameService: before === this.#servicePid(),
    };
  }

  /** Returns `undefined` if the process of the service is gone. */
  #servicePid(): number | undefined {
    try {
      return serviceRuntime(this.#service).pid;
    } catch {
      return undefined;
    }
  }

  #retrieve(patience: number): Promise<Response> {
    return this.#service.fetch('POST', `${this.#pipeline}/retrieve`, QUESTION, patience, this.#key);
  }

  async #ask(seen: Pick<Seen, 'worst' | 'statuses'>, isOver: () => boolean): Promise<void> {
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

  async #weigh(seen: Pick<Seen, 'memory'>, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      seen.memory = Math.max(seen.memory, totalMemory(this.#service));
      await sleep(MEMORY_EVERY_MS);
    }
  }
}
