import { RENAMED_FIELDS } from './fields.ts';
import { COMPONENT_FIELDS } from './kinds.ts';
import { CLIENT_WORDS } from './words.ts';

const CLIENT_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CLIENT_WORDS),
  ...RENAMED_FIELDS.map(({ neutral, client }) => [neutral, client] as const),
  ...Object.values(COMPONENT_FIELDS).flatMap((names) => Object.entries(names)),
]);

/**
 * Matches a token that may be translated, or a text in double quotes. Quoted texts come from requests or
 * documents and are never translated.
 */
const QUOTED_OR_TOKEN = /"[^"]*"|[A-Za-z][\w-]*/g;

/** Translates a text of the service, such as an error message, into the names that clients use. */
export const translateText = (text: string): string =>
  text.replace(QUOTED_OR_TOKEN, (token) => CLIENT_NAMES.get(token) ?? token);

/** Members whose content has names that callers choose themselves. */
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
 * Returns the index of the first path element whose content has user-defined names, or the length of the path
 * if there is none.
 */
function findUserDefinedStart(path: readonly Step[]): number {
  const opaque = path.findIndex((step) => typeof step === 'string' && OPAQUE.has(step));
  return opaque < 0 ? path.length : opaque;
}

/** Returns whether a path leads to a name that the caller has chosen. */
export const isUserDefined = (path: readonly Step[]): boolean => findUserDefinedStart(path) < path.length - 1;

/**
 * Translates the path of a request member into the names that clients use. Names that callers chose
 * themselves are never translated.
 */
export function translatePath<Each extends Step>(path: readonly Each[]): (Each | string)[] {
  const end = findUserDefinedStart(path);
  return path.map((step, at) =>
    typeof step === 'string' && at < end ? (CLIENT_NAMES.get(step) ?? step) : step,
  );
}
