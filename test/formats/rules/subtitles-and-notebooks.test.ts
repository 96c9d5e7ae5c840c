import { describe, expect, it } from 'vitest';
import { readText } from './read-text.ts';

/** Small documents, each with the rules that the title names. */
const DOCUMENTS: [rules: string, name: string, text: string, markdown: string][] = [
  [
    'character references',
    'a.vtt',
    `WEBVTT

00:01.000 --> 00:02.000
a &lt;b&gt; &quot;c&quot; d&#39;e &amp; f&nbsp;g
`,
    `a \\<b> "c" d'e & f g`,
  ],
  [
    'a line that flashes, and a line that is said twice',
    'a.vtt',
    `WEBVTT

00:01.000 --> 00:03.000
the tide

00:03.000 --> 00:03.010
the tide

00:03.010 --> 00:05.000
the tide
is high

00:05.000 --> 00:07.000
No

00:07.000 --> 00:09.000
No
`,
    `the tide is high No No`,
  ],
  [
    'words that begin like a note in SubRip',
    'a.srt',
    `1
00:00:01,000 --> 00:00:02,000
NOTE the time
STYLE matters

2
00:00:02,000 --> 00:00:03,000
NOTE
`,
    `NOTE the time STYLE matters NOTE`,
  ],
  [
    'notes between cues',
    'a.vtt',
    `WEBVTT

00:01.000 --> 00:02.000
Take a
NOTE of it

NOTE hidden
hidden too

00:02.000 --> 00:03.000
now
`,
    `Take a NOTE of it now`,
  ],
  [
    'pauses between sentences',
    'a.srt',
    `1
00:00:01,000 --> 00:00:02,000
One.

2
00:00:04,900 --> 00:00:05,000
Two.

3
00:00:08,100 --> 00:00:09,000
Three.

4
00:00:20,000 --> 00:00:21,000
and four
`,
    `One. Two.

Three.

and four`,
  ],
  [
    'errors and results of the older format',
    'a.ipynb',
    `{"nbformat":3,"metadata":{},"worksheets":[{"cells":[{"cell_type":"code","input":"x","language":"python","outputs":[{"output_type":"pyerr","ename":"E","evalue":"v","traceback":["one\\u001b[31m","two"]},{"output_type":"pyout","text":["3"],"html":["<b>3</b>"]},{"output_type":"error","ename":"Name","evalue":"bad"}]},{"cell_type":"heading","level":3,"source":["Head"]}]}]}`,
    `\`\`\`python
x
\`\`\`

\`\`\`
one
two
\`\`\`

\`\`\`
3
\`\`\`

\`\`\`
Name: bad
\`\`\`

### Head`,
  ],
];

describe('rules of subtitles and notebooks', () => {
  it.each(DOCUMENTS)('%s (%s)', async (_, name, text, markdown) => {
    expect(await readText(name, text)).toBe(markdown);
  });

  const writeCues = (end: string) =>
    Array.from({ length: 40 }, (_, at) => {
      const second = `00:00:${at + 10}`;
      return `${at + 1}\n${second},000 --> ${second},900\n${'word '.repeat(20)}${at + 10}${end}\n`;
    }).join('\n');

  it('ends a long paragraph with a sentence', async () => {
    const paragraphs = (await readText('a.srt', writeCues('.'))).split('\n\n');
    expect(paragraphs.length).toBeGreaterThan(4);
    for (const paragraph of paragraphs.slice(0, -1)) {
      expect(paragraph.endsWith('.')).toBe(true);
      expect(paragraph.length).toBeGreaterThanOrEqual(700);
      expect(paragraph.length).toBeLessThan(900);
    }
  });

  it('ends an endless paragraph without a sentence', async () => {
    const [first = '', ...others] = (await readText('a.srt', writeCues(''))).split('\n\n');
    expect(first.length).toBeGreaterThan(2_500);
    expect(first.length).toBeLessThan(2_700);
    expect(others).toHaveLength(1);
  });
});
