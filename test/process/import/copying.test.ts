import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SENT } from './scripted-server.ts';
import { FROM_KEY, type Scene, scene, TO_KEY } from './setup.ts';

const SINK = { sink_type: 'PINECONE', component: { api_key: '********', index_name: 'i', namespace: null } };

function pipelineWith(stage: Scene, name: string, files: readonly string[]) {
  const pipeline = stage.source.add('pipelines', { name, pipeline_type: 'MANAGED', data_sink: null });
  const members = files.map((text) => {
    const file = stage.source.addFile(`${text}.txt`, text);
    return { id: file.id, file_id: file.id, name: file.name, custom_metadata: { text } };
  });
  stage.source.members.set(pipeline.id, members);
  return pipeline;
}

const texts = (stage: Scene) => [...stage.target.contents.values()].map(String).sort();

describe('import', () => {
  it('copies content and members under new ids', async () => {
    const stage = await scene();
    const pipeline = pipelineWith(stage, 'harbour', ['one', 'two']);
    stage.source.documents.set(pipeline.id, [{ id: 'd', text: 'Words.', metadata: { a: null } }]);
    stage.source.add('retrievers', { name: 'both', pipelines: [{ pipeline_id: pipeline.id, name: 'h' }] });
    const { complete, text } = await stage.run();
    expect(text).toContain('pipeline files: 2');
    expect(complete).toBe(true);
    const copy = stage.target.tables.get('pipelines')![0]!;
    expect(texts(stage)).toEqual(['one', 'two']);
    const ids = stage.target.files.map(({ id }) => id);
    const members = stage.target.members.get(copy.id)!;
    expect(members.map(({ file_id }) => file_id).sort()).toEqual(ids.sort());
    expect(members.map(({ custom_metadata }) => custom_metadata)).toContainEqual({ text: 'two' });
    expect(stage.target.documents.get(copy.id)).toEqual([{ id: 'd', text: 'Words.', metadata: { a: null } }]);
    expect(stage.target.tables.get('retrievers')![0]).toMatchObject({
      name: 'both',
      pipelines: [{ pipeline_id: copy.id, name: 'h' }],
    });
    expect(stage.target.asked('POST', '/sync')).toHaveLength(1);
  });

  it('copies only what a selected pipeline needs', async () => {
    const stage = await scene();
    pipelineWith(stage, 'wanted', ['one']);
    const other = pipelineWith(stage, 'other', ['two']);
    stage.source.add('data-sinks', { name: 'unused', ...SINK });
    stage.source.add('retrievers', { name: 'of the other', pipelines: [{ pipeline_id: other.id }] });
    const { complete } = await stage.run({ pipelines: ['wanted'] });
    expect(complete).toBe(true);
    expect(texts(stage)).toEqual(['one']);
    expect(stage.target.tables.get('pipelines')!.map(({ name }) => name)).toEqual(['wanted']);
    expect(stage.target.tables.get('retrievers')).toEqual([]);
  });

  it('copies nothing in a dry run and lists the plan', async () => {
    const stage = await scene();
    pipelineWith(stage, 'harbour', ['one', 'two']);
    const { text } = await stage.run({ dryRun: true });
    expect(text).toContain('1 pipeline, with all files, documents and data sources: harbour');
    expect(text).toContain('2 files, 6 B');
    expect(stage.target.calls).toEqual([]);
  });
});

