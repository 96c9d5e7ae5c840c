import { expect, it } from 'vitest';
import { settingsSchema } from '#src/settings/settings.ts';

const [page = ''] = Object.values(
  import.meta.glob<string>('../../docs/configuration.md', { query: '?raw', import: 'default', eager: true }),
);

/** Variables in the first column of the tables. */
const documented = new Set(
  [...page.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = '']) => name),
  ),
);

it('lists every variable that the service reads', () => {
  expect(Object.keys(settingsSchema.shape).filter((name) => !documented.has(name))).toEqual([]);
});

it.each([
  ['MAX_FILE_MIB', 512],
  ['RATE_LIMIT_REQUESTS', 6000],
  ['RATE_LIMIT_SIGN_INS', 30],
  ['RATE_LIMIT_WRONG_KEYS', 60],
  ['SILENCE_SECONDS', 30],
  ['CHAT_RESUME_SECONDS', 15],
  ['PAGE_READING_SECONDS', 120],
  ['RESTART_WAIT_SECONDS', 5],
  ['METRICS_SECONDS', 5],
  ['SEARCH_MEMORY_MIB', 64],
  ['VECTORIZE_FROM_CHUNKS', 16_384],
  ['LLM_DAILY_TOKENS', 0],
] as const)('states the default of %s', (name, value) => {
  expect(settingsSchema.shape[name].parse(undefined)).toBe(value);
  const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``)) ?? '';
  expect(row.split('|').at(-2)?.trim()).toBe(String(value));
});
