import { describe, expect, it } from 'vitest';
import { readText } from './read-text.ts';

/** Small documents, each with the rules that the title names. */
const DOCUMENTS: [rules: string, name: string, text: string, markdown: string][] = [
  [
    'lines below a title, comments and named characters',
    'a.adoc',
    `= Tides
Ada Moss <a@b.example>; Ben Hale
v1.2, 2024
:rock: Gull

[[one]]
== One

'''

Text of {rock} {rsquo}{backslash}{lsquo}{ldquo}{rdquo}{vbar}{caret}{tilde}{plus}{cpp}{amp}{lt}{gt}.
// hidden
See it//
end.
`,
    `# Tides

Ada Moss a@b.example; Ben Hale

v1.2, 2024

## One

Text of Gull ’\\‘“”|^~+C++&<>. See it// end.`,
  ],
  [
    'levels of lists',
    'a.adoc',
    `. first
.. inner
... deep
. second

* a
** b
* c

5. five
. six
`,
    `1. first
   1. inner
      1. deep
2. second
   - a
     - b
   - c
     5. five
3. six`,
  ],
  [
    'kinds of blocks',
    'a.adoc',
    `....
literal *x*
....

--
open *block*
--

----
code *x*
----

\`\`\`js
let a
\`\`\`

++++
<b>passed</b>
++++

====
example
====

[listing]
listed

[verse, Ada, Book]
A verse

____
quoted
____

[WARNING]
====
careful
====

****
side
****
`,
    `\`\`\`
literal *x*
\`\`\`

open **block**

\`\`\`
code *x*
\`\`\`

\`\`\`js
let a
\`\`\`

passed

example

\`\`\`
listed
\`\`\`

> A verse

> — Ada, Book

> quoted

> **Warning:**

> careful

side`,
  ],
  [
    'descriptions, attached blocks, check lists and callouts',
    'a.adoc',
    `Term:: meaning
Other:: thing
+
attached

* [x] done
* [ ] open

<1> first call
<.> second call
`,
    `- **Term**: meaning
- **Other**: thing

attached

- done
  - open
    1. first call
    2. second call`,
  ],
  [
    'spans and separators of tables',
    'a.adoc',
    `[cols="1,2",options="header"]
|===
|A |B

2+|wide
.2+|tall |c
|d
|===

,===
a,"b,c"
,===

[format=dsv]
|===
a:b
|===
`,
    `| A    | B   |
| ---- | --- |
| wide |     |
| tall | c   |
|      | d   |

| a   | b,c |
| --- | --- |

| a   | b   |
| --- | --- |`,
  ],
  [
    'marks and macros inside a line',
    'a.adoc',
    `A *b* _i_ \`m\` **x**y #mark# ^up^ ~down~ kbd:[Ctrl+C] btn:[OK] menu:File[Save] link:a.html[the page] <<one,see one>> mailto:a@b.example[write] https://c.example[site^] footnote:[Note.] ((shown)) (((hidden,term))) image:a.png[Alt] pass:[<u>x</u>] stem:[x^2]
`,
    `A **b** *i* \`m\` **x**y mark <sup>up</sup> <sub>down</sub> \`Ctrl+C\` **OK** **File > Save** [the page](a.html) see one [write](mailto:a@b.example) [site](https://c.example) [^1] shown  Alt \\<u>x\\</u> $x^2$

[^1]: Note.`,
  ],
];

describe('rules of AsciiDoc', () => {
  it.each(DOCUMENTS)('%s (%s)', async (_, name, text, markdown) => {
    expect(await readText(name, text)).toBe(markdown);
  });
});
