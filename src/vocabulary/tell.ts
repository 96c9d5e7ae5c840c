import { FIELDS } from './fields.ts';
import { COMPONENT_FIELDS } from './kinds.ts';
import { WORDS } from './words.ts';

const TOLD: ReadonlyMap<string, string> = new Map([
  ...Object.entries(WORDS),
  ...FIELDS.map(({ neutral, client }) => [neutral, client] as const),
  ...Object.values(COMPONENT_FIELDS).flatMap((names) => Object.entries(names)),
]);

/** What stands in double quotes is repeated from a request or a document. */
const QUOTED_OR_TOKEN = /"[^"]*"|[A-Za-z][\w-]*/g;

/** A text of the service's own, such as an error's, in the client's words. */
export const tell = (text: string): string =>
  text.replace(QUOTED_OR_TOKEN, (token) => TOLD.get(token) ?? token);

/** Members whose content callers name themselves. */
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

/** Where in a path what callers name themselves begins; its length where nothing of it is theirs. */
function endOfNames(path: readonly Step[]): number {
  const opaque = path.findIndex((step) => typeof step === 'string' && OPAQUE.has(step));
  return opaque < 0 ? path.length : opaque;
}

/** Whether a path leads to what callers name themselves. */
export const isCallers = (path: readonly Step[]): boolean => endOfNames(path) < path.length - 1;

/** The path of a member of a request, in the client's names. Below what callers name themselves nothing is a word. */
export function tellPath<Each extends Step>(path: readonly Each[]): (Each | string)[] {
  const end = endOfNames(path);
  return path.map((step, at) => (typeof step === 'string' && at < end ? (TOLD.get(step) ?? step) : step));
}
