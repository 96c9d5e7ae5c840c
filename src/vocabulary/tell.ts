import { COMPONENT_FIELDS, FIELDS } from './fields.ts';
import { WORDS } from './words.ts';

const TOLD: ReadonlyMap<string, string> = new Map([
  ...Object.entries(WORDS),
  ...FIELDS.map(({ neutral, client }) => [neutral, client] as const),
  ...Object.values(COMPONENT_FIELDS).flatMap((names) => Object.entries(names)),
]);

const TOKEN = /[A-Za-z][\w-]*/g;

/** A text of the service's own, such as an error's, in the client's words. */
export const tell = (text: string): string => text.replace(TOKEN, (token) => TOLD.get(token) ?? token);

/** The path of a member of a request, in the client's names. Below what callers name themselves nothing is a word. */
export function tellPath<Step extends string | number>(path: readonly Step[]): (Step | string)[] {
  const opaque = path.findIndex((step) => typeof step === 'string' && OPAQUE.has(step));
  const end = opaque < 0 ? path.length : opaque;
  return path.map((step, at) => (typeof step === 'string' && at < end ? (TOLD.get(step) ?? step) : step));
}

const OPAQUE = new Set(['metadata', 'custom_metadata', 'extra_info', 'data_schema', 'webhook_headers']);
