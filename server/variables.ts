import { isSecretVariable } from '#src/lib/secrets/secret-variables.ts';
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
  return pick(values, [...SERVICE_VARIABLES, ...namedVariables(values)]);
}

/** Selects what the parser's Worker gets. A variable of the environment wins over one of the secrets file. */
export const parserVariables = (
  environment: NodeJS.ProcessEnv,
  secrets: Record<string, string>,
): Record<string, string> => pick({ LOG_LEVEL: 'warn', ...secrets, ...environment }, PARSER_VARIABLES);

/** Lists the variables that definitions of models name. */
function namedVariables(values: NodeJS.ProcessEnv): string[] {
  const definitions = `${values.LLM_MODELS} ${values.RERANK_MODELS}`;
  return [...definitions.matchAll(/"variable"\s*:\s*"(\w+)"/g)].map(([, name]) => name!);
}

/**
 * Returns a copy of the environment and removes its secrets from the environment itself, which every child process
 * inherits. Workers get their variables as bindings, so a process that parses foreign documents needs no secret.
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
