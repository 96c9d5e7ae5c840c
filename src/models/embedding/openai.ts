import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { namingField } from '#src/models/naming-field.ts';
import { defineEmbedder, embedderField, tryEmbedder } from './definition.ts';
import { openaiCompatibleEmbedder } from './openai-compatible.ts';

const DEFAULT_BASE = 'https://api.openai.com/v1';
const DEFAULT_MODEL = 'text-embedding-ada-002';

/** Of models that are asked for no particular length. */
const KNOWN_DIMENSIONS: Record<string, number> = {
  'text-embedding-ada-002': 1536,
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
};

const MAX_BATCH = 2048;
/** Tries within one call; whoever owns the work tries again later and counts that. */
const QUICK_RETRIES = 2;
const DEFAULT_TIMEOUT_SECONDS = 60;

/** The hosted API, and every endpoint that speaks its protocol, at `api_base`. */
export const openai = defineEmbedder({
  kind: 'PROVIDER_G_EMBEDDING',
  className: 'OpenAIEmbedding',
  fields: {
    additional_kwargs: field.map(),
    api_base: field.text().describe('The address of the hosted API when omitted.'),
    api_key: secret().nullish(),
    api_version: field.textOr(''),
    default_headers: embedderField.secretMap(),
    dimensions: field.int(),
    max_retries: embedderField.retries(),
    model_name: embedderField.model(),
    reuse_client: field.flagOr(true),
    timeout: embedderField.seconds(),
  },
  capabilities: { maxBatch: MAX_BATCH, tellsPurpose: false },
  open(settings, deps) {
    const model = settings.model_name || DEFAULT_MODEL;
    return openaiCompatibleEmbedder(
      {
        base: settings.api_base || DEFAULT_BASE,
        model,
        // Whose defaults these are, clients are not told.
        told: {
          base: settings.api_base || 'PROVIDER_G_EMBEDDING',
          model: settings.model_name || 'default',
        },
        headers: {
          ...(settings.api_key && { authorization: `Bearer ${settings.api_key}` }),
          ...settings.default_headers,
        },
        query: settings.api_version ? { 'api-version': settings.api_version } : {},
        parameters: settings.additional_kwargs ?? {},
        dimensions: settings.dimensions ?? undefined,
        knownDimension: KNOWN_DIMENSIONS[model],
        batchSize: Math.min(settings.embed_batch_size ?? 10, MAX_BATCH),
        workers: settings.num_workers ?? 1,
        timeoutSeconds: settings.timeout || DEFAULT_TIMEOUT_SECONDS,
        retries: Math.min(settings.max_retries ?? QUICK_RETRIES, QUICK_RETRIES),
      },
      deps,
    );
  },
  check: (embedder) =>
    namingField(tryEmbedder(embedder), {
      address: 'api_base',
      key: 'api_key',
      model: 'model_name',
    }),
});
