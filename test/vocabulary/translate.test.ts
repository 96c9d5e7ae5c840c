import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SESSION_SCHEMAS } from '#src/api/v1/chat/chat-sessions.schemas.ts';
import { pipelineBody } from '#src/api/v1/pipelines/pipelines.schemas.ts';
import { chatRequest } from '#src/chat/input.ts';
import { extractConfiguration } from '#src/extraction/configuration.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { newDataSink } from '#src/services/connections/data-sinks.ts';
import { newDataSource } from '#src/services/connections/data-sources.ts';
import { newPipeline } from '#src/services/pipelines/input.ts';
import { FIELDS } from '#src/vocabulary/fields.ts';
import { CLASS_NAMES, COMPONENT_FIELDS } from '#src/vocabulary/kinds.ts';
import { toClient, toNeutral } from '#src/vocabulary/translate.ts';
import { STAND_INS, WORDS } from '#src/vocabulary/words.ts';

const kinds = (pattern: RegExp) => Object.keys(WORDS).filter((word) => pattern.test(word));
const SINKS = kinds(/^VENDOR_/);
const SOURCES = kinds(/^SOURCE_/);
const EMBEDDINGS = kinds(/^PROVIDER_/);
const MODELS = kinds(/^LLM_MODEL_/);
const PARSING = FIELDS.filter(({ neutral }) => neutral !== 'parse_parameters').map(({ client }) => client);

const BOTH = Object.entries(WORDS).flat();

/** Whatever callers call their own, words of both tongues among it. */
const theirs = fc.dictionary(
  fc.constantFrom(...BOTH, ...PARSING, 'component', 'type', 'source_type', 'colour'),
  fc.oneof(fc.constantFrom(...BOTH, ...Object.keys(STAND_INS)), fc.string(), fc.integer()),
);

function component(kind: string) {
  const names = Object.values(COMPONENT_FIELDS[kind] ?? { bucket: 'bucket' });
  const members = Object.fromEntries(names.map((name) => [name, fc.string()]));
  return fc.record({ ...members, class_name: fc.constant(CLASS_NAMES[kind]), client_kwargs: theirs });
}

const ofKind = (all: readonly string[], member: string) =>
  fc
    .constantFrom(...all)
    .chain((kind) => fc.record({ [member]: fc.constant(WORDS[kind]), component: component(kind) }));

const pages = fc
  .array(fc.tuple(fc.nat(9999), fc.nat(9999)), { minLength: 1 })
  .map((ranges) =>
    ranges.map(([first, more]) => (more ? `${first}-${first + more}` : `${first}`)).join(', '),
  );

const pipeline = fc.record({
  name: fc.string({ minLength: 1 }),
  embedding_config: ofKind(EMBEDDINGS, 'type'),
  data_sink: ofKind(SINKS, 'sink_type'),
  llama_parse_parameters: fc
    .tuple(fc.dictionary(fc.constantFrom(...PARSING), fc.string()), pages)
    .map(([parameters, target_pages]) => ({ ...parameters, target_pages })),
});

describe('what clients send, translated there and back', () => {
  it.each([
    ['pipelines', newPipeline, pipeline],
    ['data sinks', newDataSink, ofKind(SINKS, 'sink_type')],
    ['data sources', newDataSource, ofKind(SOURCES, 'source_type')],
  ] as const)('is what it was: %s', (_, schema, sent) => {
    fc.assert(
      fc.property(sent as fc.Arbitrary<unknown>, (value) => {
        expect(toClient(schema, toNeutral(schema, value))).toEqual(value);
      }),
    );
  });

  it('leaves nothing of the clients’ tongue behind', () => {
    const words = new RegExp(`"(${[...Object.values(WORDS), ...PARSING].join('|')})"`);
    fc.assert(
      fc.property(pipeline, (value) => {
        const own = structuredClone(value) as { embedding_config: unknown; data_sink: unknown };
        for (const place of [own.embedding_config, own.data_sink])
          (place as { component: { client_kwargs: unknown } }).component.client_kwargs = {};
        expect(JSON.stringify(toNeutral(newPipeline, own))).not.toMatch(words);
      }),
    );
  });

  it('does not touch what callers name themselves', () => {
    fc.assert(
      fc.property(theirs, (custom_metadata) => {
        const source = { name: 's', source_type: 'S3', component: { bucket: 'b' }, custom_metadata };
        expect(toNeutral(newDataSource, source)).toMatchObject({ custom_metadata });
        expect(toClient(newDataSource, { ...source, source_type: 'SOURCE_9_BUCKET' })).toMatchObject({
          custom_metadata,
        });
      }),
    );
  });
});

describe('words', () => {
  it.each(MODELS)('%s names a language model of a chat', (neutral) => {
    const chat = (model_name: string) => ({ data: { llm_parameters: { model_name } } });
    expect(toNeutral(chatRequest, chat(WORDS[neutral]!))).toEqual(chat(neutral));
    expect(toClient(chatRequest, chat(neutral))).toEqual(chat(WORDS[neutral]!));
    const session = (model_name: string) => ({ llm_params: { model_name } });
    expect(toClient(SESSION_SCHEMAS.pipeline.whole, session(neutral))).toEqual(session(WORDS[neutral]!));
  });

  it.each([
    ['CLAUDE_3_5_SONNET', 'LLM_MODEL_06'],
    ['VERTEX_AI_CLAUDE_3_5_SONNET_V2', 'LLM_MODEL_07'],
  ])('%s is stood in for, and that is said', (model_name, stands) => {
    const warnings: Warning[] = [];
    const heard = toNeutral(chatRequest, { data: { llm_parameters: { model_name } } }, warnings);
    expect(heard).toEqual({ data: { llm_parameters: { model_name: stands } } });
    expect(warnings).toEqual([
      { field: 'data.llm_parameters.model_name', reason: expect.stringContaining('answers for it') },
    ]);
  });

  it.each(['agentic_plus', 'turbo'])('the tier %s is the best there is, and that is said', (tier) => {
    const warnings: Warning[] = [];
    const data_schema = { type: 'object', properties: { tier: { enum: [tier] } } };
    expect(toNeutral(extractConfiguration, { tier, data_schema }, warnings)).toEqual({
      tier: 'agentic',
      data_schema,
    });
    expect(warnings).toEqual([{ field: 'tier', reason: expect.stringContaining('agentic is used') }]);
  });

  it.each([{ type: 'PROVIDER_F_EMBEDDING' }, { component: { class_name: 'ManagedOpenAIEmbedding' } }])(
    'the managed model has the clients’ name, whatever tells the type: %j',
    (config) => {
      const managed = (model_name: string) => ({
        ...config,
        component: { class_name: 'ManagedOpenAIEmbedding', model_name },
      });
      const shown = toClient(pipelineBody, { embedding_config: managed('managed-text-embedding-3-small') });
      const { component } = (shown as { embedding_config: { component: unknown } }).embedding_config;
      expect(component).toMatchObject({ model_name: 'openai-text-embedding-3-small' });
      expect(
        toNeutral(newPipeline, { embedding_config: managed('openai-text-embedding-3-small') }),
      ).toMatchObject({ embedding_config: { component: { model_name: 'managed-text-embedding-3-small' } } });
    },
  );

  it('components say their class, those of a stranger theirs', () => {
    const sink = (component: object) => toClient(newDataSink, { sink_type: 'VENDOR_G', component });
    expect(sink({})).toMatchObject({ component: { class_name: 'CloudQdrantVectorStore' } });
    expect(sink({ class_name: 'Mine' })).toMatchObject({ component: { class_name: 'Mine' } });
  });
});
