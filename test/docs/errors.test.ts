import { describe, expect, it } from 'vitest';
import { ERROR_STATUS } from '#src/api/http/error-status.ts';
import { PARSE_FAILURE_HELP } from '#src/documents/errors.ts';
import { ERROR_HELP } from '#src/lib/error-help.ts';

const [page = ''] = Object.values(
  import.meta.glob<string>('../../docs/errors.md', { query: '?raw', import: 'default', eager: true }),
);

/** Text below each heading of the page. */
const sections = new Map(
  page.split(/^### /m).map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

const codes = [
  ...Object.entries(ERROR_HELP).map(
    ([code, help]) => [code, `\`${code}\` (${ERROR_STATUS[code as keyof typeof ERROR_HELP]})`, help] as const,
  ),
  ...Object.entries(PARSE_FAILURE_HELP).map(([code, help]) => [code, `\`${code}\``, help] as const),
];

/** A sentence ends with a full stop and has at most 25 words. */
const isPlain = (text: string) =>
  text.split(/(?<=[.!?:]) /).every((sentence) => sentence.split(' ').length <= 25) && text.endsWith('.');

describe.each(codes)('the error code %s', (_, heading, { meaning, cause, remedy }) => {
  it('has a plain message, cause and remedy', () => {
    expect([meaning, cause, remedy].filter((text) => !isPlain(text))).toEqual([]);
    expect(new Set([meaning, cause, remedy]).size).toBe(3);
  });

  it('is documented in docs/errors.md with message, cause and remedy', () => {
    const section = sections.get(heading) ?? '';
    expect(section).toContain(meaning);
    expect(section).toContain(`**Cause**: ${cause}`);
    expect(section).toContain(`**What to do**: ${remedy}`);
  });
});
