import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

async function read(text: string, name: string): Promise<string> {
  const document = await openDocument({ bytes: utf8(text), name, plan: resolveParsePlan({}) });
  return (await readAll(document)).map((page) => page.markdown).join('\n\n');
}

parserSuite({
  kind: 'vtt',
  holds: { metadata: ['language'] },
  bytes: () =>
    utf8(`WEBVTT - Talk

STYLE
::cue { color: red }

NOTE a remark
of two lines

intro-1
00:01.000 --> 00:02.000 align:start position:10%
<v.loud Ada Moss>The light <i>turns</i>

00:02.000 --> 00:03.000
<v Ada Moss>every night &amp; day.

00:03.000 --> 00:04.000
<v Ben>Who <00:03.500>says?</v>
`),
  markdown: ['**Ada Moss:** The light turns every night & day.\n\n**Ben:** Who says?'],
});

parserSuite({
  kind: 'srt',
  holds: { metadata: ['language'] },
  bytes: () =>
    utf8(
      '1\r\n00:00:01,000 --> 00:00:02,000 X1:10 X2:20\r\n{\\an8}<font color="red">The lamp</font>\r\n\r\n2\r\n00:00:02,100 --> 00:00:03,000\r\nis lit.\r\n\r\n3\r\n00:00:09,000 --> 00:00:10,000\r\n- Is it?\r\n- It is.\r\n',
    ),
  markdown: ['The lamp is lit.\n\n- Is it?\n\n- It is.'],
});

describe('subtitles', () => {
  it('removes the lines that rolling captions repeat', async () => {
    const text =
      'WEBVTT\n\n00:01.000 --> 00:02.000\nthe tide\n\n00:02.000 --> 00:03.000\nthe tide\nis high\n\n00:03.000 --> 00:04.000\nis high\nnow';
    expect(await read(text, 'a.vtt')).toBe('the tide is high now');
  });

  it('keeps blank lines and numbers inside SubRip cues', async () => {
    const text =
      '1\n00:00:01,000 --> 00:00:02,000\nOne\n\nmore\n1999\n\n2\n00:00:02,000 --> 00:00:03,000\nTwo';
    expect(await read(text, 'a.srt')).toBe('One more 1999 Two');
  });

  it('begins a paragraph after a pause, for another speaker and at marks of a turn', async () => {
    const cues = [
      '00:01.000 --> 00:02.000\nOne &amp; two.',
      '00:02.500 --> 00:03.000\nThree.',
      '00:07.000 --> 00:08.000\nFour',
      '00:08.000 --> 00:09.000\n<v Ada>Five',
      '00:09.000 --> 00:10.000\n>> Six',
    ];
    const bytes = new TextEncoder().encode(['WEBVTT', ...cues].join('\n\n'));
    const document = await openDocument({ bytes, name: 'a.vtt', plan: resolveParsePlan({}) });
    const { blocks } = await document.readPage(0);
    expect(blocks.map(({ text }) => text)).toEqual(['One & two. Three.', 'Four', 'Ada: Five', '>> Six']);
  });

  it('keeps text below a blank line of a WebVTT cue, but no notes', async () => {
    const cue = (second: number) => `00:0${second}.000 --> 00:0${second}.500`;
    const blocks = ['WEBVTT', `${cue(1)}\none`, 'lost', 'STYLE\nhidden', 'NOTE hidden', `id\n${cue(2)}\ntwo`];
    const bytes = new TextEncoder().encode(blocks.join('\n\n'));
    const document = await openDocument({ bytes, name: 'a.vtt', plan: resolveParsePlan({}) });
    expect((await document.readPage(0)).text).toBe('one lost two');
  });

  it('rejects a file without cues', async () => {
    await expect(read('WEBVTT\n\nwords', 'a.vtt')).rejects.toMatchObject({ reason: 'FILE_IS_BROKEN' });
  });
});
