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
import { sinkComponents } from '#src/sinks/registry.ts';
import { RENAMED_FIELDS } from '#src/vocabulary/fields.ts';
import { CLASS_NAMES, COMPONENT_FIELDS } from '#src/vocabulary/kinds.ts';
import { toClient, toNeutral } from '#src/vocabulary/translate.ts';
import { CLIENT_WORDS, SUBSTITUTES } from '#src/vocabulary/words.ts';

const kinds = (pattern: RegExp) => Object.keys(CLIENT_WORDS).filter((word) => pattern.test(word));
const SINKS = kinds(/^VENDOR_/);
const SOURCES = kinds(/^SOURCE_/);
const EMBEDDINGS = kinds(/^PROVIDER_/);
const MODELS = kinds(/^LLM_MODEL_/);
const PARSING = RENAMED_FIELDS.filter(({ neutral }) => neutral !== 'parse_parameters').map(
  ({ client }) => client,
);

const BOTH = Object.entries(CLIENT_WORDS).flat();

/** Generates user-defined values, including words of both vocabularies. */
const theirs = fc.dictionary(
  fc.constantFrom(...BOTH, ...PARSING, 'component', 'type', 'source_type', 'colour'),
  fc.oneof(fc.constantFrom(...BOTH, ...Object.keys(SUBSTITUTES)), fc.string(), fc.integer()),
);

/** Members of a data sink's component that its type does not have are ignored, so none are generated. */
function component(kind: string) {
  const sink = Object.entries(sinkComponents).find(([type]) => type === kind)?.[1].shape;
  const [first] = Object.keys(sink ?? { bucket: '' }).filter((name) => name !== 'class_name');
  const names = Object.values(COMPONENT_FIELDS[kind] ?? { first });
  const members = Object.fromEntries(names.map((name) => [name, fc.string()]));
  const isOpen = !sink || Object.hasOwn(sink, 'client_kwargs');
  const more = { class_name: fc.constant(CLASS_NAMES[kind]), ...(isOpen && { client_kwargs: theirs }) };
  return fc.record({ ...members, ...more });
}

const ofKind = (all: readonly string[], member: string) =>
  fc
    .constantFrom(...all)
    .chain((kind) => fc.record({ [member]: fc.constant(CLIENT_WORDS[kind]), component: component(kind) }));

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

describe('translating client requests and back', () => {
  it.each([
    ['pipelines', newPipeline, pipeline],
    ['data sinks', newDataSink, ofKind(SINKS, 'sink_type')],
    ['data sources', newDataSource, ofKind(SOURCES, 'source_type')],
  ] as const)('returns the original: %s', (_, schema, sent) => {
    fc.assert(
      fc.property(sent as fc.Arbitrary<unknown>, (value) => {
        expect(toClient(schema, toNeutral(schema, value))).toEqual(value);
      }),
    );
  });

  it('leaves no client words in neutral data', () => {
    const words = new RegExp(`"(${[...Object.values(CLIENT_WORDS), ...PARSING].join('|')})"`);
    fc.assert(
      fc.property(pipeline, (value) => {
        const own = structuredClone(value) as { embedding_config: unknown; data_sink: unknown };
        for (const place of [own.embedding_config, own.data_sink])
          (place as { component: { client_kwargs: unknown } }).component.client_kwargs = {};
        expect(JSON.stringify(toNeutral(newPipeline, own))).not.toMatch(words);
      }),
    );
  });

  it('does not change user-defined names', () => {
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

describe('translated words', () => {
  it.each(MODELS)('include the chat model %s', (neutral) => {
    const chat = (model_name: string) => ({ data: { llm_parameters: { model_name } } });
    expect(toNeutral(chatRequest, chat(CLIENT_WORDS[neutral]!))).toEqual(chat(neutral));
    expect(toClient(chatRequest, chat(neutral))).toEqual(chat(CLIENT_WORDS[neutral]!));
    const session = (model_name: string) => ({ llm_params: { model_name } });
    expect(toClient(SESSION_SCHEMAS.pipeline.whole, session(neutral))).toEqual(
      session(CLIENT_WORDS[neutral]!),
    );
  });

  it.each([
    ['CLAUDE_3_5_SONNET', 'LLM_MODEL_06'],
    ['VERTEX_AI_CLAUDE_3_5_SONNET_V2', 'LLM_MODEL_07'],
  ])('replace %s with another model and a warning', (model_name, stands) => {
    const warnings: Warning[] = [];
    const heard = toNeutral(chatRequest, { data: { llm_parameters: { model_name } } }, warnings);
    expect(heard).toEqual({ data: { llm_parameters: { model_name: stands } } });
    expect(warnings).toEqual([
      { field: 'data.llm_parameters.model_name', reason: expect.stringContaining('is used instead') },
    ]);
  });

  it.each(['agentic_plus', 'turbo'])('replace the tier %s with agentic and a warning', (tier) => {
    const warnings: Warning[] = [];
    const data_schema = { type: 'object', properties: { tier: { enum: [tier] } } };
    expect(toNeutral(extractConfiguration, { tier, data_schema }, warnings)).toEqual({
      tier: 'agentic',
      data_schema,
    });
    expect(warnings).toEqual([{ field: 'tier', reason: expect.stringContaining('agentic is used') }]);
  });

  it.each([{ type: 'PROVIDER_F_EMBEDDING' }, { component: { class_name: 'ManagedOpenAIEmbedding' } }])(
    'include the managed model for any way to give the type: %j',
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

  it('include the class of a component unless it has a foreign class', () => {
    const sink = (component: object) => toClient(newDataSink, { sink_type: 'VENDOR_G', component });
    expect(sink({})).toMatchObject({ component: { class_name: 'CloudQdrantVectorStore' } });
    expect(sink({ class_name: 'Mine' })).toMatchObject({ component: { class_name: 'Mine' } });
  });
});
