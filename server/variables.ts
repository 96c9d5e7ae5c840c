import { isLoopback, reachableHost, type ServerOptions } from './options.ts';

/** Variables of the environment that reach the service; README and docs/reference describe them. */
export const SERVICE_VARIABLES = [
  'ALLOW_PRIVATE_ADDRESSES',
  'ALLOWED_ORIGINS',
  'BOOTSTRAP_API_KEY',
  'CHAT_RESUME_SECONDS',
  'EMBEDDING_API_KEY',
  'EMBEDDING_BASE_URL',
  'EMBEDDING_MODEL',
  'ENCRYPTION_KEY',
  'ENCRYPTION_KEYS_PREVIOUS',
  'LLM_API_KEY',
  'LLM_BASE_URL',
  'LLM_DAILY_TOKENS',
  'LLM_DEFAULTS',
  'LLM_MODEL',
  'LLM_MODELS',
  'LOG_LEVEL',
  'MAX_FILE_MIB',
  'METRICS_SECONDS',
  'PAGE_READING_SECONDS',
  'PROJECT_BYTES',
  'PROJECT_CONCURRENT_JOBS',
  'PROJECT_FILES',
  'PROJECT_PAGES_PER_DAY',
  'PUBLIC_URL',
  'RATE_LIMIT_BOOTSTRAP_KEY',
  'RATE_LIMIT_REQUESTS',
  'RATE_LIMIT_SIGN_INS',
  'RATE_LIMIT_WRONG_KEYS',
  'RERANK_API_KEY',
  'RERANK_BASE_URL',
  'RERANK_MODEL',
  'RERANK_MODELS',
  'RESTART_WAIT_SECONDS',
  'RETENTION_FILES_DAYS',
  'RETENTION_JOBS_DAYS',
  'RETENTION_PARSES_DAYS',
  'RETENTION_USAGE_DAYS',
  'RETENTION_WEBHOOK_DELIVERIES_DAYS',
  'SEARCH_MEMORY_MIB',
  'SESSION_SECRET',
  'SILENCE_SECONDS',
  'TRUSTED_PROXY',
  'TRUSTED_PROXY_HOPS',
] as const;

/** Variables that reach the parser, which calls a vision model for scanned pages. */
export const PARSER_VARIABLES = [
  'ALLOW_PRIVATE_ADDRESSES',
  'LLM_API_KEY',
  'LLM_BASE_URL',
  'LLM_MODEL',
  'LOG_LEVEL',
  'OCR_API_KEY',
  'OCR_BASE_URL',
  'OCR_MODEL',
] as const;

/**
 * Selects what the service's Worker gets: known variables, and those that model definitions name, as in
 * `{"variable": "OPENAI_API_KEY"}`. A variable of the environment wins over a generated secret of the same name.
 */
export function serviceVariables(
  environment: NodeJS.ProcessEnv,
  secrets: Record<string, string>,
  options: Pick<ServerOptions, 'host' | 'port'>,
): Record<string, string> {
  const origin = `http://${reachableHost(options.host)}:${options.port}`;
  const values: NodeJS.ProcessEnv = {
    LOG_LEVEL: 'warn',
    // Signed URLs lead here, whatever `Host` a request names.
    PUBLIC_URL: origin,
    // A browser on this machine may know it by its other name.
    ...(isLoopback(options.host) && { ALLOWED_ORIGINS: `http://localhost:${options.port}` }),
    // Whoever runs the service on their own machine may use it without a limit.
    ...(isLoopback(options.host) && { RATE_LIMIT_BOOTSTRAP_KEY: 'false' }),
    ...secrets,
    ...environment,
  };
  const definitions = `${values.LLM_MODELS} ${values.RERANK_MODELS}`;
  const named = [...definitions.matchAll(/"variable"\s*:\s*"(\w+)"/g)].map(([, name]) => name!);
  return pick(values, [...SERVICE_VARIABLES, ...named]);
}

export const parserVariables = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  pick({ LOG_LEVEL: 'warn', ...environment }, PARSER_VARIABLES);

function pick(values: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const set = names.filter((name) => values[name] !== undefined && values[name] !== '');
  return Object.fromEntries(set.map((name) => [name, values[name]!]));
}
