import { COMMON_UNITS, JSON_UNITS } from '../hostile-units.ts';
import { encodeText, FEW, type Places, plain } from './place.ts';

const LATEX_UNITS = {
  'open groups': '{',
  'closed groups': '{}',
  'closing braces': '}',
  'open bold groups': '\\textbf{',
  'open footnotes': '\\footnote{a',
  'open headings': '\\section{a',
  'nested lists': '\\begin{itemize}\\item a ',
  'nested quotes': '\\begin{quote}a ',
  'nested tables': '\\begin{tabular}{ll}a & ',
  'table cells': 'a & ',
  'rows of a table': 'a & b \\\\\n',
  'ends of environments': '\\end{itemize}',
  'open formulas': '$a{',
  'open displayed formulas': '\\[',
  'open environments of formulas': '\\begin{equation}',
  'dollar signs': '$',
  accents: "\\'",
  'open verbatim texts': '\\begin{verbatim}',
  'inline verbatim texts': '\\verb|a',
  comments: '%\n',
  'open options': '\\cite[a',
  commands: '\\foo ',
  'macros that use themselves': '\\def\\x{\\x\\x}\\x',
  'macros that grow': '\\newcommand{\\x}[1]{#1#1\\x{#1#1}}\\x{a}',
  'definitions without an end': '\\newcommand{\\x}[1]{',
  'environments that use themselves': '\\newenvironment{x}{\\begin{x}}{\\end{x}}\\begin{x}',
  'hidden branches': '\\iffalse a',
  citations: '\\cite{a,b}',
  entries: '\\bibitem{a} b\n',
};
const ASCIIDOC_UNITS = {
  'nested items': '* a\n** b\n',
  'deep items': '***** a\n',
  'table marks': '|===\n',
  'table cells': '|a ',
  'cell specifications': '2.3+^.>s|a\n',
  'open blocks': '----\n',
  'example blocks': '====\n',
  'quoted blocks': '____\n',
  'block attributes': '[a,b]\n',
  'attribute definitions': ':a: {a}{a}\n',
  'attribute references': '{a}',
  'open macros': 'link:a[',
  'cross references': '<<a,',
  'bold marks': '*a ',
  'mono marks': '`+a',
  'list continuations': '* a\n+\nb\n\n',
  sections: '== a\n\n',
  comments: '////\n',
};
const RST_UNITS = {
  underlines: 'a\n=\n',
  'long underlines': '====\n',
  'grid tables': '+--+--+\n|a |b |\n',
  'grid borders': '+-',
  'simple tables': '== ==\na  b\n',
  directives: '.. note::\n\n   a\n\n',
  'nested directives': ' .. note::\n',
  'growing indents': '- a\n\n  - b\n\n    - c\n\n',
  substitutions: '|a|',
  'open roles': ':ref:`a <',
  'literal blocks': 'a::\n\n  b\n\n',
  footnotes: '.. [1] a\n',
  'targets of links': '.. _a: b\n',
  'links to targets': '`a`_ ',
  'bold marks': '**a ',
  'field lists': ':a: b\n',
};
const ORG_UNITS = {
  headlines: '* TODO a :b:\n',
  'deep headlines': '******** a\n',
  'table rows': '|a|b\n',
  'open blocks': '#+BEGIN_SRC a\n',
  'quote blocks': '#+BEGIN_QUOTE\n',
  drawers: ':a:\n',
  'open links': '[[a][b',
  'bold marks': '*a ',
  'nested items': '- a\n  - b\n    - c\n',
  footnotes: '[fn:1] a\n',
  'inline footnotes': '[fn:: a ',
  keywords: '#+a: b\n',
};
const CUE = '00:00:01.000 --> 00:00:02.000\n';
const SUBTITLE_UNITS = {
  cues: `${CUE}a\n\n`,
  'timing lines': CUE,
  'voice tags': '<v a>b',
  'open voice tags': '<v a',
  'open tags': '<c.',
  notes: 'NOTE a\n\n',
  numbers: '1\n',
};

/** Places in the formats of plain text that have marks for headings, lists and tables, and in source code. */
export const TEXT_PLACES = {
  tex: {
    'the body': plain('a.tex', '\\begin{document}a ', { ...COMMON_UNITS, ...LATEX_UNITS }),
    'a macro': plain('a.tex', '\\newcommand{\\y}[2]{', LATEX_UNITS, '#1}\\begin{document}a \\y\\y\\y{a}'),
    'a cell': plain('a.tex', 'a \\begin{tabular}{ll}', LATEX_UNITS, '\\end{tabular}'),
    'the title': plain('a.tex', 'a \\title{', { ...FEW, ...LATEX_UNITS }, '}'),
  },
  adoc: {
    text: plain('a.adoc', 'text\n\n', { ...COMMON_UNITS, ...ASCIIDOC_UNITS }),
    'a table': plain('a.adoc', 'text\n\n|===\n|', ASCIIDOC_UNITS, '\n|==='),
  },
  rst: {
    text: plain('a.rst', 'text\n\n', { ...COMMON_UNITS, ...RST_UNITS }),
    'a directive': plain('a.rst', 'text\n\n.. note:: ', RST_UNITS),
    'a table': plain('a.rst', 'text\n\n.. list-table::\n\n   * - ', RST_UNITS),
  },
  org: {
    text: plain('a.org', 'text\n\n', { ...COMMON_UNITS, ...ORG_UNITS }),
    'an item': plain('a.org', 'text\n\n- ', ORG_UNITS),
  },
  vtt: {
    cues: plain('a.vtt', `WEBVTT\n\n${CUE}text `, { ...COMMON_UNITS, ...SUBTITLE_UNITS }),
  },
  srt: {
    cues: plain('a.srt', '1\n00:00:01,000 --> 00:00:02,000\ntext ', { ...COMMON_UNITS, ...SUBTITLE_UNITS }),
  },
  ipynb: {
    cells: plain('a.ipynb', '{"cells":[{"cell_type":"code","source":"a"},', JSON_UNITS, '0]}'),
    'a Markdown cell': {
      name: 'a.ipynb',
      write: (text) => encodeText(JSON.stringify({ cells: [{ cell_type: 'markdown', source: text }] })),
      units: FEW,
    },
    'an output': {
      name: 'a.ipynb',
      write: (text) =>
        encodeText(
          JSON.stringify({
            cells: [{ cell_type: 'code', source: 'a', outputs: [{ output_type: 'stream', text }] }],
          }),
        ),
      units: COMMON_UNITS,
    },
  },
  code: { text: plain('a.py', 'a = 1\n', { ...COMMON_UNITS, backticks: '`' }) },
} satisfies Places;