describe('second import', () => {
  it('copies only new data and creates no duplicates', async () => {
    const stage = await scene();
    const pipeline = pipelineWith(stage, 'harbour', ['one', 'two']);
    stage.source.documents.set(pipeline.id, [{ id: 'd', text: 'Words.', metadata: {} }]);
    stage.source.add('beta/configurations', {
      name: 'c',
      product_type: 'extract_v2',
      parameters: { product_type: 'extract_v2', data_schema: { description: '********' } },
    });
    await stage.run();
    const third = stage.source.addFile('three.txt', 'three');
    stage.source.members.get(pipeline.id)!.push({ id: third.id, file_id: third.id, name: 'three.txt' });
    const before = stage.target.asked('POST', '').length;
    const documents = stage.target.asked('PUT', '/documents').length;
    const { complete, text } = await stage.run();
    expect(complete).toBe(true);
    expect(text).toContain('files: 1 (and 2 in earlier runs)');
    expect(texts(stage)).toEqual(['one', 'three', 'two']);
    expect(stage.target.tables.get('pipelines')).toHaveLength(1);
    const [kept] = stage.target.tables.get('beta/configurations')!;
    expect(kept).toMatchObject({ parameters: { data_schema: { description: '********' } } });
    // The only POST is the sync of the new file.
    expect(stage.target.asked('POST', '').length - before).toBe(1);
    expect(stage.target.asked('PUT', '/documents')).toHaveLength(documents);
    // A third run changes nothing.
    const changes = () => stage.target.calls.filter(({ method }) => method !== 'GET').length;
    const after = changes();
    expect((await stage.run()).complete).toBe(true);
    expect(changes()).toBe(after);
  });

  it('finds unrecorded copies of the first run by name and external id', async () => {
    const stage = await scene();
    pipelineWith(stage, 'harbour', ['one', 'two']);
    for (const [index, name] of ['same', 'same'].entries()) {
      stage.source.add('data-sinks', { name, sink_type: 'PINECONE', component: { api_key: 'open', index } });
    }
    await stage.run();
    const noted = readFileSync(stage.state, 'utf8').split('\n');
    // Simulates a kill after each answer and in the middle of a line.
    for (let kept = 1; kept < noted.length; kept += 1) {
      writeFileSync(stage.state, `${noted.slice(0, kept).join('\n')}\n${noted[kept]!.slice(0, 20)}`);
      const { complete } = await stage.run();
      expect(complete).toBe(true);
      expect(stage.target.tables.get('pipelines'), `after ${kept} lines`).toHaveLength(1);
      expect(stage.target.tables.get('data-sinks'), `after ${kept} lines`).toHaveLength(2);
      expect(stage.target.files, `after ${kept} lines`).toHaveLength(2);
    }
  });

  it('is not needed after a lost answer', async () => {
    const stage = await scene();
    pipelineWith(stage, 'harbour', ['one']);
    const lost = new Set<string>();
    stage.target.trick = (call, response, ordinary) => {
      const what = `${call.method} ${call.path.replace(/[\d-]{9,}/, '')}`;
      if (call.method === 'GET' || lost.has(what)) return undefined;
      lost.add(what);
      ordinary();
      response.destroy();
      return SENT;
    };
    const { complete } = await stage.run();
    expect(complete).toBe(true);
    expect([...lost]).toContain('POST /api/v1/pipelines');
    expect(stage.target.tables.get('pipelines')).toHaveLength(1);
    expect(stage.target.files).toHaveLength(1);
    expect([...stage.target.members.values()].flat()).toHaveLength(1);
  });
});

