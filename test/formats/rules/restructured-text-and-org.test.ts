import { describe, expect, it } from 'vitest';
import { readText } from './read-text.ts';

/** Small documents, each with the rules that the title names. */
const DOCUMENTS: [rules: string, name: string, text: string, markdown: string][] = [
  [
    'literal blocks, terms and fields',
    'a.rst',
    `Look ::

  code

See::

  more

::

  alone

Term
  meaning

:Field: value
`,
    `Look

\`\`\`
code
\`\`\`

See:

\`\`\`
more
\`\`\`

\`\`\`
alone
\`\`\`

**Term**

meaning

- **Field:** value`,
  ],
  [
    'three kinds of tables',
    'a.rst',
    `+-----+-----+
| A   | B   |
+=====+=====+
| wide      |
+-----+-----+
| t   | c   |
|     +-----+
|     | d   |
+-----+-----+

=====  =====
A      B
=====  =====
1      2
\\      3
=====  =====

.. csv-table:: T
   :header: "x","y"

   1,"2,3"
`,
    `| A    | B   |
| ---- | --- |
| wide |     |
| t    | c   |
|      | d   |

| A   | B   |
| --- | --- |
| 1   | 2   |
|     | 3   |

**T**

| x   | y   |
| --- | --- |
| 1   | 2,3 |`,
  ],
  [
    'marks inside a line',
    'a.rst',
    `*i* **b** \`\`c\`\` |v| \`link <http://a.example>\`_ \`target\`_ :sup:\`2\` :math:\`x^2\` [1]_ [#a]_ word_ \\*no\\*

.. |v| replace:: value
.. _target: http://t.example
.. _word: http://w.example
.. [1] One.
.. [#a] Two.
`,
    `*i* **b** \`c\` value [link](http://a.example) [target](http://t.example) <sup>2</sup> $x^2$ [^1] [^2] [word](http://w.example) *no*

[^1]: One.

[^2]: Two.`,
  ],
  [
    'lists and directives',
    'a.rst',
    `1. one

   a. inner

2. two
#. three

* x

  - y

.. code-block:: python

   print(1)

.. math:: a = b

.. image:: a.png
   :alt: The rock

.. figure:: b.png

   A caption.

.. epigraph::

   Words.

   -- Ada
`,
    `1. one
   1. inner
2. two
3. three

- x
  - y

\`\`\`python
print(1)
\`\`\`

$$
a = b
$$

The rock

A caption.

> Words.

> -- Ada`,
  ],
  [
    'marks inside a line and notes',
    'a.org',
    `#+TITLE: Tides
#+AUTHOR: Ada
* DONE One :tag:
** Two
text *b* /i/ =v= ~c~ +s+ _u_ x^2 y_{i} \\dots \\alpha \\rarr [[http://a.example][page]] [[http://b.example]] <2024-01-01 Mon> [fn:1] [fn:: inline note]

[fn:1] The note.
`,
    `# Tides

Ada

## DONE One

### Two

text **b** *i* \`v\` \`c\` ~~s~~ u x^2 y<sub>i</sub> … α → [page](http://a.example) [http://b.example](http://b.example) 2024-01-01 Mon [^1] [^2]

[^1]: The note.

[^2]: inline note`,
  ],
  [
    'lists, tables and blocks',
    'a.org',
    `- a
  - b
- c

1. x
2) y

- term :: def
- [X] done

| a | b |
|---+---|
| 1 | 2 |
#+TBLFM: $2=1

#+BEGIN_SRC c
int x;
#+END_SRC

#+BEGIN_EXAMPLE
ex
#+END_EXAMPLE

: fixed

#+BEGIN_QUOTE
q
#+END_QUOTE

#+BEGIN_COMMENT
hidden
#+END_COMMENT
# hidden too
`,
    `- a
  - b
- c

1. x
2. y

- **term**: def
- done

| a   | b   |
| --- | --- |
| 1   | 2   |

\`\`\`c
int x;
\`\`\`

\`\`\`
ex
\`\`\`

\`\`\`
fixed
\`\`\`

> q`,
  ],
];

describe('rules of reStructuredText and Org', () => {
  it.each(DOCUMENTS)('%s (%s)', async (_, name, text, markdown) => {
    expect(await readText(name, text)).toBe(markdown);
  });
});
