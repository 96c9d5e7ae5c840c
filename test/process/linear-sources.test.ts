import { describe, it } from 'vitest';
import { adfToMarkdown } from '#src/sources/jira/adf/markdown.ts';
import { withStableOrder } from '#src/sources/jira/jql.ts';
import { wikiToMarkdown } from '#src/sources/jira/wiki-markup.ts';
import { expectLinear } from '#test/support/linear-time.ts';

// These tests measure CPU time. They run in Node because the clock of a Worker stands still while the Worker computes.

describe('parsing Jira wiki markup takes linear time', () => {
  it.each([
    '[',
    '{code:',
    '{{',
    '!',
    ' *a',
    '|',
    '{panel:',
    '* ',
    '{quote}',
    'h1. ',
    '{code:x}',
    '!a.b|',
    '\n-',
  ])('for repetitions of %j', async (sign) => {
    await expectLinear((count) => wikiToMarkdown(sign.repeat(count)), 50_000);
  });
});

describe('ordering a Jira query takes linear time', () => {
  it.each(['"', "'", 'order ', '"\\', 'order by "'])('for repetitions of %j', async (sign) => {
    await expectLinear((count) => withStableOrder(sign.repeat(count)), 100_000);
  });
});

describe('converting an Atlassian document takes linear time', () => {
  const toMarkdown = (...content: unknown[]) => adfToMarkdown({ type: 'doc', version: 1, content });
  const text = (words: string, ...marks: object[]) => ({ type: 'text', text: words, marks });
  const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content });

  it.each(['bulletList', 'blockquote', 'listItem', 'table', 'unknown', 'expand'])(
    'for nested %s',
    async (type) => {
      await expectLinear((depth) => {
        let nested: unknown = text('deep');
        for (let level = 0; level < depth; level += 1) nested = { type, content: [nested] };
        toMarkdown(nested);
      }, 25_000);
    },
  );

  it.each<[string, (count: number) => unknown[]]>([
    [
      'of many table rows with an endless column span',
      (count) => {
        const cell = { type: 'tableCell', attrs: { colspan: 1e9 }, content: [paragraph(text('x'))] };
        return [{ type: 'table', content: Array(count).fill({ type: 'tableRow', content: [cell] }) }];
      },
    ],
    ['of many paragraphs', (count) => Array(count).fill(paragraph(text('x')))],
    ['of blanks', (count) => [paragraph(text(' '.repeat(4 * count)))]],
    ['of backticks in code', (count) => [paragraph(text('`'.repeat(4 * count), { type: 'code' }))]],
  ])('%s', async (_, content) => {
    await expectLinear((count) => toMarkdown(...content(count)), 25_000);
  });
});
