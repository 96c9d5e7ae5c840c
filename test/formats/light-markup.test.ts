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
  kind: 'adoc',
  name: 'a.adoc',
  holds: { headings: 2, tables: 1, lists: 1, links: 1, metadata: ['title', 'author', 'language'] },
  bytes: () =>
    utf8(`= Notes of the harbour
Ada Moss <ada@a.example>
:place: Gull Rock

// not shown
== Days on {place}

The *keeper* reads _slowly_ in \`log+1\`, see <<tides,the tides>> and https://a.example[the page].footnote:[By hand.]

* One
** Two
* Three

. First
. Second

NOTE: Wear boots.

[source,python]
----
print(1)
----

.Gulls
[cols="1,1",options="header"]
|===
|Day |Gulls
|Monday |3
2+|None
|===

////
hidden
////
image::rock.png[The rock, width=20]`),
  markdown: [
    [
      '# Notes of the harbour',
      'Ada Moss ada@a.example',
      '## Days on Gull Rock',
      'The **keeper** reads *slowly* in `log+1`, see the tides and [the page](https://a.example).[^1]',
      '- One\n  - Two\n- Three\n  1. First\n  2. Second',
      '> **Note:** Wear boots.',
      '```python\nprint(1)\n```',
      '**Gulls**',
      '| Day    | Gulls |\n| ------ | ----- |\n| Monday | 3     |\n| None   |       |',
      'The rock',
      '[^1]: By hand.',
    ].join('\n\n'),
  ],
});

parserSuite({
  kind: 'rst',
  name: 'a.rst',
  holds: { headings: 2, tables: 3, lists: 1, links: 1, metadata: ['title', 'language'] },
  bytes: () =>
    utf8(`=====
Tides
=====

.. contents::
.. A comment
   over two lines.

Counting the days
-----------------

The **keeper** of Rock_ reads \`\`a_b\`\` and :func:\`~log.write\` [#]_. Then::

    print(1)

.. _Rock: https://a.example
.. [#] By hand.

- one

  - inner

+-----+-------+
| Day | Gulls |
+=====+=======+
| Mon | 3     |
|     +-------+
|     | four  |
+-----+-------+

===  =====
Day  Gulls
===  =====
Tue  5
===  =====

.. list-table::

   * - Day
     - Gulls
   * - Wed
     - 6

.. note:: Wear boots.

.. code-block:: sql

   select 1`),
  markdown: [
    [
      '# Tides',
      '## Counting the days',
      'The **keeper** of [Rock](https://a.example) reads `a_b` and `write` [^1]. Then:',
      '```\nprint(1)\n```',
      '- one\n  - inner',
      '| Day | Gulls |\n| --- | ----- |\n| Mon | 3     |\n|     | four  |',
      '| Day | Gulls |\n| --- | ----- |\n| Tue | 5     |',
      '| Day | Gulls |\n| --- | ----- |\n| Wed | 6     |',
      '> **Note:**\n\n> Wear boots.',
      '```sql\nselect 1\n```',
      '[^1]: By hand.',
    ].join('\n\n'),
  ],
});

parserSuite({
  kind: 'org',
  name: 'a.org',
  holds: { headings: 3, tables: 1, lists: 1, links: 1, metadata: ['title', 'author', 'language'] },
  bytes: () =>
    utf8(`#+TITLE: Harbour
#+AUTHOR: Ada Moss
# hidden
* TODO [#A] Days of the keeper :work:
:PROPERTIES:
:ID: 12
:END:
The *keeper* reads /slowly/ in =log= at [[https://a.example][the page]].[fn:1]

- one
  - inner

| Day | Gulls |
|-----+-------|
| Mon | 3     |

#+BEGIN_SRC sql
select 1
#+END_SRC
** COMMENT hidden too
gone
** Shown
[fn:1] By hand.`),
  markdown: [
    [
      '# Harbour',
      'Ada Moss',
      '## TODO Days of the keeper',
      'The **keeper** reads *slowly* in `log` at [the page](https://a.example).[^1]',
      '- one\n  - inner',
      '| Day | Gulls |\n| --- | ----- |\n| Mon | 3     |',
      '```sql\nselect 1\n```',
      '### Shown',
      '[^1]: By hand.',
    ].join('\n\n'),
  ],
});

describe('AsciiDoc', () => {
  it.each([
    ['*a* and w*or*d and **b**c', '**a** and w*or*d and **b**c'],
    ['H~2~O and x^2^', 'H<sub>2</sub>O and x<sup>2</sup>'],
    ['stem:[a^2] and kbd:[Ctrl]', '$a^2$ and `Ctrl`'],
    ['link:a.html[There] and \\*no*', '[There](a.html) and *no*'],
    ['. a\n+\nmore\n\n. b', '1. a\n\nmore\n\n2. b'],
    ['term:: its meaning', '- **term**: its meaning'],
    ['[NOTE]\n====\nBoots.\n====', '> **Note:**\n\n> Boots.'],
    ['[quote, Ada, Log]\na', '> a\n\n> — Ada, Log'],
    ['a\nifdef::x[b]\nifndef::x[]\nc\nendif::[]\nd', 'a b c d'],
    ['* a\n- b\n* c\n\n<1> d\n<2> e', '- a\n  - b\n- c\n  1. d\n  2. e'],
    ['(((hidden))) ((shown)) +++*b*+++ {cpp} menu:File[Open]', 'shown *b* C++ **File > Open**'],
    ['*a _b `c`_*', '**a** ***b*** ***`c`***'],
    ['see https://a.example/b.', 'see [https://a.example/b](https://a.example/b).'],
    [':===\na:b\nc:d\n:===', '| a   | b   |\n| --- | --- |\n| c   | d   |'],
    ['|===\na\n|b\n|===', '| a   |\n| --- |\n| b   |'],
    ['a {constructor}', 'a {constructor}'],
    ['|===\n.2+|a |b\n|c\n|===', '| a   | b   |\n| --- | --- |\n|     | c   |'],
  ])('writes %j', async (text, markdown) => {
    expect(await read(text, 'a.adoc')).toBe(markdown);
  });
});

