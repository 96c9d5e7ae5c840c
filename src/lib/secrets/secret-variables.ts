import { parseHeaderList } from './header-list.ts';
import { secretMembers } from './redaction.ts';
import { looksSecret } from './secret-names.ts';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Environment variables that define models and identity providers as JSON. They contain secrets or the names of
 * variables with secrets.
 */
const DEFINITIONS = ['LLM_MODELS', 'RERANK_MODELS', 'OIDC_PROVIDERS'] as const;

/** Environment variable with headers for the OpenTelemetry collector, which may contain credentials. */
const HEADERS = 'OTEL_EXPORTER_OTLP_HEADERS';

/**
 * Matches variables that set limits. They are no secrets, although their names contain words such as
 * `TOKENS`.
 */
const LIMITS = /^(RATE_LIMIT_|LLM_DAILY_TOKENS$)/;

/**
 * Returns the secrets among environment variables: values of variables with secret names, encryption keys
 * without their ids, API keys in model definitions, and headers for the OpenTelemetry collector.
 */
export function listSecretVariables(variables: Variables): string[] {
  const { ENCRYPTION_KEY = '', ENCRYPTION_KEYS_PREVIOUS = '' } = variables;
  const keys = [ENCRYPTION_KEY, ...String(ENCRYPTION_KEYS_PREVIOUS).split(',')].map(withoutKeyId);
  const definitions = DEFINITIONS.flatMap((name) =>
    secretMembers(parseDefinition(variables[name], variables)),
  );
  const named = Object.entries(variables).filter(([name]) => isSecretVariable(name));
  const headers = parseHeaderList(variables[HEADERS] as string | undefined).map(([, value]) => value);
  return [...secretMembers(Object.fromEntries(named)), ...keys, ...definitions, ...headers].filter(
    (value) => value !== '',
  );
}

function withoutKeyId(key: unknown): string {
  const text = String(key);
  return text.slice(text.indexOf(':') + 1);
}

/**
 * Parses the JSON of a model definition and replaces each `{"variable": "NAME"}` by the value of that
 * variable. Returns `undefined` if the text is not JSON.
 */
function parseDefinition(text: unknown, variables: Variables): unknown {
  try {
    return JSON.parse(String(text), (_, value) =>
      typeof value?.variable === 'string' ? variables[value.variable] : value,
    );
  } catch {
    return undefined;
  }
}

/** Returns whether an environment variable contains a secret, or a model definition that may contain one. */
export const isSecretVariable = (name: string): boolean =>
  (looksSecret(name) && !LIMITS.test(name)) || [...DEFINITIONS, HEADERS].includes(name);
