/**
 * Measures the service that one project gets while another one is heavily used. It times queries, uploads
 * until they are found, and parse and extract jobs, alone and during a bulk sync, many jobs, many readers and an
 * evaluation of the other project.
 * Run: npm run bench:fairness -- [--files 600] [--jobs 400] [--readers 16] [--questions 1000] [--rounds 12]
 * [--only 'an evaluation']
 */
import { parseArgs } from 'node:util';
import { Service, sleep } from '#test/process/service.ts';

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '600' },
    jobs: { type: 'string', default: '400' },
    readers: { type: 'string', default: '16' },
    questions: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '12' },
    only: { type: 'string' },
  },
});
const { files, jobs, readers, questions, rounds } = {
  files: Number(options.files),
  jobs: Number(options.jobs),
  readers: Number(options.readers),
  questions: Number(options.questions),
  rounds: Number(options.rounds),
};

const UPLOADS_AT_ONCE = 4;
const JOBS_AT_ONCE = 32;
const QUESTIONS_AT_ONCE = 100;
const INVOICE = 'Invoice number: INV-77\nInvoice date: 2026-03-01\nTotal due: 19.50 EUR\n';
const data_schema = {
  type: 'object',
  properties: { invoice_number: { type: 'string' }, total_due: { type: 'number' } },
};

const service = new Service();
await service.start();

interface Project {
  id: string;
  pipeline: string;
  invoice: string;
}

type Measured = 'retrieval' | 'upload to found' | 'parse job' | 'extract job';
const MEASURED: readonly Measured[] = ['retrieval', 'upload to found', 'parse job', 'extract job'];
type Times = Record<Measured, number[]>;

try {
  const light = await createProject('light');
  const heavy = await createProject('heavy');
  await measure(light, 2);
  const alone = await measure(light, rounds);
  const loads: [string, (isOver: () => boolean) => Promise<unknown>][] = [
    ['a bulk sync', () => runBulkSync(heavy)],
    ['many jobs', () => runManyJobs(heavy)],
    ['many readers', (isOver) => runManyReaders(heavy, isOver)],
    ['an evaluation', () => runEvaluation(heavy)],
    [
      'all of it',
      (isOver) => Promise.all([runBulkSync(heavy), runManyJobs(heavy), runManyReaders(heavy, isOver)]),
    ],
  ];
  const rows = [buildRow('alone', alone, alone)];
  const wanted = loads.filter(([name]) => options.only === undefined || options.only === name);
  for (const [name, load] of wanted) rows.push(buildRow(name, await measureUnderLoad(light, load), alone));
  console.table(rows);
  console.log(
    'Median, 95th percentile and worst time in milliseconds, and the median as a multiple of the median without load. Locally, all Workers,\n' +
      'objects and queues share one thread, so the machine itself causes some of the delay.',
  );
} finally {
  await service.end();
}
process.exit(0);

async function createProject(name: string): Promise<Project> {
  const body = { name: `${name} ${crypto.randomUUID()}` };
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/projects', body);
  const pipeline = await createPipeline(id);
  const invoice = await upload(id, 'invoice.txt', INVOICE);
  const note = await upload(id, 'notes.md', buildNotes(200));
  await service.call('PUT', `/api/v1/pipelines/${pipeline}/files`, [{ file_id: note }]);
  while (!(await finds(pipeline, 'keeper 7'))) await sleep(50);
  return { id, pipeline, invoice };
}

async function createPipeline(project: string): Promise<string> {
  const body = { name: crypto.randomUUID() };
  return (await service.call<{ id: string }>('POST', `/api/v1/pipelines?project_id=${project}`, body)).id;
}

async function upload(project: string, name: string, content: string): Promise<string> {
  const form = new FormData();
  form.append('upload_file', new File([content], name));
  return (await service.call<{ id: string }>('POST', `/api/v1/files?project_id=${project}`, form)).id;
}

function buildNotes(count: number): string {
  const note = (at: number) => `The lighthouse of bay ${at} is kept by keeper ${at}.`;
  return Array.from({ length: count }, (_, at) => note(at)).join('\n\n');
}

async function finds(pipeline: string, query: string): Promise<boolean> {
  const body = { query, sparse_similarity_top_k: 3, dense_similarity_top_k: 3, enable_reranking: false };
  const path = `/api/v1/pipelines/${pipeline}/retrieve`;
  const answer = await service.call<{ retrieval_nodes: { node: { text: string } }[] }>('POST', path, body);
  return answer.retrieval_nodes.some(({ node }) => node.text.includes(query));
}

async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Performs one operation after the other, so that the load of this project is light. Ends early if the load
 * of the other project has ended.
 */
async function measure(
  { id, pipeline, invoice }: Project,
  most: number,
  isOver = () => false,
): Promise<Times> {
  const times: Times = { retrieval: [], 'upload to found': [], 'parse job': [], 'extract job': [] };
  for (let round = 0; round < most && !(isOver() && round > 0); round += 1) {
    for (let query = 0; query < 5; query += 1) {
      times.retrieval.push(await measureTime(() => finds(pipeline, `keeper ${query + round}`)));
    }
    times['upload to found'].push(await measureTime(() => uploadAndFind(id, pipeline)));
    times['parse job'].push(await measureTime(() => runJob(id, 'parse', { file_id: invoice })));
    const extraction = { file_input: invoice, configuration: { data_schema } };
    times['extract job'].push(await measureTime(() => runJob(id, 'extract', extraction)));
  }
  return times;
}

