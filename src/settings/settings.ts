import { z } from 'zod';
import { LOG_LEVELS } from '#src/lib/log.ts';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { listSecretVariables } from '#src/lib/secrets/secret-variables.ts';

/** Maximum retention in days: one hundred years. */
export const MOST_DAYS = 36_500;

const perMinute = z.coerce.number().int().min(0).max(1_000_000);
/** Default limit of projects that set none of their own. An empty text means no limit. */
const ofProject = z.preprocess(
  (value) => (value === '' ? undefined : value),
  z.coerce.number().int().min(0).optional(),
);
const httpUrl = z.url({ protocol: /^https?$/ });
const flag = z.stringbool().default(false);
const days = z.coerce.number().int().min(1).max(MOST_DAYS).optional();

/** Variables of the service. Each one is documented in docs/configuration.md. */
export const settingsSchema = z.object({
  /** Key that signs session cookies and presigned URLs. */
  SESSION_SECRET: z.string().min(32),
  /** Key that encrypts secret fields: `<key id>:<base64 of 32 bytes>`. */
  ENCRYPTION_KEY: z.string().min(1),
  /** Former encryption keys, separated by commas. They only decrypt. */
  ENCRYPTION_KEYS_PREVIOUS: z.string().optional(),
  /** First API key. It belongs to the first user, organization and project. */
  BOOTSTRAP_API_KEY: z.string().min(20).optional(),
  /** Allows URL fetches and webhooks to reach loopback and private addresses. For development only. */
  ALLOW_PRIVATE_ADDRESSES: flag,
  /** Lowest level that is logged. `info` logs one line per request. */
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  /** Interval in seconds at which an isolate reports its counters for `/metrics`; 0 turns metrics off. */
  METRICS_SECONDS: z.coerce.number().min(0).max(15).default(5),
  /** Seconds without an answer from a data source or vector store before the work is tried again. */
  SILENCE_SECONDS: z.coerce.number().positive().max(300).default(30),
  /** Time limit in seconds of a call to a model that reads a page, including its retries. */
  PAGE_READING_SECONDS: z.coerce.number().positive().max(600).default(120),
  /**
   * Seconds before work that stopped its process is started again. Each further wait is three times as long.
   */
  RESTART_WAIT_SECONDS: z.coerce.number().positive().max(60).default(5),
  /** Seconds for which a resumable answer continues without a reader. */
  CHAT_RESUME_SECONDS: z.coerce.number().min(0).max(600).default(15),
  /** Minimum number of chunks from which a shard uses a bound Vectorize index; see docs/data-sinks.md. */
  VECTORIZE_FROM_CHUNKS: z.coerce.number().int().positive().default(16_384),
  /** Memory in MiB that all index shards of one isolate may use together; see docs/architecture.md. */
  SEARCH_MEMORY_MIB: z.coerce.number().positive().max(1_024).default(64),
  /**
   * Origins besides the service's own that may use the session cookie and call `/mcp`, separated by commas.
   */
  ALLOWED_ORIGINS: z
    .string()
    .default('')
    .transform((list) => list.split(',').filter(Boolean)),
  /** Largest accepted file, in MiB. */
  MAX_FILE_MIB: z.coerce.number().positive().default(512),
  /** Days after which data of a project expires, unless the project sets its own. Absent: never. */
  RETENTION_FILES_DAYS: days,
  RETENTION_PARSES_DAYS: days,
  RETENTION_JOBS_DAYS: days,
  RETENTION_WEBHOOK_DELIVERIES_DAYS: days,
  RETENTION_USAGE_DAYS: days,
  /** Requests per minute and API key. For this and the next two variables, 0 means no limit. */
  RATE_LIMIT_REQUESTS: perMinute.default(6000),
  /** Sign-in attempts per minute and client address. */
  RATE_LIMIT_SIGN_INS: perMinute.default(30),
  /** Wrong keys and cookies per minute and client address. */
  RATE_LIMIT_WRONG_KEYS: perMinute.default(60),
  /**
   * Server in front of the Worker that states the client's address: Cloudflare (`CF-Connecting-IP`), the
   * single-machine server (a header of its own), or none. With `none` all clients share the rate limits of
   * one address.
   */
  TRUSTED_PROXY: z.enum(['none', 'cloudflare', 'local']).default('none'),
  /** Number of further reverse proxies in front of that server that append to `X-Forwarded-For`. */
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /** Whether the bootstrap key is rate limited like any other key. */
  RATE_LIMIT_BOOTSTRAP_KEY: z.stringbool().default(true),
  /**
   * Origin at which clients reach the service. If it is absent, the origin of the request is used. That is
   * safe only where the platform passes on requests for the deployment's own domains; elsewhere a request can
   * name any host.
   */
  PUBLIC_URL: httpUrl.optional(),
  /**
   * S3 credentials of the bucket. With all four, presigned URLs point to the bucket and bytes bypass the
   * Worker and its body limit.
   */
  R2_ACCOUNT_ID: z.string().min(1).optional(),
  R2_ACCESS_KEY_ID: z.string().min(1).optional(),
  R2_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  R2_BUCKET: z.string().min(1).optional(),
  /**
   * Language models by name, as JSON; see docs/language-models.md. `src/models/language/named.ts` parses it.
   */
  LLM_MODELS: z.string().optional(),
  /** Names of the default models by use, as a JSON object. */
  LLM_DEFAULTS: z.string().optional(),
  /** OpenAI-compatible chat endpoint. Without any model the built-in answerer is used. */
  LLM_BASE_URL: httpUrl.optional(),
  LLM_API_KEY: z.string().optional(),
  LLM_MODEL: z.string().optional(),
  /**
   * Language model tokens that a project may use per UTC day, unless it sets its own limit; 0 means no limit.
   */
  LLM_DAILY_TOKENS: z.coerce.number().int().min(0).default(0),
  /** Limits of projects; see docs/operations.md. 0 allows nothing. */
  PROJECT_FILES: ofProject,
  PROJECT_BYTES: ofProject,
  PROJECT_PAGES_PER_DAY: ofProject,
  PROJECT_CONCURRENT_JOBS: ofProject,
  /**
   * Workers AI model (`@cf/…`), or model of the endpoint below. If it is absent, the built-in reranker is
   * used.
   */
  RERANK_MODEL: z.string().optional(),
  /** Base URL of an endpoint with Cohere's rerank protocol, without `/rerank`. */
  RERANK_BASE_URL: httpUrl.optional(),
  RERANK_API_KEY: z.string().optional(),
  /**
   * Rerankers that a request may name, as JSON; see docs/language-models.md.
   * `src/models/reranking/configured.ts` parses it.
   */
  RERANK_MODELS: z.string().optional(),
  /**
   * Base URL of an OpenAI-compatible endpoint, without `/embeddings`, for pipelines that name no embedding
   * model.
   */
  EMBEDDING_BASE_URL: httpUrl.optional(),
  /** Model of that endpoint. `builtin` selects the built-in embedder, even if Workers AI is bound. */
  EMBEDDING_MODEL: z.string().optional(),
  EMBEDDING_API_KEY: z.string().optional(),
});

