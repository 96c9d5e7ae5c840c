import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const open = (text: string) => openDocument({ bytes: utf8(text), name: 'a.tex', plan: resolveParsePlan({}) });

async function read(text: string): Promise<string> {
  return (await readAll(await open(text))).map((page) => page.markdown).join('\n\n');
}

const PAPER = String.raw`\documentclass[a4paper]{article} % a comment
\usepackage{amsmath}
\newcommand{\gull}[1]{\emph{gull of #1}}
\newcommand{\RR}{\mathbb{R}}
\newtheorem{lem}{Lemma}
\newenvironment{remark}{\par\textbf{Remark.} \it}{\par}
\title{Tides at \textbf{Gull} Rock}
\author{Ada Moss \and Ben Hale\thanks{Harbour office}}
\begin{document}
\maketitle
\begin{abstract}We count gulls.\end{abstract}
\section{The Rock\label{sec:rock}}
The \gull{M\"unster} saw $x \in \RR$ at~5~--~6; see \cite[p.~3]{moss} and Section~\ref{sec:tides}.% hidden words
Gro\ss e Wellen, \v{C}apek, na\"{\i}ve.\footnote{A note with \textit{style}.}

\begin{equation}\label{eq:one}
  h(t) = a \cos t
\end{equation}
\subsection*{Counting}
\begin{itemize}
  \item One
  \begin{enumerate}\item Inner\end{enumerate}
  \item[Two] words
\end{itemize}
\begin{table}[ht]\centering
\caption{Gulls by day}
\begin{tabular}{l|r}\hline
Day & Gulls \\ \hline
Monday & 3 \\
\multicolumn{2}{c}{None} \\
\end{tabular}
\end{table}
\begin{lem}[Hale] All gulls fly.\end{lem}
\begin{remark}Some sleep.\end{remark}
Straight again with \verb|a_b % c|.
\begin{lstlisting}[language=Python]
print("50 % off")
\end{lstlisting}
\begin{align*} a &= b \\ c &= d \end{align*}
\begin{thebibliography}{9}
\bibitem{moss} A. Moss. \newblock Tides. 1901.
\end{thebibliography}
\end{document}
Words after the end.`;

const MARKDOWN = `# Tides at Gull Rock

Ada Moss , Ben Hale[^1]

## Abstract

We count gulls.

## The Rock

The *gull of Münster* saw $x \\in \\mathbb{R}$ at 5 – 6; see [1, p. 3] and Section sec:tides.Große Wellen, Čapek, naïve.[^2]

$$
h(t) = a \\cos t
$$

### Counting

- One
  1. Inner
- **Two** words

Table 1: Gulls by day

| Day    | Gulls |
| ------ | ----- |
| Monday | 3     |
| None   |       |

**Lemma (Hale).** All gulls fly.

**Remark.** *Some sleep.*

Straight again with \`a_b % c\`.

\`\`\`python
print("50 % off")
\`\`\`

$$
\\begin{aligned}
a &= b \\\\ c &= d
\\end{aligned}
$$

## References

- [1] A. Moss. Tides. 1901.

[^1]: Harbour office

[^2]: A note with *style*.`;

parserSuite({
  kind: 'tex',
  holds: { headings: 5, tables: 1, lists: 2, metadata: ['title', 'author', 'language'] },
  bytes: () => utf8(PAPER),
  markdown: [MARKDOWN],
});

