import { describe, expect, it } from 'vitest';
import { continueTrace, currentTrace, formatTraceparent, runInTrace } from '#src/lib/trace.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, '01'],
    [`00-${TRACE}-${SPAN}-00`, '00'],
    // Undefined flag bits are not passed on.
    [`00-${TRACE}-${SPAN}-ff`, '03'],
    // Later versions of the format may use this length.
    [`cc-${TRACE}-${SPAN}-01`, '01'],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, '01'],
  ])('continues the trace: %s', (header, flags) => {
    const trace = continueTrace(header);
    expect(trace).toMatchObject({ traceId: TRACE, flags });
    expect(trace.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(trace.spanId).not.toBe(SPAN);
    expect(formatTraceparent(trace)).toBe(`00-${TRACE}-${trace.spanId}-${flags}`);
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
  ])('starts a new trace if invalid: %j', (header) => {
    const trace = continueTrace(header);
    expect(trace.traceId).not.toBe(TRACE);
    expect(formatTraceparent(trace)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(continueTrace(header).traceId).not.toBe(trace.traceId);
  });
});

it('applies to all awaited work and to nothing else', async () => {
  const [one, other] = [continueTrace(null), continueTrace(null)];
  const seen = async () => {
    await Promise.resolve();
    return currentTrace();
  };
  const both = await Promise.all([runInTrace(one, seen), runInTrace(other, seen)]);
  expect(both).toEqual([one, other]);
  expect(currentTrace()).toBeUndefined();
});
