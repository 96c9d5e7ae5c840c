import { z } from 'zod';
import { LOG_LEVELS } from '#src/lib/log.ts';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { listSecretVariables } from '#src/lib/secrets/secret-variables.ts';
import { parseIdentityProviders } from './identity-providers.ts';

/** Maximum retention period in days, which is one hundred years. */
export const MAX_RETENTION_DAYS = 36_500;

const requestsPerMinute = z.coerce.number().int().min(0).max(1_000_000);
/** Schema of a default limit, for projects that set no limit of their own. An empty value means no limit. */
const projectLimit = z.preprocess(
  (value) => (value === '' ? undefined : value),
  z.coerce.number().int().min(0).optional(),
);
const httpUrl = z.url({ protocol: /^https?$/ });
const flag = z.stringbool().default(false);
const days = z.coerce.number().int().min(1).max(MAX_RETENTION_DAYS);

/** Variables of the service. Each one is documented in docs/reference/configuration.md. */
export const settingsSchema = z.object({
  /** Key that signs session cookies and presigned URLs. */
  SESSION_SECRET: z.string().min(32),
  /** Key that encrypts secret fields: `<key id>:<base64 of 32 bytes>`. */
  ENCRYPTION_KEY: z.string().min(1),
  /** Former encryption keys, separated by commas. They are used only to decrypt. */
  ENCRYPTION_KEYS_PREVIOUS: z.string().optional(),
  /**
   * First API key of the installation. The first user, organization and project are created together with it.
   */
  BOOTSTRAP_API_KEY: z.string().min(20).optional(),
  /**
   * Allows URL fetches and webhooks to reach loopback and private addresses. Intended for development only.
   */
  ALLOW_PRIVATE_ADDRESSES: flag,
  /** Lowest level that is logged. `info` logs one line per request. */
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  /** Interval in seconds at which an isolate reports its counters for `/metrics`; 0 turns metrics off. */
  METRICS_SECONDS: z.coerce.number().min(0).max(15).default(5),
  /**
   * Time in seconds to wait for a data source or vector store. If it has not answered by then, the work is
   * retried.
   */
  SILENCE_SECONDS: z.coerce.number().positive().max(300).default(30),
  /** Time limit in seconds for a call to a model that reads a page, including retries of the call. */
  PAGE_READING_SECONDS: z.coerce.number().positive().max(600).default(120),
  /**
   * Time in seconds to wait before work that crashed its process is started again. Each further wait is three
   * times as long.
   */
  RESTART_WAIT_SECONDS: z.coerce.number().positive().max(60).default(5),
  /**
   * Maximum number of characters of a text document that is stored in its database row. Longer texts are stored in the
   * bucket, which makes the database smaller and writing dearer.
   */
  DOCUMENT_ROW_CHARACTERS: z.coerce.number().int().min(0).max(8_192).default(8_192),
  /** Time in seconds for which a resumable chat answer continues while no client reads it. */
  CHAT_RESUME_SECONDS: z.coerce.number().min(0).max(600).default(15),
  /**
   * Number of chunks from which an index shard uses Vectorize, if it is bound; see
   * docs/explanation/vectorize.md.
   */
  VECTORIZE_FROM_CHUNKS: z.coerce.number().int().positive().default(16_384),
  /** Memory in MiB that all index shards of one isolate may use together; see docs/explanation/how-the-managed-index-works.md. */
  SEARCH_MEMORY_MIB: z.coerce.number().positive().max(1_024).default(64),
  /**
   * Further origins that may use the session cookie, call `/mcp`, and call `/openai` from a web page, separated by
   * commas. The service's own origin is always allowed.
   */
  ALLOWED_ORIGINS: z
    .string()
    .default('')
    .transform((list) => list.split(',').filter(Boolean)),
  /** Maximum size of a file in MiB. */
  MAX_FILE_MIB: z.coerce.number().positive().default(512),
  /**
   * Number of days after which data of a project expires, unless the project sets its own number. If absent,
   * data does not expire.
   */
  RETENTION_FILES_DAYS: days.optional(),
  RETENTION_PARSES_DAYS: days.optional(),
  RETENTION_JOBS_DAYS: days.optional(),
  RETENTION_WEBHOOK_DELIVERIES_DAYS: days.optional(),
  RETENTION_USAGE_DAYS: days.optional(),
  /** Number of days after which events of the audit log are deleted. */
  RETENTION_AUDIT_LOG_DAYS: days.default(400),
  /** Whether the audit log stores the address of each client. */
  AUDIT_LOG_ADDRESSES: flag,
  /**
   * Base URL of an OpenTelemetry collector, without `/v1/traces`. Recorded traces of retrievals and answers are sent
   * to it.
   */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** Headers for the collector: `name=value` pairs with percent-encoded values, separated by commas. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  /** OpenID Connect providers by id, as JSON. `identity-providers.ts` parses the value. */
  OIDC_PROVIDERS: z.string().optional(),
  /** Maximum requests per minute for each API key. In all three rate limits, 0 means no limit. */
  RATE_LIMIT_REQUESTS: requestsPerMinute.default(6000),
  /**
   * Maximum number of requests that an isolate handles at the same time; the others wait in a fair queue. 0 turns the
   * queue off.
   */
  REQUESTS_IN_FLIGHT: z.coerce.number().int().min(0).max(1_000).default(0),
  /** Maximum number of requests that wait in the queue of an isolate. */
  REQUESTS_WAITING: z.coerce.number().int().min(0).max(100_000).default(1_000),
  /** Maximum time in seconds that a request waits in the queue. */
  REQUEST_WAIT_SECONDS: z.coerce.number().positive().max(300).default(20),
  /** Maximum sign-in attempts per minute for each client address. */
  RATE_LIMIT_SIGN_INS: requestsPerMinute.default(30),
  /** Maximum number of wrong API keys and session cookies per minute for each client address. */
  RATE_LIMIT_WRONG_KEYS: requestsPerMinute.default(60),
  /**
   * Server in front of the Worker that reports the client's address. `cloudflare` reads the header
   * `CF-Connecting-IP`, and `local` a header of the single-machine server. With `none`, all clients share one
   * rate limit.
   */
  TRUSTED_PROXY: z.enum(['none', 'cloudflare', 'local']).default('none'),
  /**
   * Number of further reverse proxies in front of the trusted proxy. Each of them appends to
   * `X-Forwarded-For`.
   */
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /** Whether the bootstrap key is rate limited like other keys. */
  RATE_LIMIT_BOOTSTRAP_KEY: z.stringbool().default(true),
  /**
   * Origin at which clients reach the service. If absent, the origin of each request is used, which is only
   * safe if the platform routes requests by hostname.
   */
  PUBLIC_URL: httpUrl.optional(),
  /**
   * S3 credentials of the R2 bucket. If all four are set, presigned URLs point directly to the bucket.
   * Uploads then bypass the Worker and its size limit for request bodies.
   */
  R2_ACCOUNT_ID: z.string().min(1).optional(),
  R2_ACCESS_KEY_ID: z.string().min(1).optional(),
  R2_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  R2_BUCKET: z.string().min(1).optional(),
  /**
   * Language models by name, as JSON; see docs/reference/language-models.md. `src/models/language/named.ts` parses the
   * value.
   */
  LLM_MODELS: z.string().optional(),
  /** Names of the default language models for each use, as a JSON object. */
  LLM_DEFAULTS: z.string().optional(),
  /**
   * Base URL of an OpenAI-compatible chat endpoint. If no language model is configured, the built-in answerer
   * is used.
   */
  LLM_BASE_URL: httpUrl.optional(),
  LLM_API_KEY: z.string().optional(),
  LLM_MODEL: z.string().optional(),
  /**
   * Maximum number of language model tokens that a project may use per UTC day, unless it sets its own limit.
   * 0 means no limit.
   */
  LLM_DAILY_TOKENS: z.coerce.number().int().min(0).default(0),
  /** Default limits of projects; see docs/reference/limits.md. With 0, nothing is allowed. */
  PROJECT_FILES: projectLimit,
  PROJECT_BYTES: projectLimit,
  PROJECT_PAGES_PER_DAY: projectLimit,
  PROJECT_CONCURRENT_JOBS: projectLimit,
  /**
   * Reranking model: a Workers AI model (`@cf/…`), or a model of the endpoint in RERANK_BASE_URL. If absent,
   * the built-in reranker is used.
   */
  RERANK_MODEL: z.string().optional(),
  /** Base URL of an endpoint with Cohere's rerank protocol, without `/rerank`. */
  RERANK_BASE_URL: httpUrl.optional(),
  RERANK_API_KEY: z.string().optional(),
  /**
   * Rerankers that a request may name, as JSON; see docs/reference/language-models.md.
   * `src/models/reranking/configured.ts` parses the value.
   */
  RERANK_MODELS: z.string().optional(),
  /**
   * Base URL of an OpenAI-compatible endpoint, without `/embeddings`. Pipelines without an embedding model of
   * their own use it.
   */
  EMBEDDING_BASE_URL: httpUrl.optional(),
  /**
   * Embedding model at EMBEDDING_BASE_URL. `builtin` selects the built-in embedder even if Workers AI is
   * bound.
   */
  EMBEDDING_MODEL: z.string().optional(),
  EMBEDDING_API_KEY: z.string().optional(),
  /**
   * Base URL of a server with a learned sparse model and the API of text-embeddings-inference, without
   * `/embed_sparse`. Pipelines whose `sparse_model_config.model_type` is `splade` use it.
   */
  SPARSE_EMBEDDINGS_URL: httpUrl.optional(),
  /**
   * Name of the model at SPARSE_EMBEDDINGS_URL, which each index records. If absent, the URL is recorded. An index
   * with another name is rebuilt by the next sync.
   */
  SPARSE_EMBEDDINGS_MODEL: z.string().optional(),
  SPARSE_EMBEDDINGS_API_KEY: z.string().optional(),
});