describe('reStructuredText', () => {
  it.each([
    ['H\\ :sub:`2`\\ O', 'H<sub>2</sub>O'],
    ['`Home <https://a.example>`_', '[Home](https://a.example)'],
    ['.. csv-table::\n   :header: a, b\n\n   "x, y", 2', '| a    | b   |\n| ---- | --- |\n| x, y | 2   |'],
    ['#. a\n#. b', '1. a\n2. b'],
    ['term\n  Meaning.', '**term**\n\nMeaning.'],
    ['.. math:: a^2', '$$\na^2\n$$'],
    ['One\n===\n\nTwo\n---\n\nThree\n=====', '# One\n\n## Two\n\n# Three'],
    ['| one\n| two', 'one  \ntwo'],
    ['.. |v| replace:: 3\n   or 4\n\nVersion |v|', 'Version 3 or 4'],
    ['.. |c| unicode:: 0xA9 .. sign\n\n|c| a', '© a'],
    ['a::\n\n\tb\n\t\tc', 'a:\n\n```\nb\n\tc\n```'],
    ['+---+\n| a |', '```\n+---+\n| a |\n```'],
    ['+---+---+\n| abc | d |\n+---+---+', '```\n+---+---+\n| abc | d |\n+---+---+\n```'],
    ['== ==\na b c d\n   e\n== ==', '| a b c d e |\n| --------- |'],
    ['.. list-table::\n\n   words', 'words'],
    ['.. header:: a', 'a'],
    ['A long title\n====', '# A long title'],
    [':meth:`~a.b.c`', '`c`'],
    ['.. versionadded:: 2.0\n   a', '> **Added in version 2.0:**\n\n> a'],
    ['.. toctree::\n\n   Intro <a>\n   b', '- Intro\n- b'],
    ['>>> 1+1\n2\n\n:Day: a', '```python\n>>> 1+1\n2\n```\n\n- **Day:** a'],
    ['5. a\n6. b', '5. a\n6. b'],
    ['a [1]_\n\n.. [1] b\n.. [1] c', 'a [^1]\n\n[^1]: b c'],
  ])('writes %j', async (text, markdown) => {
    expect(await read(text, 'a.rst')).toBe(markdown);
  });
});

describe('text markup', () => {
  it.each([
    ['a.adoc', 'a\n\nimage::b.png[]', 'A picture was not read, because the file only refers to it.'],
    ['a.rst', 'a\n\n.. image:: b.png', 'A picture was not read, because the file only refers to it.'],
    [
      'a.rst',
      'a\n\n.. raw:: html\n\n   <b>b</b>',
      'Content that is only for the output format "html" was skipped.',
    ],
    [
      'a.org',
      'a\n#+INCLUDE: "b.org" src\n',
      'The file "b.org" that the document includes was not read. Upload it as a separate file.',
    ],
  ])('reports what is not in %s: %j', async (name, text, message) => {
    const document = await openDocument({ bytes: utf8(text), name, plan: resolveParsePlan({}) });
    expect(document.metadata.omissions?.map((omission) => omission.message)).toEqual([message]);
  });

  it.each([
    ['a.adoc', `:a: ${'b'.repeat(400)}\n\n${'{a}'.repeat(20_000)}`],
    ['a.rst', `.. |a| replace:: ${'b'.repeat(400)}\n\n${'|a| '.repeat(20_000)}`],
  ])('limits the text that references of %s insert', async (name, text) => {
    expect((await read(text, name)).length).toBeLessThan(4_500_000);
  });
});

describe('Org', () => {
  it.each([
    ['a_{1} and x^{2} and $a$', 'a<sub>1</sub> and x<sup>2</sup> and $a$'],
    ['either/or and path/to/file', 'either/or and path/to/file'],
    ['1. a\n   #+BEGIN_SRC\n   x\n   #+END_SRC\n2. b', '1. a\n\n```\nx\n```\n\n2. b'],
    ['- t :: m', '- **t**: m'],
    [':NOTES:\nshown\n:END:\n:LOGBOOK:\nhidden\n:END:\nlast', 'shown\n\nlast'],
    [':a:\n:b:', ':a:\n\n:b:'],
    ['a[fn:2] b[fn:1]\n\n[fn:1] c\n\n[fn:2] d', 'a[^1] b[^2]\n\n[^1]: d\n\n[^2]: c'],
    ['5. [@5] a\n6. b', '5. a\n6. b'],
    ['<2024-01-02 Tue>--<2024-01-03 Wed> \\alpha', '2024-01-02 Tue – 2024-01-03 Wed α'],
    ['#+TODO: OPEN | SHUT\n* OPEN a :tag:\nCLOCK: [2024-01-02]', '# OPEN a'],
    ['#+TITLE: a\n#+TITLE: b', '# a\n\nb'],
    ['| # | $ |\n| / | < |', '| #   | $   |\n| --- | --- |'],
    ['#+BEGIN_SRC\n\ta\n\t\tb\n#+END_SRC', '```\na\n\tb\n```'],
    ['\\begin{equation}\na\n\\end{equation}', '$$\na\n$$'],
    [': fixed', '```\nfixed\n```'],
  ])('writes %j', async (text, markdown) => {
    expect(await read(text, 'a.org')).toBe(markdown);
  });
});
