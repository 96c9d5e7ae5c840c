import { describe, expect, it } from 'vitest';
import { readText } from './read-text.ts';

/** Small documents, each with the rules that the title names. */
const DOCUMENTS: [rules: string, name: string, text: string, markdown: string][] = [
  [
    'titles of proofs',
    'a.tex',
    `\\documentclass{article}\\begin{document}
\\begin{proof}It holds.\\end{proof} \\begin{lemma}Deep.\\end{lemma}
\\end{document}`,
    `**Proof.** It holds.

Deep.`,
  ],
  [
    'cells over several rows',
    'a.tex',
    `\\documentclass{article}\\begin{document}
\\begin{tabular}{lll}\\multirow{2}{*}{Both} & x & 1 \\\\ & y & 2\\end{tabular}
\\end{document}`,
    `| Both | x   | 1   |
| ---- | --- | --- |
|      | y   | 2   |`,
  ],
  [
    'groups between commands',
    'a.tex',
    `\\documentclass{article}\\begin{document}
a \\bgroup\\bf thick\\egroup{} b {\\it leaning} c \\begingroup\\bf wide\\endgroup{} d
\\end{document}`,
    `a **thick** b *leaning* c **wide** d`,
  ],
  [
    'notes before words, and labels of items',
    'a.tex',
    `\\documentclass{article}\\begin{document}
a\\footnotemark word \\begin{itemize}\\item[$x$] one \\item [open two \\item[b{c}] three\\end{itemize}
\\end{document}`,
    `a[^1] word

- **$x$** one
- **open two [bc** three`,
  ],
  [
    'lines of the title',
    'a.tex',
    `\\documentclass{article}\\title{Tides \\\\ of the Rock\\par Part}\\begin{document}\\maketitle Text.\\end{document}`,
    `# Tides of the Rock Part

Text.`,
  ],
  [
    'a verbatim environment without an end',
    'a.tex',
    `\\documentclass{article}\\begin{document}
before \\begin{verbatim} open text never ends
\\end{document}`,
    `before open text never ends`,
  ],
  [
    'lengths and arguments that are not shown',
    'a.tex',
    `\\documentclass{article}\\begin{document}
\\section*{S} \\paragraph{Run in} words. \\titlespacing{a}{b}{c}{d} after \\setlength{\\parindent}{2pt} more \\vspace*{3cm} end
\\end{document}`,
    `# S

**Run in** words. after more end`,
  ],
  [
    'default values of macros',
    'a.tex',
    `\\documentclass{article}\\begin{document}
\\newcommand{\\x}[2][def]{<#1|#2>}\\x{a} \\x[b]{c} \\def\\y#1.{(#1)}\\y k. \\let\\z\\y \\z m.
\\end{document}`,
    `<def|a> <b|c> k. m.`,
  ],
  [
    'repeated columns',
    'a.tex',
    `\\documentclass{article}\\begin{document}
\\begin{tabular}{|l|*{2}{r|}}\\hline A & \\multicolumn{2}{c|}{B} \\\\\\hline 1 & 2 & 3 \\\\ \\end{tabular}
\\end{document}`,
    `| A   | B   |     |
| --- | --- | --- |
| 1   | 2   | 3   |`,
  ],
  [
    'parts of long tables that repeat',
    'a.tex',
    `\\documentclass{article}\\begin{document}
\\begin{longtable}{ll}H & I \\\\ \\endfirsthead again & again \\\\ \\endhead foot & f \\\\ \\endfoot 1 & 2 \\\\ \\end{longtable}
\\end{document}`,
    `| H   | I   |
| --- | --- |
| 1   | 2   |`,
  ],
  [
    'descriptions and nested lists',
    'a.tex',
    `\\documentclass{article}\\begin{document}
\\begin{description}\\item[Key] value \\item[Other] thing\\end{description}\\begin{enumerate}\\item a\\begin{enumerate}\\item b\\end{enumerate}\\item c\\end{enumerate}
\\end{document}`,
    `- **Key** value
- **Other** thing

1. a
   1. b
2. c`,
  ],
  [
    'accents and signs',
    'a.tex',
    `\\documentclass{article}\\begin{document}
\\'e \\^{\\i} \\c{c} \\v s \\~n \\aa{} \\ss{} \\o{} \\L{} ---  -- ''q\`\` \\textendash{} \\ldots{} \\S{} 5\\% \\$3 \\& \\_ \\#
\\end{document}`,
    `é î ç š ñ å ß ø Ł — – "q" – … § 5% $3 & _ #`,
  ],
  [
    'environments of formulas',
    'a.tex',
    `\\documentclass{article}\\begin{document}
\\[ x = 1 \\] \\begin{align*} a &= b \\\\ c &= d \\end{align*} \\begin{alignat}{2} e &= f \\end{alignat} \\begin{gather} g \\end{gather} \\begin{multline} h \\end{multline}
\\end{document}`,
    `$$
x = 1
$$

$$
\\begin{aligned}
a &= b \\\\ c &= d
\\end{aligned}
$$

$$
\\begin{aligned}
e &= f
\\end{aligned}
$$

$$
\\begin{gathered}
g
\\end{gathered}
$$

$$
\\begin{gathered}
h
\\end{gathered}
$$`,
  ],
  [
    'references, links and the bibliography',
    'a.tex',
    `\\documentclass{article}\\begin{document}
See \\ref{s}, \\eqref{e}, \\autoref{s}, \\pageref{s}, \\cite{k,m}, \\citep[see][p.~2]{k}. \\href{http://a.example}{the page} \\url{http://b.example/x_y} \\begin{thebibliography}{9}\\bibitem{k} First. \\bibitem[M]{m} Second.\\end{thebibliography}
\\end{document}`,
    `See s, (e), s, s, [1, M], [see 1, p. 2]. [the page](http://a.example) [http://b.example/x_y](http://b.example/x_y)

# References

- [1] First.
- [M] Second.`,
  ],
];

describe('rules of LaTeX', () => {
  it.each(DOCUMENTS)('%s (%s)', async (_, name, text, markdown) => {
    expect(await readText(name, text)).toBe(markdown);
  });
});
