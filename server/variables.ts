import { isSecretVariable } from '#src/lib/secrets/secret-variables.ts';
import { isLoopback, reachableHost, type ServerOptions } from './options.ts';

/** Environment variables that are passed to the service. docs/reference/configuration.md describes them. */
export const SERVICE_VARIABLES = [
  'ALLOW_PRIVATE_ADDRESSES',
  'ALLOWED_ORIGINS',
  'AUDIT_LOG_ADDRESSES',
  'BOOTSTRAP_API_KEY',
  'CHAT_RESUME_SECONDS',
  'DOCUMENT_ROW_CHARACTERS',
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
  'OIDC_PROVIDERS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
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
  'REQUESTS_IN_FLIGHT',
  'REQUESTS_WAITING',
  'REQUEST_WAIT_SECONDS',
  'RERANK_API_KEY',
  'RERANK_BASE_URL',
  'RERANK_MODEL',
  'RERANK_MODELS',
  'RESTART_WAIT_SECONDS',
  'RETENTION_AUDIT_LOG_DAYS',
  'RETENTION_FILES_DAYS',
  'RETENTION_JOBS_DAYS',
  'RETENTION_PARSES_DAYS',
  'RETENTION_USAGE_DAYS',
  'RETENTION_WEBHOOK_DELIVERIES_DAYS',
  'SEARCH_MEMORY_MIB',
  'SESSION_SECRET',
  'SILENCE_SECONDS',
  'SPARSE_EMBEDDINGS_API_KEY',
  'SPARSE_EMBEDDINGS_MODEL',
  'SPARSE_EMBEDDINGS_URL',
  'TRUSTED_PROXY',
  'TRUSTED_PROXY_HOPS',
] as const;

/** Environment variables that are passed to the parser, which calls a vision model for scanned pages. */
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
 * Selects the variables of the service's Worker: known variables, and those that model definitions reference,
 * as in `{"variable": "OPENAI_API_KEY"}`. An environment variable takes precedence over a generated secret of
 * the same name.
 */
export function serviceVariables(
  environment: NodeJS.ProcessEnv,
  secrets: Record<string, string>,
  options: Pick<ServerOptions, 'host' | 'port'>,
): Record<string, string> {
  const origin = `http://${reachableHost(options.host)}:${options.port}`;
  const values: NodeJS.ProcessEnv = {
    LOG_LEVEL: 'warn',
    // All requests share one thread, which has no use for more of them at once.
    REQUESTS_IN_FLIGHT: '4',
    // Signed URLs use this origin. A request therefore cannot change their origin by its `Host` header.
    PUBLIC_URL: origin,
    // A browser on this machine may open the console under the name localhost instead of the address.
    ...(isLoopback(options.host) && { ALLOWED_ORIGINS: `http://localhost:${options.port}` }),
    // If only this machine can reach the service, the operator's bootstrap key needs no rate limit.
    ...(isLoopback(options.host) && { RATE_LIMIT_BOOTSTRAP_KEY: 'false' }),
    ...secrets,
    ...environment,
  };
  return pick(values, [...SERVICE_VARIABLES, ...namedVariables(values)]);
}

/**
 * Selects the variables of the parser's Worker. An environment variable takes precedence over one in the
 * secrets file.
 */
export const parserVariables = (
  environment: NodeJS.ProcessEnv,
  secrets: Record<string, string>,
): Record<string, string> => pick({ LOG_LEVEL: 'warn', ...secrets, ...environment }, PARSER_VARIABLES);

/** Lists the variables that model definitions reference. */
function namedVariables(values: NodeJS.ProcessEnv): string[] {
  const definitions = `${values.LLM_MODELS} ${values.RERANK_MODELS}`;
  return [...definitions.matchAll(/"variable"\s*:\s*"(\w+)"/g)].map(([, name]) => name!);
}

/**
 * Returns a copy of the environment and removes the secrets from the original, which child processes inherit.
 * Workers get their variables as bindings. A process that parses untrusted documents therefore has no secrets
 * in its environment.
 */
export function takeSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const copy = { ...environment };
  const named = new Set(namedVariables(copy));
  for (const name of Object.keys(copy)) {
    if (isSecretVariable(name) || named.has(name)) delete environment[name];
  }
  return copy;
}

function pick(values: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const set = names.filter((name) => values[name] !== undefined && values[name] !== '');
  return Object.fromEntries(set.map((name) => [name, values[name]!]));
}