async function uploadAndFind(project: string, pipeline: string): Promise<void> {
  const word = `marmalade${crypto.randomUUID().replaceAll('-', '')}`;
  const file_id = await upload(project, `${word}.md`, `The password of the day is ${word}.`);
  await service.call('PUT', `/api/v1/pipelines/${pipeline}/files`, [{ file_id }]);
  while (!(await finds(pipeline, word))) await sleep(20);
}

async function runJob(project: string, kind: 'parse' | 'extract', body: object): Promise<void> {
  const { id } = await service.call<{ id: string }>('POST', `/api/v2/${kind}?project_id=${project}`, body);
  for (;;) {
    const { status } = await service.call<{ status: string }>('GET', `/api/v2/${kind}/${id}`);
    if (status === 'COMPLETED') return;
    if (status !== 'PENDING' && status !== 'RUNNING') throw new Error(`${kind} job ${id}: ${status}`);
    await sleep(20);
  }
}

/** Measures the times of the light project while the load of the other project runs. */
async function measureUnderLoad(
  light: Project,
  load: (isOver: () => boolean) => Promise<unknown>,
): Promise<Times> {
  let [isLoadOver, isMeasured] = [false, false];
  const loaded = load(() => isMeasured).finally(() => {
    isLoadOver = true;
  });
  await sleep(2_000);
  const times = await measure(light, rounds, () => isLoadOver);
  isMeasured = true;
  await loaded;
  return times;
}

async function runInWorkers(count: number, at: number, one: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await one(n);
  };
  await Promise.all(Array.from({ length: at }, worker));
}

/** Indexes files of a few pages each in a new pipeline. */
async function runBulkSync({ id }: Project): Promise<void> {
  const pipeline = await createPipeline(id);
  const own = crypto.randomUUID();
  const members: { file_id: string }[] = [];
  await runInWorkers(files, UPLOADS_AT_ONCE, async (n) => {
    members.push({ file_id: await upload(id, `${n}.md`, `# ${own} ${n}\n\n${buildNotes(150)}`) });
  });
  await service.call('PUT', `/api/v1/pipelines/${pipeline}/files`, members);
  for (;;) {
    const { status } = await service.call<{ status: string }>('GET', `/api/v1/pipelines/${pipeline}/status`);
    if (/SUCCESS|ERROR/.test(status)) return;
    await sleep(250);
  }
}

async function runManyJobs({ id, invoice }: Project): Promise<void> {
  const before = await countCompletedJobs(id);
  await runInWorkers(jobs, JOBS_AT_ONCE, (n) =>
    n % 2 === 0
      ? service.call('POST', `/api/v2/parse?project_id=${id}`, { file_id: invoice })
      : service.call('POST', `/api/v2/extract?project_id=${id}`, {
          file_input: invoice,
          configuration: { data_schema },
        }),
  );
  while ((await countCompletedJobs(id)) < before + jobs) await sleep(250);
}

async function countCompletedJobs(project: string): Promise<number> {
  const path = `/api/v1/usage?project_id=${project}`;
  return (await service.call<{ total: { jobs: number } }>('GET', path)).total.jobs;
}

async function runManyReaders({ pipeline }: Project, isOver: () => boolean): Promise<void> {
  const reader = async () => {
    for (let n = 0; !isOver(); n += 1) await finds(pipeline, `keeper ${n % 200}`);
  };
  await Promise.all(Array.from({ length: readers }, reader));
}

/** Evaluates a question set with the heavy project's pipeline. */
async function runEvaluation({ id, pipeline }: Project): Promise<void> {
  const sets = '/api/v1/evaluations/question-sets';
  const name = crypto.randomUUID();
  const set = await service.call<{ id: string }>('POST', `${sets}?project_id=${id}`, { name });
  const asked = Array.from({ length: questions }, (_, at) => ({
    text: `Who keeps the lighthouse of bay ${at % 200}?`,
    expected_passages: [{ text: `keeper ${at % 200}.` }],
  }));
  for (let at = 0; at < asked.length; at += QUESTIONS_AT_ONCE) {
    const some = asked.slice(at, at + QUESTIONS_AT_ONCE);
    await service.call('POST', `${sets}/${set.id}/questions`, { questions: some });
  }
  const body = { question_set_id: set.id, pipeline_id: pipeline };
  const run = await service.call<{ id: string }>('POST', '/api/v1/evaluations/runs', body);
  for (;;) {
    const { status } = await service.call<{ status: string }>('GET', `/api/v1/evaluations/runs/${run.id}`);
    if (status === 'COMPLETED') return;
    if (status !== 'PENDING' && status !== 'RUNNING') throw new Error(`the evaluation ended as ${status}`);
    await sleep(250);
  }
}

function buildRow(load: string, times: Times, alone: Times) {
  const cells = MEASURED.map((what) => {
    const [median, high, worst] = [0.5, 0.95, 1].map((share) => quantile(times[what], share)) as [
      number,
      number,
      number,
    ];
    const ratio = (median / quantile(alone[what], 0.5)).toFixed(1);
    return [what, `${Math.round(median)} / ${Math.round(high)} / ${Math.round(worst)} (${ratio}x)`];
  });
  return { load, rounds: times['parse job'].length, ...Object.fromEntries(cells) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
