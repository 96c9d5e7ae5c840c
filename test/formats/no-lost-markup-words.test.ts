import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readAll } from '#test/suites/parser.suite.ts';

/** Blocks of each format. `W` stands for a word. */
const BLOCKS: Record<string, string[]> = {
  'a.tex': [
    'W \\textbf{W \\emph{W}} W',
    '\\section{W W}',
    '\\begin{itemize}\\item W\\item[W] W\\end{itemize}',
    '\\begin{tabular}{ll}W & W \\\\ \\multicolumn{2}{c}{W}\\end{tabular}',
    '\\begin{figure}\\caption{W \\textit{W}}\\end{figure}',
    'W\\footnote{W W} W',
    'W\\footnotemark\\footnotetext{W}\\footnotetext{W}',
    '{\\bf W {\\it W} W}',
    '\\newcommand{\\own}[2][W]{#1 #2}\\own{W} \\own[W]{W}',
    '\\begin{quote}W\\end{quote}',
    '\\makebox[3cm][l]{W} \\unknown{W}{W}',
    '\\begin{verbatim}\nW % W\n\\end{verbatim}',
    '\\begin{unknown}W \\par W\\end{unknown}',
    '\\title{W}',
    '{W \\section{W',
    '\\begin{lemma}[W] W',
  ],
  'a.adoc': [
    'W *W _W_* `W` #W# W^W^',
    '== W W',
    '* W\n** W\n+\nW\n\n. W',
    'W:: W',
    '|===\n|W |W\n2+|W\nW\n|===',
    '|===\nW\n|W\n|===',
    ':===\nW:W\nW:W\n:===',
    '[quote, W, W]\nW',
    '[quote, W]\n____\nW\n____',
    'NOTE: W',
    '[TIP]\n====\nW\n====',
    '----\nW\n----',
    '.W\nW',
    'ifdef::a[W]',
    'Wfootnote:[W W]',
    'link:a.html[W] <<a,W>> https://a.example[W]',
    'image::a.png[W]',
    '****\nW\n* W\n+\n----\nW',
  ],
  'a.rst': [
    'W **W** *W* ``W`` :ref:`W <a>`',
    'W\n~~~~~~~~',
    '- W\n\n  - W\n\n  W\n- W',
    'W\n  W\n\n  W',
    'W::\n\n  W\n\tW',
    '.. note:: W\n\n   W',
    '.. unknown:: W\n\n   W',
    '.. |w| replace:: W\n   W\n\n|w|',
    '.. list-table::\n\n   * - W\n     - W\n   * - W',
    '.. list-table::\n\n   W',
    '.. csv-table:: W\n   :header: W, W\n\n   W, W',
    '+-----------+-----------+\n| W | W |\n+-----------+-----------+',
    '+-----+\n| W |',
    '===========  ===========\nW    W\n===========  ===========\nW  W W W\n             W\n===========  ===========',
    '.. [1] W\n.. [1] W',
    '.. header:: W',
    ':W: W\n  W',
    '| W\n| W',
    '.. image:: a.png\n   :alt: W',
    '.. figure:: a.png\n\n   W\n\n   W',
  ],
  'a.org': [
    'W *W* /W/ =W= _W_ +W+',
    '* TODO [#A] W W',
    '- W\n  - W\n  W\n- W :: W',
    '| W | W |\n|---+---|\n| W | W |',
    '#+BEGIN_SRC sql\n\tW\n  W\n#+END_SRC',
    '#+BEGIN_QUOTE\nW\n#+END_QUOTE',
    '#+BEGIN_VERSE\nW\nW\n#+END_VERSE',
    ':NOTES:\nW\n:END:',
    ':OPEN:\nW',
    '#+TITLE: W',
    '#+CAPTION: W\n[[a.png][W]]',
    'W[fn:1] [fn::W]\n\n[fn:1] W\n\n[fn:1] W',
    ': W\n: W',
    '#+BEGIN_SRC a\nW',
  ],
  'a.vtt': [
    '00:01.000 --> 00:02.000\n<v Ada>W W</v>\n- W',
    '00:03.000 --> 00:03.050 align:start\nW <c.a>W</c>\n\nW',
    'name\n00:04.000 --> 00:09.000\nW',
  ],
  'a.srt': [
    '7\n00:00:01,000 --> 00:00:02,000\n<i>W</i> W\n\nW',
    '8\n00:00:01,000 --> 00:00:02,000\n- W\n- W',
  ],
  'a.py': ['W\n\tW', '"""W\n````\nW"""'],
};

const HEADS: Record<string, string> = { 'a.vtt': 'WEBVTT\n\n', 'a.tex': '\\begin{document}\n' };

async function read(text: string, name: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const document = await openDocument({ bytes, name, plan: resolveParsePlan({}) });
  return (await readAll(document)).map((page) => page.markdown).join('\n\n');
}

it.each(Object.keys(BLOCKS))('every word of %s is written', async (name) => {
  const block = fc.constantFrom(...BLOCKS[name]!);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(block, { minLength: 1, maxLength: 6 }), async (blocks) => {
      let count = 0;
      const text =
        (HEADS[name] ?? '') +
        blocks.join('\n\n').replace(/\bW\b/g, () => `word${String(++count).padStart(3, '0')}x`);
      const markdown = await read(text, name);
      const found = new Set(markdown.match(/word\d{3}x/g));
      const lost = Array.from({ length: count }, (_, at) => `word${String(at + 1).padStart(3, '0')}x`).filter(
        (word) => !found.has(word),
      );
      expect(lost, text).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