export type Settings = z.infer<typeof settingsSchema>;

const isEmbeddingModelNamed = ({ EMBEDDING_BASE_URL, EMBEDDING_MODEL }: Settings) =>
  !EMBEDDING_BASE_URL || Boolean(EMBEDDING_MODEL);
const MODEL_MISSING = { path: ['EMBEDDING_MODEL'], message: 'is required together with EMBEDDING_BASE_URL' };

function checkIdentityProviders(
  { OIDC_PROVIDERS, ALLOW_PRIVATE_ADDRESSES }: Settings,
  context: z.RefinementCtx,
): void {
  const { problems } = parseIdentityProviders(OIDC_PROVIDERS, ALLOW_PRIVATE_ADDRESSES);
  for (const message of problems) context.addIssue({ code: 'custom', path: ['OIDC_PROVIDERS'], message });
}

/**
 * Returns the origin at which clients reach the service. Uses PUBLIC_URL if it is set, and otherwise the URL
 * of the request.
 */
export function publicOrigin({ PUBLIC_URL }: Settings, requestUrl: string): string {
  return new URL(PUBLIC_URL ?? requestUrl).origin;
}

const settingsByEnv = new WeakMap<object, Settings>();

/**
 * Returns the settings, which are parsed once per isolate. Throws an error that names every invalid variable,
 * but not its value.
 */
export function readSettings(env: object): Settings {
  let settings = settingsByEnv.get(env);
  if (!settings) {
    const result = settingsSchema
      .refine(isEmbeddingModelNamed, MODEL_MISSING)
      .superRefine(checkIdentityProviders)
      .safeParse(env);
    if (!result.success) {
      const names = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
      throw new Error(
        `The configuration is invalid: ${names.join('; ')}. See docs/reference/configuration.md.`,
      );
    }
    settings = result.data;
    rememberSecrets(listSecretVariables(settings));
    settingsByEnv.set(env, settings);
  }
  return settings;
}
