import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service, sleep } from '../service.ts';

// Imports from one local service into another through the compatible API, with kills in between.

const source = new Service();
const target = new Service();
const folder = mkdtempSync(join(tmpdir(), 'import-service-'));
const state = join(folder, 'state.jsonl');
const secretsFile = join(folder, 'secrets.json');

const SECRETS = {
  data_sinks: { 'a sink': { api_key: 'pinecone-secret' } },
  data_sources: { 'a bucket': { aws_access_secret: 'bucket-secret' } },
  embedding_model_configs: { 'an embedder': { api_key: 'embedder-secret' } },
};

/** File names in several scripts and with special characters. Questions find the content of each. */
const FILES: Readonly<Record<string, string>> = {
  'harbour.txt': 'The lighthouse of Grenmouth is kept by Ada Quill.',
  'καράβι.md': '# Ferries\n\nThe ferry to Thessaloniki leaves at seven.',
  'порт.txt': 'The north quay of Odesa is nine metres deep.',
  '港口 手冊.html': '<h1>Crane</h1><p>The red crane of Kaohsiung lifts forty tonnes.</p>',
  'ميناء.csv': 'berth,length\nEast,240\nWest,310\n',
  '../sly/"quoted".txt': 'The sly pilot boards at the outer buoy.',
};
const QUESTIONS = [
  'Who keeps the lighthouse?',
  'How deep is the north quay?',
  'red crane tonnes',
  'ferry seven',
];
const DOCUMENTS = Array.from({ length: 60 }, (_, index) => ({
  id: `tide-${index}`,
  text: `On day ${index} the tide rises by ${index * 7} centimetres.`,
  metadata: { day: index, source_type: 'S3', note: null },
  excluded_llm_metadata_keys: ['day'],
}));

interface Named {
  id: string;
  name: string;
}

const api = <Body>(service: Service, method: string, path: string, body?: unknown) =>
  service.call<Body>(method, `/compat/api/v1${path}`, body);

async function pipelineNamed(service: Service, name: string): Promise<Named & Record<string, unknown>> {
  const found = await api<(Named & Record<string, unknown>)[]>(
    service,
    'GET',
    `/pipelines?pipeline_name=${name}`,
  );
  expect(found).toHaveLength(1);
  return found[0]!;
}

async function indexed(service: Service, id: string): Promise<void> {
  for (let second = 0; second < 180; second += 1) {
    const { status } = await api<{ status: string }>(service, 'GET', `/pipelines/${id}/status`);
    if (status === 'SUCCESS') return;
    if (status === 'ERROR') break;
    await sleep(1000);
  }
  throw new Error(JSON.stringify(await api(service, 'GET', `/pipelines/${id}/status?full_details=true`)));
}

async function fill(): Promise<void> {
  const { id } = await api<Named>(source, 'POST', '/pipelines', {
    name: 'harbour',
    transform_config: { mode: 'auto', chunk_size: 200, chunk_overlap: 20 },
    preset_retrieval_parameters: { dense_similarity_top_k: 5 },
    llama_parse_parameters: { gpt4o_mode: true },
  });
  for (const [index, [name, text]] of Object.entries(FILES).entries()) {
    const { url, file_id } = await api<{ url: string; file_id: string }>(source, 'PUT', '/files', {
      name,
      ...(index % 2 === 0 && { external_file_id: `external ${name}` }),
    });
    expect((await fetch(url, { method: 'PUT', body: text })).ok).toBe(true);
    await api(source, 'PUT', `/pipelines/${id}/files`, [
      { file_id, custom_metadata: { place: index, sink_type: 'S3' } },
    ]);
  }
  await api(source, 'PUT', `/pipelines/${id}/documents`, DOCUMENTS);
  await api(source, 'POST', '/data-sinks', {
    name: 'a sink',
    sink_type: 'PINECONE',
    component: { api_key: 'pinecone-secret', index_name: 'i' },
  });
  await api(source, 'POST', '/embedding-model-configs', {
    name: 'an embedder',
    embedding_config: {
      type: 'OPENAI_EMBEDDING',
      component: { api_key: 'embedder-secret', model_name: 'm' },
    },
  });
  const bucket = await api<Named>(source, 'POST', '/data-sources', {
    name: 'a bucket',
    source_type: 'S3',
    component: {
      bucket: 'b',
      aws_access_id: 'id',
      aws_access_secret: 'bucket-secret',
      s3_endpoint_url: 'http://store.invalid',
    },
    custom_metadata: { team: 'quay' },
  });
  const sourced = await api<Named>(source, 'POST', '/pipelines', { name: 'sourced' });
  await api(source, 'PUT', `/pipelines/${sourced.id}/data-sources`, [
    { data_source_id: bucket.id, sync_interval: 86_400 },
  ]);
  for (const parameters of [
    {
      product_type: 'extract_v2',
      data_schema: { type: 'object', properties: { berth: { type: 'string' } } },
    },
    { product_type: 'classify_v2', rules: [{ type: 'manual', description: 'A manual of a harbour' }] },
    { product_type: 'parse_v2', tier: 'cost_effective', version: 'latest' },
  ]) {
    await api(source, 'POST', '/beta/configurations', { name: `of ${parameters.product_type}`, parameters });
  }
  await api(source, 'POST', '/retrievers', {
    name: 'all quays',
    pipelines: [{ pipeline_id: id, name: 'harbour', description: 'The harbour' }],
  });
  await api(source, 'POST', `/pipelines/${id}/sync`);
  await indexed(source, id);
}

