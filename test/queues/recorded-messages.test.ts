import { expect, it } from 'vitest';
import { message } from '#src/work/messages.ts';

/** Messages in the queues of earlier releases, one of each type. */
const recorded = import.meta.glob<{ type: string }[]>('../fixtures/releases/*/expected.json', {
  import: 'messages',
  eager: true,
});
const TYPES = message.options.map(({ shape }) => shape.type.value);

it.each(Object.entries(recorded))('reads every message recorded in %s', (_, messages) => {
  expect(messages.length).toBeGreaterThan(0);
  for (const each of messages) {
    const { traceparent: _traceparent, ...named } = each as { type: string; traceparent?: string };
    expect(message.parse(each)).toEqual(named);
  }
});

it('covers every message type that the latest release sent', () => {
  const latest = Object.keys(recorded).toSorted().at(-1)!;
  const told = new Set<string>(recorded[latest]!.map(({ type }) => type));
  // Types that are newer than the release have no recorded message.
  expect(TYPES.filter((type) => told.has(type)).length).toBe(told.size);
});
