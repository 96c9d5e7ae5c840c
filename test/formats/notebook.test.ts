import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { png } from './fixtures/pictures.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

const open = (value: unknown, name = '') =>
  openDocument({ bytes: utf8(JSON.stringify(value)), name, plan: resolveParsePlan({}) });

const read = async (value: unknown) =>
  (await readAll(await open(value, 'a.ipynb'))).map((page) => page.markdown).join('\n\f\n');

const code = (source: string, outputs: unknown[] = []) => ({ cell_type: 'code', source, outputs });
const picture = async () => btoa(String.fromCharCode(...(await png())));

parserSuite({
  kind: 'ipynb',
  holds: { headings: 1, tables: 1, lists: 1, figures: 1, metadata: ['title', 'language'] },
  bytes: async () =>
    utf8(
      JSON.stringify({
        cells: [
          {
            cell_type: 'markdown',
            source: ['# Counting the gulls\n', '\n', '- on the *rock*\n', '- in the harbour'],
          },
          code('gulls = 3\nprint(gulls)', [{ output_type: 'stream', name: 'stdout', text: ['3\n'] }]),
          code('table', [
            {
              output_type: 'execute_result',
              data: {
                'text/plain': '   day',
                'text/html':
                  '<table><tr><th>day</th><th>n</th></tr><tr><td>Monday</td><td>3</td></tr></table>',
              },
            },
          ]),
          code('plot()', [
            {
              output_type: 'display_data',
              data: { 'image/png': `${await picture()}\n`, 'text/plain': '<Figure>' },
            },
          ]),
          code('fail()', [
            { output_type: 'error', ename: 'E', evalue: 'x', traceback: ['\u001b[0;31mE\u001b[0m: x'] },
          ]),
        ],
        metadata: { kernelspec: { language: 'Python' } },
        nbformat: 4,
      }),
    ),
  markdown: [
    [
      '# Counting the gulls',
      '- on the *rock*\n- in the harbour',
      '```python\ngulls = 3\nprint(gulls)\n```',
      '```\n3\n```',
      '```python\ntable\n```',
      '| day    | n   |\n| ------ | --- |\n| Monday | 3   |',
      '```python\nplot()\n```',
      '![](image-1.png)',
      '```python\nfail()\n```',
      '```\nE: x\n```',
    ].join('\n\n'),
  ],
});

describe('notebooks', () => {
  it('shows only the last state of a progress bar', async () => {
    const outputs = [{ output_type: 'stream', text: '10%\r50%\r100%\r\ndone\n' }];
    expect(await read({ cells: [code('run()', outputs)] })).toContain('```\n100%\ndone\n```');
  });

  it('reads pictures that are attached to a cell', async () => {
    const cell = {
      cell_type: 'markdown',
      source: 'See ![the rock](attachment:rock.png)',
      attachments: { 'rock.png': { 'image/png': await picture() } },
    };
    expect(await read({ cells: [cell] })).toBe('See ![the rock](image-1.png)');
  });

  it('reads notebooks of nbformat 3', async () => {
    const cells = [
      { cell_type: 'heading', level: 2, source: 'Old' },
      { cell_type: 'code', input: 'a = 1', outputs: [{ output_type: 'pyout', text: ['1'] }] },
    ];
    expect(await read({ worksheets: [{ cells }] })).toBe('## Old\n\n```python\na = 1\n```\n\n```\n1\n```');
  });

  it('reads HTML outputs whose plain text only names their class', async () => {
    const data = { 'text/html': '<p>Three gulls', 'text/plain': '<display.HTML object>' };
    const outputs = [{ output_type: 'display_data', data }];
    expect(await read({ cells: [code('a', outputs)] })).toBe('```python\na\n```\n\nThree gulls');
  });

  it.each([
    ['image/svg+xml', 'A picture of the notebook was skipped because it is SVG.'],
    ['application/x', 'An output of the notebook was skipped because its type is application/x.'],
  ])('reports outputs of the type %s', async (type, message) => {
    const outputs = [{ output_type: 'display_data', data: { [type]: 'a', 'text/plain': '<object>' } }];
    const document = await open({ cells: [code('a', outputs)] }, 'a.ipynb');
    expect((await document.readPage(0)).text).toBe('a');
    expect(document.metadata.omissions?.map((omission) => omission.message)).toEqual([message]);
  });

  it('reports SVG outputs of nbformat 3', async () => {
    const cells = [{ cell_type: 'code', input: 'a', outputs: [{ output_type: 'pyout', svg: '<svg/>' }] }];
    const document = await open({ worksheets: [{ cells }] }, 'a.ipynb');
    expect(document.metadata.omissions).toMatchObject([{ kind: 'picture_not_read' }]);
  });

  it('reads a picture that is attached once and shown many times', async () => {
    const source = '![a](attachment:b)\n'.repeat(2_000);
    const attachments = { b: { 'image/png': (await picture()) + 'A'.repeat(400_000) } };
    const markdown = await read({ cells: [{ cell_type: 'markdown', source, attachments }] });
    expect(markdown.length).toBeLessThan(100_000);
  });

  it('rejects JSON that is not a notebook', async () => {
    await expect(read({ a: 1 })).rejects.toMatchObject({ reason: 'FILE_IS_BROKEN' });
  });
});
