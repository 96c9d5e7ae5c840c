import { expect, it } from 'vitest';
import { message } from '#src/work/messages.ts';

/** What was in the queues of former releases, a message of each type. */
const recorded = import.meta.glob<{ type: string }[]>('../fixtures/releases/*/expected.json', {
  import: 'messages',
  eager: true,
});
const TYPES = message.options.map(({ shape }) => shape.type.value);

it.each(Object.entries(recorded))('reads every message that %s speaks of', (_, messages) => {
  expect(messages.length).toBeGreaterThan(0);
  for (const each of messages) {
    const { traceparent: _traceparent, ...named } = each as { type: string; traceparent?: string };
    expect(message.parse(each)).toEqual(named);
  }
});

it('knows of each of today’s types what the latest release sent', () => {
  const latest = Object.keys(recorded).toSorted().at(-1)!;
  const told = new Set<string>(recorded[latest]!.map(({ type }) => type));
  // A type that is new since then has none to read.
  expect(TYPES.filter((type) => told.has(type)).length).toBe(told.size);
});
