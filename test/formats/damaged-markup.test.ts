import { describe, expect, inject, it } from 'vitest';
import { ParseError } from '#src/documents/errors.ts';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { seededRandom } from '#test/support/hostile-units.ts';

const { seed, times } = inject('fuzz');
/** Damaged versions of each document in one run. */
const VERSIONS = 25 * times;
const MAX_CHARACTERS = 200_000;
const NESTED = 10_000;

/** Small documents with the constructs that refer to other parts, nest or count. */
const DOCUMENTS: Record<string, string> = {
  'a.tex': String.raw`\newcommand{\a}[2][x]{\textbf{#1 #2}}\def\b#1{\a{#1}}\begin{document}\section{One}\label{s}
A\footnote{n} \ref{s} \cite{k} \input{a}\begin{itemize}\item[x] one\end{itemize}
\begin{tabular}{l*{2}{c}}a & \multicolumn{2}{c}{b} \\ \multirow{2}{*}{c} & d\end{tabular}
\begin{align}a&=\sqrt[3]{x}\end{align}\iffalse no\else yes\fi \b{c}\bibitem{k} A.\end{document}`,
  'a.adoc':
    '= T\n:x: {y}\n:y: {x}\n\ninclude::a.adoc[]\n\n== One\n\n*b* {x} <<one,see>> footnote:[n]\n\n* one\n** two\n+\nmore\n\n[NOTE]\n====\n|===\n|a |b\n2+|c\n|===\n====\n\n[source,c]\n----\nx\n----\n',
  'a.rst':
    'T\n=\n\n.. |s| replace:: |s|\n.. include:: a.rst\n.. note:: hey\n\n   - a\n\n     1. b |s| [1]_\n\n.. [1] note\n\n+--+--+\n|a |b |\n+==+==+\n|c    |\n+--+--+\n\n== ==\na  b\n== ==\nc  d\n== ==\n',
  'a.org':
    '#+INCLUDE: a.org\n* One :t:\n:P:\n:ID: x\n:END:\n*b* [[http://a.example][c]] [fn:1]\n- a\n  - b\n    1. c\n| a | b |\n|---+---|\n| c | d |\n#+BEGIN_QUOTE\nq\n#+END_QUOTE\n[fn:1] n\n',
  'a.vtt':
    'WEBVTT\n\nNOTE x\n\n1\n00:01.000 --> 00:02.000\n<v Ann>Hi <b>you</b> &amp; me\n\n00:03.000 --> 00:04.000\n- one\n- two\n',
  'a.srt':
    '1\n00:00:01,000 --> 00:00:02,000\n<i>Hi</i>\n\n2\n00:00:03,000 --> 00:00:04,500\n{\\an8}- a\n- b\n',
  'a.ipynb':
    '{"nbformat":4,"metadata":{"language_info":{"name":"c"}},"cells":[{"cell_type":"markdown","source":["# H"]},{"cell_type":"code","source":"1","outputs":[{"output_type":"stream","text":["a"]},{"output_type":"execute_result","data":{"text/plain":["2"],"image/png":"AAAA"}},{"output_type":"error","ename":"E","traceback":["t"]}]}]}',
  'a.xml':
    '<!DOCTYPE article [<!ENTITY a "b&c;"><!ENTITY c "&a;">]><article><front><article-meta><title-group><article-title>T&a;</article-title></title-group><contrib-group><contrib><name><surname>S</surname></name><xref ref-type="aff" rid="a1">1</xref></contrib><aff id="a1">U</aff></contrib-group></article-meta></front><body><sec id="s"><title>M</title><p>x<xref rid="s">1</xref><inline-formula><mfrac><mi>a</mi><mn>2</mn></mfrac></inline-formula><fn id="f"><p>n</p></fn></p><table-wrap><table><tr><td rowspan="2">a</td><td colspan="3">b</td></tr></table></table-wrap></sec></body><back><ref-list><ref id="r"><element-citation><year>1999</year></element-citation></ref></ref-list></back></article>',
  'b.xml':
    '<section xmlns="http://docbook.org/ns/docbook"><title>T</title><table><tgroup cols="3"><colspec colname="a" colnum="1"/><spanspec spanname="s" namest="a" nameend="a"/><tbody><row><entry spanname="s" morerows="1">a</entry><entry namest="a" nameend="b">b</entry></row></tbody></tgroup></table><xref linkend="c"/></section>',
  'c.xml':
    '<xbrl xmlns="http://www.xbrl.org/2003/instance" xmlns:g="g"><context id="c"><entity><identifier>1</identifier></entity><period><instant>2020-01-01</instant></period></context><unit id="u"><measure>USD</measure></unit><g:Sum contextRef="c" unitRef="u" decimals="-3">1000</g:Sum></xbrl>',
  'a.rtf':
    "{\\rtf1\\fromhtml1{\\fonttbl{\\f0\\fcharset204 A;}}{\\*\\htmltag64 <p>}\\htmlrtf {\\b\\htmlrtf0 T\\'cf \\u8364?{\\*\\htmltag84 &nbsp;}\\htmlrtf }\\htmlrtf0{\\*\\htmltag72 </p>}}",
  'b.rtf':
    '{\\rtf1{\\fonttbl{\\f1\\fcharset128 M;}}{\\stylesheet{\\s1 heading 1;}}\\s1 T\\par C\\\'e9 {\\deleted gone}{\\*\\atnauthor B}{\\*\\annotation r}{\\footnote n}{\\shp{\\*\\shpinst{\\shptxt box\\par}}{\\shprslt r}}\\trowd\\intbl A\\cell\\row{\\mmath{\\mf{\\mnum{\\mr a}}{\\mden{\\mr b}}}}{\\field{\\*\\fldinst HYPERLINK "http://a"}{\\fldrslt l}}}',
};
const PIECES = ['constructor', '__proto__', '9999999999999999999', '-1', '0', '1e308', '\0', '\ud800', '😀'];
const MARKS = /<[a-zA-Z:]+[^>/]*>|\\[a-z]+\{|\{\\?\*?\\[a-z]+|^.+$|[[{(*_`|]/gm;

/** Returns a text with one to four damages: parts cut out, repeated, moved, replaced, or nested deeply. */
function damage(text: string, random: () => number): string {
  const choose = <T>(list: readonly T[]): T => list[Math.trunc(random() * list.length)]!;
  let damaged = text;
  for (let left = 1 + Math.trunc(random() * 4); left > 0; left--) {
    const from = Math.trunc(random() * damaged.length);
    const to = from + Math.trunc(random() * 40);
    const [before, piece, after] = [damaged.slice(0, from), damaged.slice(from, to), damaged.slice(to)];
    const mark = choose([...damaged.matchAll(MARKS)].map(([found]) => found)) ?? piece;
    const nested = mark.repeat(Math.min(NESTED, Math.ceil(MAX_CHARACTERS / Math.max(1, mark.length))));
    const numbers = damaged.replace(/\d+/, () => choose(PIECES));
    damaged = choose([
      before + after,
      before,
      before + piece.repeat(3) + after,
      before + choose(PIECES) + after,
      before + mark + piece + after,
      numbers,
      random() < 0.3 ? before + nested + after : before + piece + after,
    ]).slice(0, MAX_CHARACTERS);
  }
  return damaged;
}

/** Parses a text. Throws if a reader fails with an error of the program instead of an error about the file. */
async function read(name: string, text: string): Promise<void> {
  try {
    const bytes = new TextEncoder().encode(text);
    const document = await openDocument({ bytes, name, plan: resolveParsePlan({}) });
    JSON.stringify(await readAll(document));
    document.close();
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError);
    const { cause } = error as ParseError;
    const isFault =
      cause instanceof TypeError || cause instanceof RangeError || cause instanceof ReferenceError;
    if (isFault) throw cause;
  }
}

describe('damaged texts with marks', () => {
  it.each(Object.entries(DOCUMENTS))('are read or rejected: %s', async (name, text) => {
    await read(name, text);
    const random = seededRandom(seed + text.length);
    for (let version = 0; version < VERSIONS; version++) await read(name, damage(text, random));
  });
});
