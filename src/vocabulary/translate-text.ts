import { RENAMED_FIELDS } from './fields.ts';
import { COMPONENT_FIELDS } from './kinds.ts';
import { CLIENT_WORDS } from './words.ts';

const CLIENT_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CLIENT_WORDS),
  ...RENAMED_FIELDS.map(({ neutral, client }) => [neutral, client] as const),
  ...Object.values(COMPONENT_FIELDS).flatMap((names) => Object.entries(names)),
]);

/**
 * Matches a name that may be translated, or a text in double quotes. Quoted texts come from requests or
 * documents and are never translated.
 */
const QUOTED_OR_TOKEN = /"[^"]*"|[A-Za-z][\w-]*/g;

/**
 * Replaces the API's own names in a text, such as an error message, by the names that LlamaCloud clients use.
 */
export const translateText = (text: string): string =>
  text.replace(QUOTED_OR_TOKEN, (token) => CLIENT_NAMES.get(token) ?? token);

/** Fields whose content has names that API callers choose themselves. */
const OPAQUE = new Set([
  'additional_kwargs',
  'client_kwargs',
  'cookies',
  'custom_metadata',
  'data_schema',
  'default_headers',
  'extra_info',
  'headers',
  'http_headers',
  'insert_kwargs',
  'metadata',
  'permission_info',
  'search_filters',
  'search_filters_inference_schema',
  'user_metadata',
  'webhook_headers',
]);

type Step = string | number;

/**
 * Returns the index of the first path element whose content has names chosen by the caller. Returns the
 * length of the path if there is no such element.
 */
function findUserDefinedStart(path: readonly Step[]): number {
  const opaque = path.findIndex((step) => typeof step === 'string' && OPAQUE.has(step));
  return opaque < 0 ? path.length : opaque;
}

/** Returns whether the last element of a path is a name that the API caller has chosen. */
export const isUserDefined = (path: readonly Step[]): boolean => findUserDefinedStart(path) < path.length - 1;

/**
 * Translates the path of a request field into the names that LlamaCloud clients use. Names that callers chose
 * themselves are never translated.
 */
export function translatePath<Each extends Step>(path: readonly Each[]): (Each | string)[] {
  const end = findUserDefinedStart(path);
  return path.map((step, at) =>
    typeof step === 'string' && at < end ? (CLIENT_NAMES.get(step) ?? step) : step,
  );
}
