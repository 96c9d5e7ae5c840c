import { secretMembers } from './redaction.ts';
import { looksSecret } from './secret-names.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Variables with definitions of models as JSON, which contain API keys or names of variables with keys. */
const DEFINITIONS = ['LLM_MODELS', 'RERANK_MODELS'] as const;

/** Limits whose names look like those of secrets. */
const LIMITS = /^(RATE_LIMIT_|LLM_DAILY_TOKENS$)/;

/**
 * Returns the secrets among configuration variables: by name, each encryption key without its id, and API
 * keys in definitions of models.
 */
export function listSecretVariables(variables: Variables): string[] {
  const { ENCRYPTION_KEY = '', ENCRYPTION_KEYS_PREVIOUS = '' } = variables;
  const keys = [ENCRYPTION_KEY, ...String(ENCRYPTION_KEYS_PREVIOUS).split(',')].map(withoutKeyId);
  const definitions = DEFINITIONS.flatMap((name) =>
    secretMembers(parseDefinition(variables[name], variables)),
  );
  const named = Object.entries(variables).filter(([name]) => isSecretVariable(name));
  return [...secretMembers(Object.fromEntries(named)), ...keys, ...definitions].filter(
    (value) => value !== '',
  );
}

function withoutKeyId(key: unknown): string {
  const text = String(key);
  return text.slice(text.indexOf(':') + 1);
}

/** Parses a definition and replaces each `{"variable": "NAME"}` by the variable's value. Returns `undefined` if it is no JSON. */
function parseDefinition(text: unknown, variables: Variables): unknown {
  try {
    return JSON.parse(String(text), (_, value) =>
      typeof value?.variable === 'string' ? variables[value.variable] : value,
    );
  } catch {
    return undefined;
  }
}

/** Returns whether a variable of the environment holds a secret, or a definition that may contain one. */
export const isSecretVariable = (name: string): boolean =>
  (looksSecret(name) && !LIMITS.test(name)) || (DEFINITIONS as readonly string[]).includes(name);