export type Settings = z.infer<typeof settingsSchema>;

const namesItsModel = ({ EMBEDDING_BASE_URL, EMBEDDING_MODEL }: Settings) =>
  !EMBEDDING_BASE_URL || Boolean(EMBEDDING_MODEL);
const MODEL_MISSING = { path: ['EMBEDDING_MODEL'], message: 'required beside EMBEDDING_BASE_URL' };

/**
 * Returns the origin at which clients reach the service: that of PUBLIC_URL if it is set, otherwise that of
 * the request.
 */
export function publicOrigin({ PUBLIC_URL }: Settings, requestUrl: string): string {
  return new URL(PUBLIC_URL ?? requestUrl).origin;
}

const parsed = new WeakMap<object, Settings>();

/**
 * Returns the settings, parsed once per isolate. Throws an error that names every invalid variable without
 * its value.
 */
export function settingsOf(env: object): Settings {
  let settings = parsed.get(env);
  if (!settings) {
    const result = settingsSchema.refine(namesItsModel, MODEL_MISSING).safeParse(env);
    if (!result.success) {
      const names = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
      throw new Error(`Configuration is incomplete: ${names.join('; ')}. See docs/configuration.md.`);
    }
    settings = result.data;
    rememberSecrets(listSecretVariables(settings));
    parsed.set(env, settings);
  }
  return settings;
}