describe('imported files', () => {
  it('keep names that look like paths and their external ids', async () => {
    const stage = await scene();
    const names = ['../../etc/passwd', 'a/b"c\\d.txt', 'Ünïcödé 文書.txt', 'line\nbreak.txt', '-rf'];
    for (const name of names) stage.source.addFile(name, name, { external_file_id: `id of ${name}` });
    expect((await stage.run()).complete).toBe(true);
    expect(stage.target.files.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(stage.target.files[0]!.external_file_id).toMatch(/^id of /);
    expect(texts(stage)).toEqual([...names].sort());
  });

  it('with the same name and content stay separate', async () => {
    const stage = await scene();
    stage.source.addFile('same.txt', 'same');
    stage.source.addFile('same.txt', 'same');
    await stage.run();
    await stage.run();
    expect(texts(stage)).toEqual(['same', 'same']);
  });

  it('never overwrite files of the target', async () => {
    const stage = await scene();
    stage.source.addFile('mine.txt', 'theirs', { external_file_id: 'x' });
    stage.target.addFile('mine.txt', 'ours', { external_file_id: 'x' });
    const { complete, text } = await stage.run();
    expect(complete).toBe(false);
    expect(text).toContain('another file with the external id x, which was not changed');
    expect(texts(stage)).toEqual(['ours']);
  });

  it('with wrong bytes are reported', async () => {
    const stage = await scene();
    stage.source.addFile('a.txt', 'right');
    stage.target.trick = (call) =>
      call.path.startsWith('/bytes/') && call.method === 'GET' ? Buffer.from('wrong') : undefined;
    const { complete, text } = await stage.run();
    expect(complete).toBe(false);
    expect(text).toContain('a.txt: the content at the target differs from the source');
    expect(readFileSync(stage.state, 'utf8')).not.toContain('"file"');
  });
});

describe('import secrets', () => {
  it('are inserted by name and appear nowhere else', async () => {
    const stage = await scene();
    const sink = stage.source.add('data-sinks', { name: 'pine', ...SINK });
    const pipeline = stage.source.add('pipelines', {
      name: 'harbour',
      data_sink: { id: sink.id, name: 'pine' },
    });
    stage.source.add('data-sources', {
      name: 'drive',
      source_type: 'GOOGLE_DRIVE',
      component: { folder_id: 'f', service_account_key: { private_key: '****', client_email: '****' } },
    });
    stage.target.trick = (call, response) => {
      if (call.method !== 'POST' || !call.path.endsWith('data-sources')) return undefined;
      response.writeHead(422).end(JSON.stringify({ detail: `${call.body} with ${call.key}` }));
      return SENT;
    };
    const secrets = {
      data_sinks: { pine: { api_key: 'pine-secret' } },
      data_sources: {
        drive: { service_account_key: { private_key: 'drive-secret', client_email: 'me@here' } },
      },
    };
    const run = await stage.run({}, { secrets: JSON.stringify(secrets) });
    expect(stage.target.tables.get('data-sinks')![0]).toMatchObject({
      component: { api_key: 'pine-secret', index_name: 'i' },
    });
    expect(stage.target.tables.get('pipelines')![0]).toMatchObject({
      name: pipeline.name,
      data_sink_id: stage.target.tables.get('data-sinks')![0]!.id,
    });
    const [refused] = stage.target.asked('POST', 'data-sources');
    expect(JSON.parse(String(refused!.body)).component.service_account_key.private_key).toBe('drive-secret');
    expect(run.text).toContain('data source drive: POST /api/v1/data-sources of the target: 422');
    for (const seen of [run.text, run.progress, readFileSync(stage.state, 'utf8')]) {
      expect(seen).not.toMatch(/pine-secret|drive-secret|me@here/);
      expect(seen).not.toContain(FROM_KEY);
      expect(seen).not.toContain(TO_KEY);
    }
  });

  it('that are missing exclude only dependent resources', async () => {
    const stage = await scene();
    const sink = stage.source.add('data-sinks', { name: 'pine', ...SINK });
    const lost = stage.source.add('pipelines', { name: 'lost', data_sink: { id: sink.id, name: 'pine' } });
    stage.source.add('retrievers', { name: 'of lost', pipelines: [{ pipeline_id: lost.id, name: 'lost' }] });
    stage.source.add('pipelines', {
      name: 'kept',
      llama_parse_parameters: { azure_openai_key: '********', user_prompt: 'Mask with **** please' },
    });
    const { complete, text } = await stage.run();
    expect(complete).toBe(false);
    expect(text).toContain('data sink pine: secrets are missing: api_key');
    expect(text).toContain('pipeline lost: its data sink pine was not copied');
    expect(text).toContain('retriever of lost: its pipeline lost was not copied');
    expect(text).toContain(
      'pipeline kept: created without its secret llama_parse_parameters.azure_openai_key',
    );
    expect(stage.target.tables.get('pipelines')!.map(({ name }) => name)).toEqual(['kept']);
    expect(stage.target.tables.get('pipelines')![0]!.llama_parse_parameters).toEqual({
      user_prompt: 'Mask with **** please',
    });
    // Everything is copied once the secrets are provided.
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return 'typed-secret';
    };
    expect((await stage.run({}, { ask })).complete).toBe(true);
    expect(asked).toEqual(['data sink pine, api_key: ']);
    expect(stage.target.tables.get('retrievers')).toHaveLength(1);
  });
});
