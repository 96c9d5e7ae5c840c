import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { getErrorMessage, getStackTrace } from '#src/lib/errors.ts';

describe('errors in logs and status details', () => {
  it('a failed query by its cause, without its parameters', () => {
    const cause = new Error('D1_ERROR: no such column: x');
    const error = new DrizzleQueryError('insert into t values (?)', ['a private text'], cause);
    expect(error.message).toContain('a private text');
    expect(getErrorMessage(error)).toBe('query failed: D1_ERROR: no such column: x');
    expect(getStackTrace(error)).toMatch(/^\s+at /);
    expect(getStackTrace(error)).not.toContain('a private text');
  });

  it('any thrown value', () => {
    expect(getErrorMessage(new Error('because'))).toBe('because');
    expect(getErrorMessage('because')).toBe('because');
    expect(getStackTrace('because')).toBeUndefined();
  });
});
