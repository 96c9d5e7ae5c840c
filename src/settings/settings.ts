import { z } from 'zod';
import { LOG_LEVELS } from '#src/lib/log.ts';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { listSecretVariables } from '#src/lib/secrets/secret-variables.ts';

/** Of a retention: a hundred years. */
export const MOST_DAYS = 36_500;

const perMinute = z.coerce.number().int().min(0).max(1_000_000);
/** What every project may have that has no number of its own; without it as much as it likes. An empty text is none. */
const ofProject = z.preprocess(
  (value) => (value === '' ? undefined : value),
  z.coerce.number().int().min(0).optional(),
);
const httpUrl = z.url({ protocol: /^https?$/ });
const flag = z.stringbool().default(false);
const days = z.coerce.number().int().min(1).max(MOST_DAYS).optional();

/** Variables of the service. Each one is documented in docs/configuration.md. */
export const settingsSchema = z.object({
  /** Signs session cookies and presigned URLs. */
  SESSION_SECRET: z.string().min(32),
  /** Encrypts secret fields: `<key id>:<base64 of 32 bytes>`. */
  ENCRYPTION_KEY: z.string().min(1),
  /** Older encryption keys, comma separated, still able to read. */
  ENCRYPTION_KEYS_PREVIOUS: z.string().optional(),
  /** The first key: it belongs to the first user, organization and project. */
  BOOTSTRAP_API_KEY: z.string().min(20).optional(),
  /** Lets URL fetches and webhooks reach loopback and private addresses. For development only. */
  ALLOW_PRIVATE_ADDRESSES: flag,
  /** The least of what is logged: `info` has a line for each request. */
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  /** How often an isolate hands over what it has counted for `/metrics`; 0: nothing is kept. */
  METRICS_SECONDS: z.coerce.number().min(0).max(15).default(5),
  /** How long a data source or an index that says nothing is waited for before the work is tried again. */
  SILENCE_SECONDS: z.coerce.number().positive().max(300).default(30),
  /** How long a model that reads a page is waited for, with all attempts of the call. */
  PAGE_READING_SECONDS: z.coerce.number().positive().max(600).default(120),
  /** How long work that stopped its process waits before its second start; each further wait is three times that. */
  RESTART_WAIT_SECONDS: z.coerce.number().positive().max(60).default(5),
  /** How long an answer that can be resumed goes on while nobody reads it. */
  CHAT_RESUME_SECONDS: z.coerce.number().min(0).max(600).default(15),
  /** A shard of an index with fewer chunks than these leaves a bound Vectorize index alone; docs/data-sinks.md. */
  VECTORIZE_FROM_CHUNKS: z.coerce.number().int().positive().default(16_384),
  /** What the shards of indexes that share an isolate keep in memory together; docs/architecture.md. */
  SEARCH_MEMORY_MIB: z.coerce.number().positive().max(1_024).default(64),
  /** Origins besides the service's own that may use the session cookie and call `/mcp`, comma separated. */
  ALLOWED_ORIGINS: z
    .string()
    .default('')
    .transform((list) => list.split(',').filter(Boolean)),
  /** Largest file that is taken in, MiB. */
  MAX_FILE_MIB: z.coerce.number().positive().default(512),
  /** After how many days what a project owns expires, unless the project says so itself; absent: never. */
  RETENTION_FILES_DAYS: days,
  RETENTION_PARSES_DAYS: days,
  RETENTION_JOBS_DAYS: days,
  RETENTION_WEBHOOK_DELIVERIES_DAYS: days,
  RETENTION_USAGE_DAYS: days,
  /** Requests a minute of one API key; 0: no limit. So for the next two. */
  RATE_LIMIT_REQUESTS: perMinute.default(6000),
  /** Attempts a minute from one address to sign in. */
  RATE_LIMIT_SIGN_INS: perMinute.default(30),
  /** Wrong keys and cookies a minute from one address. */
  RATE_LIMIT_WRONG_KEYS: perMinute.default(60),
  /**
   * Which server in front of the Worker vouches for the client's address: Cloudflare by `CF-Connecting-IP`, the local
   * server by a header of its own, or none. With none, all clients share the limits of one address.
   */
  TRUSTED_PROXY: z.enum(['none', 'cloudflare', 'local']).default('none'),
  /** Number of further reverse proxies in front of that server that append to `X-Forwarded-For`. */
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /** Whether the bootstrap key has a limit like any other. */
  RATE_LIMIT_BOOTSTRAP_KEY: z.stringbool().default(true),
  /**
   * Where clients reach the service. Without it that is the origin their requests arrive with, which is safe where
   * the platform hands over requests for the deployment's own domains only; elsewhere a request names what it likes.
   */
  PUBLIC_URL: httpUrl.optional(),
  /** With all four, presigned URLs are the bucket's own and bytes bypass the Worker and its body limit. */
  R2_ACCOUNT_ID: z.string().min(1).optional(),
  R2_ACCESS_KEY_ID: z.string().min(1).optional(),
  R2_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  R2_BUCKET: z.string().min(1).optional(),
  /** Language models by name, JSON; docs/language-models.md. Read by src/models/language/named.ts. */
  LLM_MODELS: z.string().optional(),
  /** Which of them answers where none is named: use -> name, JSON. */
  LLM_DEFAULTS: z.string().optional(),
  /** An OpenAI-compatible chat endpoint; without any model the built-in answerer speaks. */
  LLM_BASE_URL: httpUrl.optional(),
  LLM_API_KEY: z.string().optional(),
  LLM_MODEL: z.string().optional(),
  /** Tokens of language models that a project may use in a day of UTC, unless it has its own number; 0: no limit. */
  LLM_DAILY_TOKENS: z.coerce.number().int().min(0).default(0),
  /** Limits of projects, docs/operations.md; 0: none allowed. */
  PROJECT_FILES: ofProject,
  PROJECT_BYTES: ofProject,
  PROJECT_PAGES_PER_DAY: ofProject,
  PROJECT_CONCURRENT_JOBS: ofProject,
  /** A model of Workers AI (`@cf/…`), or of the endpoint below. Without it the built-in reranker orders results. */
  RERANK_MODEL: z.string().optional(),
  /** An endpoint that speaks Cohere's rerank protocol, up to and without `/rerank`. */
  RERANK_BASE_URL: httpUrl.optional(),
  RERANK_API_KEY: z.string().optional(),
  /** Rerankers that a request may name, JSON; docs/language-models.md. Read by src/models/reranking/configured.ts. */
  RERANK_MODELS: z.string().optional(),
  /** An OpenAI-compatible endpoint for embeddings, up to and without `/embeddings`, for pipelines that name no model. */
  EMBEDDING_BASE_URL: httpUrl.optional(),
  /** The endpoint's model; `builtin`: the built-in one, also where Workers AI is bound. */
  EMBEDDING_MODEL: z.string().optional(),
  EMBEDDING_API_KEY: z.string().optional(),
});

export type Settings = z.infer<typeof settingsSchema>;

const namesItsModel = ({ EMBEDDING_BASE_URL, EMBEDDING_MODEL }: Settings) =>
  !EMBEDDING_BASE_URL || Boolean(EMBEDDING_MODEL);
const MODEL_MISSING = { path: ['EMBEDDING_MODEL'], message: 'required beside EMBEDDING_BASE_URL' };

/** Returns the origin at which clients reach the service: that of PUBLIC_URL if it is set, otherwise that of the request. */
export function publicOrigin({ PUBLIC_URL }: Settings, requestUrl: string): string {
  return new URL(PUBLIC_URL ?? requestUrl).origin;
}

const parsed = new WeakMap<object, Settings>();

/** The variables, parsed once per isolate. Names every wrong one without printing a value. */
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
