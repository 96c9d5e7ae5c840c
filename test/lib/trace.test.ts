import { describe, expect, it } from 'vitest';
import { continuedFrom, currentTrace, traceparentOf, withinTrace } from '#src/lib/trace.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, '01'],
    [`00-${TRACE}-${SPAN}-00`, '00'],
    // Bits that nobody has defined yet are not passed on.
    [`00-${TRACE}-${SPAN}-ff`, '03'],
    // A later version, as it may be.
    [`cc-${TRACE}-${SPAN}-01`, '01'],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, '01'],
  ])('is gone on from: %s', (header, flags) => {
    const trace = continuedFrom(header);
    expect(trace).toMatchObject({ traceId: TRACE, flags });
    expect(trace.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(trace.spanId).not.toBe(SPAN);
    expect(traceparentOf(trace)).toBe(`00-${TRACE}-${trace.spanId}-${flags}`);
  });

  it.each([
    undefined,
    null,
    '',
    'none',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `cc-${TRACE}-${SPAN}-01.more`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
  ])('that is not sound begins another trace: %j', (header) => {
    const trace = continuedFrom(header);
    expect(trace.traceId).not.toBe(TRACE);
    expect(traceparentOf(trace)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(continuedFrom(header).traceId).not.toBe(trace.traceId);
  });
});

it('is known to all that the work waits for, and to nothing else', async () => {
  const [one, other] = [continuedFrom(null), continuedFrom(null)];
  const seen = async () => {
    await Promise.resolve();
    return currentTrace();
  };
  const both = await Promise.all([withinTrace(one, seen), withinTrace(other, seen)]);
  expect(both).toEqual([one, other]);
  expect(currentTrace()).toBeUndefined();
});