describe('LaTeX', () => {
  it.each([
    [String.raw`\'a \'{e} \^{\i} \"o \c{c} \H{o} \r a \~n \k{a}`, 'á é î ö ç ő å ñ ą'],
    [String.raw`{\bf bold} and {\em slanted} plain`, '**bold** and *slanted* plain'],
    ['a $x$ and \\(y\\) and \\[z\\]', 'a $x$ and $y$ and\n\n$$\nz\n$$'],
    ['costs $a \\mbox{ if $b$ holds}$ now', 'costs $a \\mbox{ if $b$ holds}$ now'],
    ["``quoted'' --- and 5\\% \\& more \\dots", '"quoted" — and 5% & more …'],
    [String.raw`\vspace{1cm}\setlength{\parskip}{3pt}\noindent Text\vskip 3pt plus 1pt more`, 'Text more'],
    [String.raw`a \iffalse hidden \else shown \fi b`, 'a shown b'],
    [String.raw`a \iffalse \first \ifx x y\else z\fi hidden \fi b`, 'a b'],
    ['a\\emph\n\n{b}', 'a\n\nb'],
    [String.raw`$$a \eqno(1)$$`, '$$\na \\qquad (1)\n$$'],
    [String.raw`\cite[see][p. 3]{a}`, '[see a, p. 3]'],
    [
      String.raw`\begin{longtable}{l}H \\ \endfirsthead H \\ \endhead a \\ \end{longtable}`,
      '| H   |\n| --- |\n| a   |',
    ],
    [
      String.raw`\begin{algorithmic}\If{$a$} \State b \EndIf\end{algorithmic}`,
      '**if** $a$\n\nb\n\n**end if**',
    ],
    [String.raw`a \iffalse not closed`, 'a not closed'],
    [String.raw`\makebox[3cm][l]{boxed} \fcolorbox{red}{blue}{framed}`, 'boxed framed'],
    [String.raw`a\footnotemark\footnotetext{b}\footnotetext{c}`, 'a[^1]\n\n[^1]: b c'],
    [
      String.raw`\begin{figure}\begin{center}\caption{a}\end{center}\end{figure}\caption{b}`,
      'Figure 1: a\n\nb',
    ],
    [
      String.raw`see \url{http://a.example/x%20y} and \href{http://b.example}{there}`,
      'see [http://a.example/x%20y](http://a.example/x%20y) and [there](http://b.example)',
    ],
    [String.raw`\def\two#1#2{#2, #1}\two{a}{b}`, 'b, a'],
    [String.raw`\newcommand{\hi}[2][dear]{#1 #2}\hi{Ada} \hi[good]{Ben}`, 'dear Ada good Ben'],
    [String.raw`\unknown[option]{kept words}`, 'kept words'],
    [String.raw`\begin{quote}Said\end{quote}`, '> Said'],
    [String.raw`\paragraph{Note} text`, '**Note** text'],
  ])('writes %s', async (latex, markdown) => {
    expect((await read(latex)).trim()).toBe(markdown);
  });

  it('stops replacing macros that use themselves, and reports it', async () => {
    const document = await open('\\newcommand{\\x}[1]{#1#1\\x{#1#1}}Words \\x{a} end');
    expect((await readAll(document))[0]?.text).toMatch(/^Words/);
    expect(document.metadata.omissions).toMatchObject([{ kind: 'too_large' }]);
  });

  it('reports drawings, pictures, bibliographies and included files', async () => {
    const document = await open(
      String.raw`Words \input{chapter1} \bibliography{refs} \includegraphics[width=1cm]{a} \includegraphics{b} \begin{tikzpicture}\draw (0,0) -- (1,1);\end{tikzpicture}`,
    );
    expect((await readAll(document))[0]?.markdown).toBe('Words');
    expect(document.metadata.omissions?.map(({ message }) => message)).toEqual([
      'The file "chapter1" that the document includes was not read. Upload it as a separate file.',
      'The bibliography is in the file "refs", which was not read.',
      'A drawing of the environment "tikzpicture" was skipped.',
      '2 pictures were not read, because the file only refers to them.',
    ]);
  });

  it('reads text after an unclosed group, formula or environment', async () => {
    const text = await read('One {\\bf two $three \\begin{itemize}\\item four \\section{five');
    for (const word of ['One', 'two', 'three', 'four', 'five']) expect(text).toContain(word);
  });
});
