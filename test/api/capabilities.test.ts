import { describe, expect, it } from 'vitest';
import { FILE_KINDS } from '#src/file-formats/registry.ts';
import { EMBEDDING_TYPES } from '#src/models/embedding/registry.ts';
import { SINK_TYPES } from '#src/sinks/registry.ts';
import { SOURCE_TYPES } from '#src/sources/registry.ts';
import { call } from '#test/support/client.ts';
import { clientOf } from '#test/support/configured.ts';
import { createTenant } from '#test/support/tenants.ts';
import { vendorWords } from '#test/support/vendor-words.ts';

interface Kind {
  type: string;
  title: string;
}
interface Model {
  model: string;
  built_in: boolean;
}
interface Capabilities {
  version: string;
  models: {
    embedding: Model;
    rerank: Model;
    ocr: Model | null;
    language: Record<string, Model & { problem: string | null }>;
    language_names: string[];
  };
  limits: Record<string, number | null>;
  file_types: (Kind & { extensions: string[]; media_types: string[] })[];
  data_sources: Kind[];
  data_sinks: Kind[];
  embedding_models: Kind[];
}

const PATH = '/api/v1/capabilities';
const listTypes = (kinds: Kind[]) => kinds.map(({ type }) => type).toSorted();

describe('capabilities', () => {
  it('list the built-in models, every type and every format by default', async () => {
    const { status, body } = await call<Capabilities>('GET', PATH, { key: (await createTenant()).key });
    expect(status).toBe(200);
    expect(body.models).toMatchObject({
      embedding: { model: expect.stringMatching(/^builtin\//), built_in: true },
      rerank: { model: 'builtin/lexical-1', built_in: true },
      ocr: { model: 'builtin/tesseract', built_in: true },
      language_names: [],
    });
    expect(body.models.language.chat).toEqual({ model: 'builtin', built_in: true, problem: null });
    expect(listTypes(body.data_sources)).toEqual(SOURCE_TYPES.toSorted());
    expect(listTypes(body.data_sinks)).toEqual(SINK_TYPES.toSorted());
    expect(listTypes(body.embedding_models)).toEqual(EMBEDDING_TYPES.toSorted());
    expect(listTypes(body.file_types)).toEqual(FILE_KINDS.toSorted());
    for (const kinds of [body.data_sources, body.data_sinks, body.embedding_models, body.file_types]) {
      expect(new Set(kinds.map(({ title }) => title)).size).toBe(kinds.length);
    }
    const extensions = body.file_types.flatMap((each) => each.extensions);
    expect(new Set(extensions).size).toBe(extensions.length);
    expect(vendorWords(JSON.stringify(body))).toEqual([]);
    const description = await call<{ info: { version: string } }>('GET', '/openapi.json', { key: null });
    expect(body.version).toBe(description.body.info.version);
  });

  it('show the configured models and limits, without addresses or keys', async () => {
    const { key } = await createTenant();
    const ask = clientOf(key, {
      MAX_FILE_MIB: '7',
      RATE_LIMIT_REQUESTS: '0',
      LLM_DAILY_TOKENS: '9000',
      LLM_BASE_URL: 'https://models.secret.example/v1',
      LLM_MODEL: 'harbour-large',
      LLM_API_KEY: 'key-of-the-operator',
      EMBEDDING_BASE_URL: 'https://vectors.secret.example/v1',
      EMBEDDING_MODEL: 'quay-embed',
      RERANK_BASE_URL: 'https://rerank.secret.example',
      RERANK_MODEL: 'quay-rerank',
    });
    const { body } = await ask<Capabilities>('GET', PATH);
    expect(body.limits).toMatchObject({
      file_bytes: 7 * 2 ** 20,
      requests_per_minute: null,
      daily_tokens: 9000,
    });
    expect(body.models.embedding).toEqual({ model: 'quay-embed', built_in: false });
    expect(body.models.rerank).toMatchObject({
      model: expect.stringContaining('quay-rerank'),
      built_in: false,
    });
    expect(body.models.language.chat).toEqual({ model: 'harbour-large', built_in: false, problem: null });
    expect(JSON.stringify(body)).not.toMatch(/secret\.example|key-of-the-operator/);
  });

  it('show the models chosen for the project, and report a model that no longer exists', async () => {
    const { key, projectId } = await createTenant();
    const model = { provider: 'openai_compatible', base_url: 'https://models.example/v1', model: 'small-1' };
    const configured = clientOf(key, { LLM_MODELS: JSON.stringify({ small: model }) });
    const body = { models: { chat: 'small' }, daily_tokens: 50 };
    const put = await configured('PUT', `/api/v1/projects/${projectId}/model-settings`, body);
    expect(put.status).toBe(200);
    const chosen = (await configured<Capabilities>('GET', PATH)).body;
    expect(chosen.models.language.chat).toEqual({ model: 'small-1', built_in: false, problem: null });
    expect(chosen.models.language.extract).toMatchObject({ model: 'builtin', built_in: true });
    expect(chosen.models.language_names).toEqual(['small']);
    expect(chosen.limits.daily_tokens).toBe(50);
    const gone = (await call<Capabilities>('GET', PATH, { key })).body;
    expect(gone.models.language.chat).toMatchObject({
      model: null,
      problem: expect.stringContaining('small'),
    });
  });
});