beforeAll(async () => {
  writeFileSync(secretsFile, JSON.stringify(SECRETS));
  await Promise.all([source.start(), target.start()]);
  await fill();
});
afterAll(async () => {
  await Promise.all([source.end(), target.end()]);
  rmSync(folder, { recursive: true, force: true });
});

function begin(): ChildProcess {
  return spawn(
    process.execPath,
    [
      'scripts/import/main.ts',
      ...['--from', `${source.base}/compat`, '--to', `${target.base}/compat`],
      ...['--secrets', secretsFile, '--state', state],
    ],
    {
      env: { ...process.env, IMPORT_FROM_KEY: source.key, IMPORT_TO_KEY: target.key },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

async function ended(child: ChildProcess): Promise<{ code: number | null; out: string }> {
  const parts: string[] = [];
  child.stdout!.on('data', (text) => parts.push(String(text)));
  child.stderr!.on('data', (text) => parts.push(String(text)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out: parts.join('') };
}

/** Runs until the state file has grown by `bytes` or the import has ended. */
async function runUntilKilled(bytes: number): Promise<boolean> {
  const size = () => (existsSync(state) ? statSync(state).size : 0);
  const goal = size() + bytes;
  const child = begin();
  const end = ended(child);
  while (child.exitCode === null && size() < goal) await sleep(2);
  child.kill('SIGKILL');
  return (await end).code === null;
}

const fetchNames = async (service: Service, path: string) =>
  (await api<Named[]>(service, 'GET', path)).map(({ name }) => name).sort();

const fetchFiles = async (service: Service) =>
  (
    await api<{ items: (Named & { file_size: number; external_file_id: string | null })[] }>(
      service,
      'GET',
      '/beta/files?page_size=100',
    )
  ).items;

interface Passage {
  node: { text: string; extra_info?: Record<string, unknown>; metadata?: Record<string, unknown> };
  score: number;
}

/** Returns passages and metadata without ids. */
async function answers(service: Service, id: string, questions: readonly string[] = QUESTIONS) {
  const all: unknown[][][] = [];
  for (const query of questions) {
    const found = await api<{ retrieval_nodes: Passage[] }>(service, 'POST', `/pipelines/${id}/retrieve`, {
      query,
    });
    expect(found.retrieval_nodes.length).toBeGreaterThan(0);
    all.push(
      found.retrieval_nodes.map(({ node, score }) => {
        const { day, place, file_name, sink_type, source_type } = node.extra_info ?? node.metadata ?? {};
        return [node.text, score.toFixed(6), { day, place, file_name, sink_type, source_type }];
      }),
    );
  }
  return all;
}

describe('import between two services', () => {
  it('resumes after kills without duplicates and gives the same answers', async () => {
    const killed = [];
    for (const bytes of [1, 400, 300, 250, 250, 200]) killed.push(await runUntilKilled(bytes));
    // Some runs are killed in the middle, depending on the machine.
    expect(killed.filter(Boolean).length).toBeGreaterThanOrEqual(3);
    const { code, out } = await ended(begin());
    expect(out).not.toMatch(/Not copied/);
    expect(code).toBe(0);

    for (const path of [
      '/data-sinks',
      '/data-sources',
      '/embedding-model-configs',
      '/pipelines',
      '/retrievers',
    ]) {
      expect(await fetchNames(target, path), path).toEqual(await fetchNames(source, path));
    }
    const configurations = (service: Service) =>
      api<{ items: { name: string; parameters: object }[] }>(service, 'GET', '/beta/configurations').then(
        ({ items }) => items.map(({ name, parameters }) => ({ name, parameters })),
      );
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
    expect((await configurations(target)).sort(byName)).toEqual((await configurations(source)).sort(byName));

    const files = await fetchFiles(target);
    expect(files.map(({ name }) => name).sort()).toEqual(Object.keys(FILES).sort());
    for (const { id, name, external_file_id } of await fetchFiles(source)) {
      const copy = files.find((one) => one.name === name)!;
      expect(copy.external_file_id).toBe(external_file_id ?? id.replace('dfl-', ''));
      const { url } = await api<{ url: string }>(target, 'GET', `/files/${copy.id}/content`);
      expect(await (await fetch(url)).text()).toBe(FILES[name]);
    }
  });

  it('copies pipelines with settings, members, sources and schedules', async () => {
    const from = await pipelineNamed(source, 'harbour');
    const to = await pipelineNamed(target, 'harbour');
    for (const member of [
      'transform_config',
      'llama_parse_parameters',
      'preset_retrieval_parameters',
      'config_hash',
    ]) {
      expect(to[member], member).toEqual(from[member]);
    }
    const members = async (service: Service, id: string) => {
      const { files } = await api<{ files: { name: string; custom_metadata: object }[] }>(
        service,
        'GET',
        `/pipelines/${id}/files2?limit=100`,
      );
      return files.map(({ name, custom_metadata }) => JSON.stringify([name, custom_metadata])).sort();
    };
    expect(await members(target, to.id)).toEqual(await members(source, from.id));
    const documents = async (service: Service, id: string) => {
      const page = await api<{ documents: { id: string; text: string; metadata: object }[] }>(
        service,
        'GET',
        `/pipelines/${id}/documents/paginated?limit=100&only_direct_upload=true`,
      );
      return page.documents
        .map(({ id, text, metadata }) => ({ id, text, metadata }))
        .sort((a, b) => a.id.localeCompare(b.id));
    };
    expect(await documents(target, to.id)).toEqual(await documents(source, from.id));
    expect(await documents(target, to.id)).toHaveLength(DOCUMENTS.length);
    const sourced = await pipelineNamed(target, 'sourced');
    const links = await api<object[]>(target, 'GET', `/pipelines/${sourced.id}/data-sources`);
    expect(links).toHaveLength(1);
    expect(links[0]).toMatchObject({
      name: 'a bucket',
      sync_interval: 86_400,
      custom_metadata: { team: 'quay' },
    });
    await indexed(target, to.id);
    expect(await answers(target, to.id)).toEqual(await answers(source, from.id));
    // All passages about tides are similar, so only the best result is certain to be the same.
    const [tides] = await answers(target, to.id, ['280 centimetres']);
    expect(tides![0]![0]).toBe('On day 40 the tide rises by 280 centimetres.');
  });

  it('stores no secrets, and another run has nothing to do', async () => {
    const { code, out } = await ended(begin());
    expect(code).toBe(0);
    expect(out).toMatch(/ files: 0 \(and 6 in earlier runs\)/);
    for (const text of [out, readFileSync(state, 'utf8')]) {
      expect(text).not.toMatch(/-secret/);
      expect(text).not.toContain(source.key);
    }
    expect(await fetchFiles(target)).toHaveLength(6);
    expect(readdirSync(folder).sort()).toEqual(['secrets.json', 'state.jsonl']);
  });
});
